import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { refused } from "../testing/expect.ts";
import { createJsonlStore } from "./jsonl-store.ts";
import { say, textsOf } from "./testing/memory-fixture.ts";

const PROGRAM = join(import.meta.dirname, "testing", "append-process.ts");

interface Acknowledged {
  readonly id: string;
  readonly ms: number;
}

/** A process and the lines that it says. */
class Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(context: TestContext, args: readonly string[]) {
    this.process = spawn(process.execPath, [
      "--disable-warning=ExperimentalWarning",
      PROGRAM,
      ...args,
    ]);
    context.after(() => this.process.kill("SIGKILL"));
    this.#lines = createInterface(this.process.stdout)[Symbol.asyncIterator]();
  }

  async line(): Promise<string | null> {
    const { value, done } = await this.#lines.next();
    return done === true ? null : value;
  }

  /** Everything that it acknowledges until it ends. */
  async acknowledged(): Promise<Acknowledged[]> {
    const all: Acknowledged[] = [];
    for (let line = await this.line(); line !== null; line = await this.line()) {
      all.push(JSON.parse(line) as Acknowledged);
    }
    return all;
  }

  async kill(): Promise<void> {
    const exit = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await exit;
  }
}

async function newFile(context: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "branchline-processes-"));
  context.after(() => rm(root, { recursive: true }));
  await using store = createJsonlStore({ root });
  await using session = await store.create({ id: "s", cwd: "/p" });
  return session.file as string;
}

test("4 processes append 50 entries each: one chain, every acknowledged entry once (P6, rows 32, 33, F020)", async (context) => {
  const file = await newFile(context);
  const children = ["a", "b", "c", "d"].map(
    (name) => new Child(context, ["append", file, name, "50"]),
  );
  for (const child of children) assert.equal(await child.line(), "ready");
  for (const child of children) child.process.stdin.write("go\n");
  const acknowledged = (await Promise.all(children.map((child) => child.acknowledged()))).flat();
  assert.equal(acknowledged.length, 200);
  await using store = createJsonlStore({ root: "/nonexistent" });
  await using session = await store.openFile(file);
  assert.deepEqual(session.problems, []);
  assert.equal(session.tree.size, 200);
  const path = session.tree.path(session.tree.leaf()).map(({ id }) => id);
  assert.deepEqual(path.toSorted(), acknowledged.map(({ id }) => id).sort());
  assert.equal(new Set(await textsOf(session)).size, 200);
  const longest = Math.max(...acknowledged.map(({ ms }) => ms));
  context.diagnostic(`longest append: ${longest.toFixed(0)} ms`);
});

test("a process that dies while it holds the lock stops nobody (P6, F025, F037)", async (context) => {
  const file = await newFile(context);
  const holder = new Child(context, ["hold", file]);
  assert.equal(await holder.line(), "held");
  await using store = createJsonlStore({ root: "/nonexistent" });
  await using session = await store.openFile(file);
  const commit = session.commit({ entries: [say("after")] });
  const start = performance.now();
  await holder.kill();
  await commit;
  const waited = performance.now() - start;
  assert.ok(waited < 1000, `${waited} ms`);
});

test("kill -9 of a process that runs frees its branch at once; its owner is named until then (P6, F025)", async (context) => {
  const file = await newFile(context);
  const runner = new Child(context, ["run", file]);
  assert.equal(await runner.line(), "held");
  await using store = createJsonlStore({ root: "/nonexistent" });
  await using session = await store.openFile(file);
  const { fields } = await refused("RUN_ACTIVE", () => session.lockRun("main"));
  assert.equal(fields.owner?.pid, runner.process.pid);
  await session.commit({ entries: [say("meanwhile")] });
  await runner.kill();
  // No time has to pass: the first try gets it.
  const lock = await session.lockRun("main");
  for (const name of await readdir(dirname(file))) {
    assert.equal((await stat(join(dirname(file), name))).mode & 0o777, 0o600, name);
  }
  await lock.release();
});

test("killed at any moment: every acknowledged entry is there, the next append goes on (P4, F001)", async (context) => {
  const file = await newFile(context);
  const acknowledged: string[] = [];
  for (let round = 0; round < 5; round++) {
    const child = new Child(context, ["append", file, `r${round}`, "100000"]);
    assert.equal(await child.line(), "ready");
    child.process.stdin.write("go\n");
    for (let n = 0; n < 3 + round; n++) {
      acknowledged.push((JSON.parse((await child.line()) ?? "{}") as Acknowledged).id);
    }
    await child.kill();
  }
  await using store = createJsonlStore({ root: "/nonexistent" });
  await using session = await store.openFile(file);
  await session.commit({ entries: [say("end")] });
  const path = new Set(session.tree.path(session.tree.leaf()).map(({ id }) => id));
  assert.ok(acknowledged.every((id) => path.has(id)));
  assert.equal(path.size, session.tree.size);
  assert.deepEqual(session.problems, []);
  for (const line of (await readFile(file, "utf8")).trimEnd().split("\n")) JSON.parse(line);
});
