/**
 * `npm run demo:07`: two writers. Two processes append to one session at the same time: one chain comes of it,
 * nobody's entry is lost. Then another program, which asks nobody, adds a line under an entry that it read
 * long ago: it becomes a branch beside ours, and everybody who listens is told.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createJsonlStore, Session } from "branchline";
import { temporaryFolder } from "./folders.ts";
import { heading, row } from "./print.ts";

/** Entries of each of the two processes. */
const EACH = 200;

async function write(root: string, id: string, name: string): Promise<void> {
  await using store = createJsonlStore({ root });
  await using session = await Session.attach(await store.open(id));
  for (let count = 1; count <= EACH; count++) {
    const content = `${name} ${count}`;
    await session.append({ type: "message", message: { role: "user", content } });
  }
}

function writer(root: string, id: string, name: string): Promise<number | null> {
  const args = [...process.execArgv, import.meta.filename, root, id, name];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  return new Promise((resolve) => child.once("exit", resolve));
}

/** Turns from one writer to the other along the path: they really ran at once. */
async function turns(session: Session): Promise<number> {
  const { messages } = await session.context();
  const names = messages.map((message) => String(Object(message).content).split(" ")[0]);
  return names.filter((name, at) => at > 0 && name !== names[at - 1]).length;
}

async function demo(): Promise<void> {
  using place = temporaryFolder();
  const { folder: root } = place;
  await using store = createJsonlStore({ root });
  const made = await store.create({ cwd: "/demo" });
  const { id, file } = made;
  await made.close();

  heading(`Two processes append ${EACH} entries each`);
  const codes = await Promise.all([writer(root, id, "one"), writer(root, id, "two")]);
  await using session = await Session.attach(await store.open(id));
  const { length } = session.tree.path(session.leaf);
  row("ended with", codes.join(" and "));
  row("entries", session.tree.size);
  row("on one path", length);
  row("turns between them", await turns(session));

  heading("A program that asks nobody writes under an old entry");
  const [first] = session.tree.path(session.leaf);
  const stop = new AbortController();
  const heard = session.follow({ signal: stop.signal })[Symbol.asyncIterator]();
  const message = { role: "user", content: "written beside you", timestamp: Date.now() };
  const entry = {
    type: "message",
    id: "0badcafe",
    parentId: first?.id,
    timestamp: new Date(),
    message,
  };
  appendFileSync(file ?? "", `${JSON.stringify(entry)}\n`);
  await session.refresh();
  let event = await heard.next();
  while (!event.done && event.value.type !== "diverged") event = await heard.next();
  stop.abort();
  row(
    "told",
    event.done
      ? "NOTHING"
      : `diverged at ${event.value.type === "diverged" ? event.value.entryId : ""}`,
  );
  for (const { kind, head, entries } of session.branches())
    row(kind, `${entries} entries to ${head}`);
  const isRight = length === 2 * EACH && session.tree.size === 2 * EACH + 1 && !event.done;
  if (!isRight) process.exitCode = 1;
}

const [, , root, id, name] = process.argv;
if (root !== undefined && id !== undefined && name !== undefined) await write(root, id, name);
else await demo();
