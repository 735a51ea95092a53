import type { Entry } from "../../entry/entry.ts";
import { encodeEntry, encodeHeader } from "../../entry/line-encode.ts";
import type { LinePlace } from "../../entry/problem.ts";
import { sameFile } from "../../io/file-identity.ts";
import { publish } from "../../io/publish.ts";
import { appendUnknown } from "./append-unknown.ts";
import type { Environment } from "./environment.ts";
import { readHeader } from "./header-read.ts";
import { linkOrCopy } from "./move-file.ts";
import { isPublished } from "./publish-outcome.ts";
import { SessionFile } from "./session-file.ts";
import { assertUnchanged, statOf } from "./unchanged-file.ts";

const NEWLINE: Uint8Array = Uint8Array.of(0x0a);
const CHUNK_BYTES: number = 1024 * 1024;

/**
 * Rewrites a v1 or v2 file as v3, with the ids that reading it in memory gave, so that every process
 * that has it open goes on with the same ids (reliability.md §3 rows 35, 42; M18). The first new lines
 * come in the same atomic step, so that a refused commit changes nothing. The original stays beside it
 * as `<name>.v<version>.bak`. What cannot be read is kept byte for byte.
 *
 * Under the lock. Gives the new file; the caller closes the old one. Throws IO_FAILED and
 * FILE_REPLACED with nothing changed, APPEND_UNKNOWN.
 */
export async function upgradeFile(
  session: SessionFile,
  lines: readonly Uint8Array[],
  env: Environment,
): Promise<SessionFile> {
  const { fileSystem, random, durability } = env;
  const { path } = session.file;
  const original = await statOf(fileSystem, path);
  // What was added since it was read would be left out.
  await assertUnchanged(fileSystem, path, { ...original, size: session.end });
  await keepOriginal(session, env);
  const header = await readHeader(fileSystem, path);
  const content = upgradedLines(session, lines, header?.place);
  try {
    const ifUnchanged = original;
    const overwrite = "replace";
    await publish(fileSystem, { path, content, overwrite, durability, random, ifUnchanged });
  } catch (error) {
    // The last step failed: the new file is in its place, but its name may not last.
    throw isPublished(error) ? appendUnknown(path, error) : error;
  }
  const upgraded = await openUpgraded(session, env);
  if (upgraded === null) throw appendUnknown(path, undefined);
  upgraded.markDurable();
  return upgraded;
}

/**
 * The file that another process made of this one by {@link upgradeFile}: the same session, which
 * begins with the same entries; null where it is anything else. The caller closes it.
 */
export async function openUpgraded(
  session: SessionFile,
  env: Environment,
): Promise<SessionFile | null> {
  const { file, mode } = session;
  const opened = await SessionFile.open(env.fileSystem, file.path, { mode }).catch(() => null);
  if (opened === null) return null;
  if (isContinuation(opened, session)) return opened;
  await opened.file.close();
  return null;
}

function isContinuation(upgraded: SessionFile, session: SessionFile): boolean {
  if (upgraded.header.id !== session.header.id) return false;
  if (upgraded.version <= session.version) return false;
  for (const { id, ordinal } of session.tree.entries()) {
    if (upgraded.tree.get(id)?.ordinal !== ordinal) return false;
  }
  return true;
}

/** The second name keeps the very bytes, also those that a program without our lock adds meanwhile. */
async function keepOriginal(session: SessionFile, env: Environment): Promise<void> {
  const { path, identity } = session.file;
  for (let number = 0; ; number++) {
    const name = `${path}.v${session.version}${number === 0 ? "" : `~${number}`}.bak`;
    const taken = await env.fileSystem.lstat(name);
    // Left by a try that ended before the new file was in place.
    if (taken !== undefined && sameFile(taken, identity)) return;
    if (taken !== undefined) continue;
    await linkOrCopy(env, path, name);
    return;
  }
}

async function* upgradedLines(
  session: SessionFile,
  lines: readonly Uint8Array[],
  header: LinePlace | undefined,
): AsyncGenerator<Uint8Array> {
  yield encodeHeader(session.header);
  let position = 0;
  for (const { place, entry } of replacedLines(session, header)) {
    // Several records of one line have the same place.
    if (place.byteStart > position) yield* raw(session, position, place.byteStart);
    if (entry !== undefined) yield encodeEntry(entry);
    position = place.byteEnd + 1;
  }
  if (position < session.end) {
    yield* raw(session, position, session.end);
    const [last] = await session.file.read(session.end - 1, 1);
    if (last !== NEWLINE[0]) yield NEWLINE;
  }
  yield* lines;
}

interface ReplacedLine {
  readonly place: LinePlace;
  /** undefined for the old header: the new one stands at the start of the file. */
  readonly entry: Entry | undefined;
}

/** The lines that are written anew, in the order of the file. */
function replacedLines(
  session: SessionFile,
  header: LinePlace | undefined,
): readonly ReplacedLine[] {
  const replaced: ReplacedLine[] =
    header === undefined ? [] : [{ place: header, entry: undefined }];
  for (const { id } of session.tree.entries()) {
    replaced.push({ place: session.placeOf(id) as LinePlace, entry: session.get(id) });
  }
  return replaced.sort((a, b) => a.place.byteStart - b.place.byteStart);
}

async function* raw(session: SessionFile, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let position = from; position < to; position += CHUNK_BYTES) {
    yield await session.file.read(position, Math.min(CHUNK_BYTES, to - position));
  }
}
