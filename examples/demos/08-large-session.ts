/**
 * `npm run demo:08 [-- MEGABYTES]`: a session of 10,000 entries and 100 MB. Reading all of it and parsing each
 * line is what a reader without an index does at every start; ours reads the bytes of the context.
 */
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import { createJsonlStore, encodeEntry, encodeHeader, openLocalIndex, Session } from "branchline";
import { temporaryFolder } from "./folders.ts";
import { heading, row } from "./print.ts";

const ENTRIES = 10_000;
const megabytes = Number(process.argv[2] ?? 100);
const ID = "demo-large";

/** Writes the file line by line; every 1,000th entry is a compaction, as long sessions have them. */
function writeFile(file: string): void {
  const out = openSync(file, "w");
  const timestamp = "2026-01-05T08:00:00.000Z";
  writeSync(out, encodeHeader({ type: "session", version: 3, id: ID, timestamp, cwd: "/demo" }));
  const size = Math.max(1, Math.round((megabytes * 1e6) / ENTRIES) - 250);
  for (let at = 0; at < ENTRIES; at++) {
    const id = at.toString(16).padStart(8, "0");
    const parentId = at === 0 ? null : (at - 1).toString(16).padStart(8, "0");
    const base = { id, parentId, timestamp };
    const message = { role: "user", content: `entry ${at} ${"会话 session ".repeat(size / 15)}` };
    const isCompaction = at % 1000 === 999;
    writeSync(
      out,
      isCompaction
        ? encodeEntry({
            type: "compaction",
            ...base,
            summary: "so far",
            firstKeptEntryId: id,
            tokensBefore: 1,
          })
        : encodeEntry({ type: "message", ...base, message }),
    );
  }
  writeSync(
    out,
    encodeEntry({
      type: "message",
      id: "ffffffff",
      parentId: (ENTRIES - 1).toString(16).padStart(8, "0"),
      timestamp,
      message: { role: "user", content: "and now?" },
    }),
  );
  closeSync(out);
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  row(name, `${(performance.now() - start).toFixed(0)} ms`);
  return result;
}

using place = temporaryFolder();
const { folder: root } = place;
const file = path.join(root, "sessions", `${ID}.jsonl`);
mkdirSync(path.dirname(file));
heading(`${ENTRIES.toLocaleString("en")} entries, ${megabytes} MB`);
writeFile(file);

async function openAndAsk(): Promise<{ readonly entries: number; readonly messages: number }> {
  await using index = openLocalIndex({ root });
  await using store = createJsonlStore({ root, index: index.sessions });
  await using session = await Session.attach(await store.open(ID));
  const { messages } = await session.context();
  return { entries: session.tree.size, messages: messages.length };
}

await timed("parse every line", async () => {
  for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) JSON.parse(line);
});
await timed("first open (indexes)", openAndAsk);
const { entries, messages } = await timed("next open + context", openAndAsk);
row("entries in the tree", entries);
row("messages in context", messages);
if (entries !== ENTRIES + 1) process.exitCode = 1;
