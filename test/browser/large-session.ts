import { copyFile, mkdir, mkdtemp, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { generateSession } from "../../src/bench/session-generator.ts";

/** A folder with one generated session in it. */
export interface LargeSession {
  readonly root: string;
  readonly session: string;
}

const SEED = 5;

/** A root with a session of so many entries; the file is made once on a machine and copied from then on. */
export async function largeSession(entries: number): Promise<LargeSession> {
  const kept = path.join(tmpdir(), "branchline-fixtures");
  const file = path.join(kept, `chat-${SEED}-${entries}.jsonl`);
  await mkdir(kept, { recursive: true });
  const known = await readFile(file, "utf8").catch(() => "");
  const text =
    known || [...generateSession({ seed: SEED, entries, profile: "chat" }), ""].join("\n");
  if (known === "") {
    // Two runs at once may both write it; each sees a whole file.
    const own = `${file}.${process.pid}`;
    await writeFile(own, text);
    await rename(own, file);
  }
  const root = await mkdtemp(path.join(tmpdir(), "branchline-large-"));
  await copyFile(file, path.join(root, "large.jsonl"));
  return { root, session: JSON.parse(text.slice(0, text.indexOf("\n"))).id };
}
