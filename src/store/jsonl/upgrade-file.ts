import { checkHeader } from "../../entry/header-check.ts";
import { encodeEntry, encodeHeader } from "../../entry/line-encode.ts";
import { publish } from "../../io/publish.ts";
import type { Environment } from "./environment.ts";
import type { SessionFile } from "./session-file.ts";

/**
 * Rewrites a v1 or v2 file as v3, with the ids that reading it in memory gave, so that every process
 * that had it open goes on with the same ids (reliability.md §3 rows 35, 42; M18). Published
 * atomically under the lock; the original stays beside it as `<name>.v<version>.bak`. Lines that
 * cannot be read are kept byte for byte.
 */
export async function upgradeFile(session: SessionFile, env: Environment): Promise<void> {
  const { path } = session.file;
  const original = await env.fileSystem.stat(path);
  const content = await session.file.read(0, session.file.size);
  await publish(env.fileSystem, {
    path: `${path}.v${session.version}.bak`,
    content,
    overwrite: "replace",
    durability: env.durability,
    random: env.random,
  });
  await publish(env.fileSystem, {
    path,
    content: upgradedLines(session, content),
    overwrite: "replace",
    durability: env.durability,
    random: env.random,
    ...(original === undefined ? {} : { ifUnchanged: original }),
  });
}

async function* upgradedLines(
  session: SessionFile,
  content: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const entries = [...session.tree.entries()].map((at) => session.placeOf(at.id)?.byteStart);
  const byStart = new Map(entries.map((start, ordinal) => [start, ordinal]));
  const text = new TextDecoder();
  let start = 0;
  let headerWritten = false;
  while (start < content.length) {
    const newline = content.indexOf(0x0a, start);
    const end = newline === -1 ? content.length : newline;
    const ordinal = byStart.get(start);
    const line = content.subarray(start, end);
    if (ordinal !== undefined) {
      const at = session.tree.at(ordinal);
      yield encodeEntry(session.get(at?.id ?? "") as never);
    } else if (!headerWritten && isHeaderLine(text.decode(line))) {
      yield encodeHeader(checkHeader(JSON.parse(text.decode(line))).header);
      headerWritten = true;
    } else yield Buffer.concat([line, Uint8Array.of(0x0a)]);
    start = end + 1;
  }
}

function isHeaderLine(line: string): boolean {
  try {
    return JSON.parse(line)?.type === "session";
  } catch {
    return false;
  }
}
