/**
 * `npm run demo:06`: kill -9 during a write. A process appends as fast as it can and says each entry that was
 * acknowledged; it is killed in the middle of it. Then half a line is added, as a power cut leaves it. The next
 * one who opens the session finds every acknowledged entry, and goes on writing.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { checkSession, createJsonlStore, Session } from "branchline";
import { temporaryFolder } from "./folders.ts";
import { heading, row } from "./print.ts";

/** Entries that are acknowledged before the kill. */
const ACKNOWLEDGED = 200;

async function write(root: string, id: string): Promise<void> {
  const store = createJsonlStore({ root });
  const session = await Session.attach(await store.open(id));
  for (let count = 1; ; count++) {
    const content = `entry ${count} ${"x".repeat(count % 3000)}`;
    const [entry] = await session.append({ type: "message", message: { role: "user", content } });
    process.stdout.write(`${entry?.id}\n`);
  }
}

async function killedWriter(root: string, id: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, root, id], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(line);
    if (acknowledged.length === ACKNOWLEDGED) child.kill("SIGKILL");
  }
  return acknowledged;
}

async function demo(): Promise<void> {
  using place = temporaryFolder();
  const { folder: root } = place;
  await using store = createJsonlStore({ root });
  const made = await store.create({ cwd: "/demo" });
  const { id, file } = made;
  await made.close();

  heading("A writer, killed with SIGKILL");
  const acknowledged = await killedWriter(root, id);
  row("acknowledged", acknowledged.length);
  appendFileSync(file ?? "", '{"type":"message","id":"half a li');
  row("added", "half a line, as a power cut leaves it");

  heading("Opened again");
  await using session = await Session.attach(await store.open(id));
  const lost = acknowledged.filter((entry) => !session.tree.has(entry));
  row("entries in the file", session.tree.size);
  row("acknowledged and lost", lost.length);
  const [next] = await session.append({
    type: "message",
    message: { role: "user", content: "and on it goes" },
  });
  row("the next append", next?.id ?? "FAILED");
  const { problems } = await checkSession(session.store);
  for (const { code, line } of problems)
    row("fsck", `${code} in line ${line}: the half one, sealed`);
  if (lost.length > 0 || next === undefined || problems.length > 1) process.exitCode = 1;
}

const [, , root, id] = process.argv;
if (root !== undefined && id !== undefined) await write(root, id);
else await demo();
