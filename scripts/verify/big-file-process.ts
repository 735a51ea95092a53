/**
 * Opens one big file in a process of its own, so that its memory can be limited and measured. Arguments:
 * "whole" or "end", data root, file. Prints one JSON line.
 */
import { Session } from "../../src/session/session.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { CountingFileSystem } from "../../test/builders/counting-file-system.ts";

const [how = "", root = "", file = ""] = process.argv.slice(2);
const counting = new CountingFileSystem();
const store = createJsonlStore({ root, fileSystem: counting.fileSystem });

const since = performance.now();
const { value: session, work } = await counting.during(async () => {
  const opened = await Session.attach(await store.openFile(file, { tailFirst: how === "end" }));
  const { messages } = await opened.context();
  return { messages: messages.length, opened };
});
const ms = performance.now() - since;

process.stdout.write(
  `${JSON.stringify({
    ms: Math.round(ms),
    rssMb: Math.round(process.resourceUsage().maxRSS / 1024),
    bytesRead: work.bytesRead,
    messages: session.messages,
    problems: session.opened.store.problems.map(({ code }) => code),
  })}\n`,
);
process.exit(0);
