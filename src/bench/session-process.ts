/**
 * Writes one generated session in a process of its own, so that whoever waits for it stays free. Argument:
 * a {@link SessionJob} as JSON; each line of standard output is the number of entries that are done.
 */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { setPriority } from "node:os";
import process from "node:process";
import { generateSession } from "./session-generator.ts";
import type { SessionJob } from "./write-session.ts";

/** Lines that are written at a time. */
const BATCH = 500;

function write({ file, name, options }: SessionJob): void {
  const out = openSync(file, "w", 0o600);
  const lines = generateSession(options);
  let batch: string[] = [];
  let line = "";
  let done = -1;
  let next = lines.next();
  for (; !next.done; next = lines.next()) {
    line = next.value;
    batch.push(line);
    done++;
    if (batch.length < BATCH) continue;
    writeSync(out, `${batch.join("\n")}\n`);
    process.stdout.write(`${done}\n`);
    batch = [];
  }
  const { leaf: parentId } = next.value;
  const { timestamp }: { readonly timestamp: string } = JSON.parse(line);
  batch.push(JSON.stringify({ type: "session_info", id: "0000000a", parentId, timestamp, name }));
  writeSync(out, `${batch.join("\n")}\n`);
  fsyncSync(out);
  closeSync(out);
}

setPriority(10);
write(JSON.parse(process.argv[2] ?? "{}"));
