/** Faults of durability and concurrency that were seen in the field, each with what is right instead. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError, type ErrorCode } from "../../src/errors.ts";
import type { Clock } from "../../src/io/clock.ts";
import { forkSession } from "../../src/session/fork.ts";
import { Session } from "../../src/session/session.ts";
import type { JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import {
  MemoryMachine,
  piHeader,
  piLine,
  say,
  textsOf,
} from "../../src/store/jsonl/testing/memory-fixture.ts";
import type { SessionSummary } from "../../src/store/store.ts";

const PATH = "/data/s.jsonl";

function machineWith(content: string): MemoryMachine {
  const machine = new MemoryMachine();
  machine.fs.place("/data", "directory");
  machine.fs.place(PATH, "file", content);
  return machine;
}

const fails =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    BranchlineError.is(error, code);

async function rowsOf(store: JsonlStore): Promise<SessionSummary[]> {
  const rows: SessionSummary[] = [];
  for await (const row of store.list()) rows.push(row);
  return rows;
}

test("F005: a block of NUL bytes costs nothing but itself; the session is listed and read on", async () => {
  const lines = [piLine("a", null, "one"), piLine("b", "a", "two"), piLine("c", "b", "three")];
  const machine = machineWith(
    `${piHeader("s")}${lines[0]}${"\0".repeat(4096)}${lines[1]}${lines[2]}`,
  );
  await using store = machine.store();
  await using session = await store.open("s");
  assert.deepEqual(await textsOf(session), ["one", "two", "three"]);
  assert.deepEqual(
    session.problems.map(({ code }) => code),
    ["LINE_NUL"],
  );
  assert.deepEqual(
    (await rowsOf(store)).map(({ messages }) => messages),
    [3],
  );
});

test("F006: whatever a text holds, its record is one line that parses alone", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store();
  await using session = await store.create({ id: "s", cwd: "/p" });
  const texts = ["a\nb", "a\r\nb", "\u2028\u2029", "\u0085\v\f", '{"type":"message"}\n{', "\0"];
  for (const text of texts) await session.commit({ entries: [say(text)] });
  const lines = machine.fs
    .text(session.file ?? "")
    .trimEnd()
    .split("\n");
  assert.equal(lines.length, texts.length + 1);
  for (const line of lines) assert.equal(typeof JSON.parse(line), "object");
  await using again = await store.open("s");
  assert.deepEqual(await textsOf(again), texts);
});

test("F006: a record that another program split with raw newlines hides only itself", async () => {
  const torn = piLine("b", "a", "two").replace("two", "tw\no");
  const machine = machineWith(
    `${piHeader("s")}${piLine("a", null, "one")}${torn}${piLine("c", "b", "three")}`,
  );
  await using store = machine.store();
  await using session = await store.open("s");
  assert.deepEqual(await textsOf(session), ["one", "three"]);
  assert.equal(session.tree.get("c")?.gap !== null, true);
});

test("F007: U+2028 and U+2029 end no line, neither for open nor for list (M13)", async () => {
  const text = "before\u2028behind\u2029end";
  const machine = machineWith(
    `${piHeader("s")}${piLine("a", null, text)}${piLine("b", "a", "two")}`,
  );
  await using store = machine.store();
  await using session = await store.open("s");
  assert.deepEqual(await textsOf(session), [text, "two"]);
  const [row] = await rowsOf(store);
  assert.equal(row?.messages, 2);
});

test("F012: what is acknowledged is on stable storage before the next step begins (P1)", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store();
  await using session = await store.create({ id: "s", cwd: "/p" });
  const path = session.file ?? "";
  for (const text of ["one", "two", "three"]) {
    const from = machine.fs.ops.length;
    await session.commit({ entries: [say(text)] });
    const done = machine.fs.ops.slice(from).filter((op) => op.path === path);
    const written = done.findIndex(({ operation }) => operation === "write");
    const synced = done.findLastIndex(({ operation }) => operation === "datasync");
    assert.ok(written >= 0 && synced > written, `${text} was told before it was synced`);
  }
});

test("F018: order comes from the log alone: a clock that goes back changes nothing", async () => {
  const machine = new MemoryMachine();
  let now = 1_700_000_000_000;
  const clock: Clock = {
    now: () => now,
    monotonic: () => machine.clock.monotonic(),
    sleep: (ms, signal) => machine.clock.sleep(ms, signal),
    schedule: (ms, callback) => machine.clock.schedule(ms, callback),
  };
  await using store = machine.store({ clock });
  await using session = await store.create({ id: "s", cwd: "/p" });
  for (const text of ["one", "two", "three"]) {
    await session.commit({ entries: [say(text)] });
    now -= 3_600_000;
  }
  await using again = await store.open("s");
  assert.deepEqual(await textsOf(again), ["one", "two", "three"]);
  assert.equal(again.tree.leaf(), session.tree.leaf());
});

test("F019: commits that are under way at once are written in the order of the calls, each whole", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store();
  await using session = await store.create({ id: "s", cwd: "/p" });
  const texts = Array.from({ length: 20 }, (_, at) => `${at}`);
  const results = await Promise.all(
    texts.map((text) => session.commit({ entries: [say(text), say(`${text}b`)] })),
  );
  const expected = texts.flatMap((text) => [text, `${text}b`]);
  assert.deepEqual(await textsOf(session), expected);
  const ids = results.flatMap(({ entries }) => entries.map(({ id }) => id));
  assert.deepEqual(
    ids,
    session.tree.path(session.tree.leaf()).map(({ id }) => id),
  );
});

test("F027: opening twice makes no session; a fork is one, and names where it comes from", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store();
  await using session = await Session.attach(await store.create({ id: "s", cwd: "/p" }));
  await session.append(say("one"));
  await (await store.open("s")).close();
  assert.equal((await rowsOf(store)).length, 1);
  await using fork = await forkSession({ from: session, at: session.leaf, store });
  assert.equal(fork.header.parentSession, session.file);
  assert.equal((await rowsOf(store)).length, 2);
});

test("F029: two that replace one file at once use a temporary file each, and neither is left", async () => {
  const machine = new MemoryMachine();
  await using one = machine.store();
  await using two = machine.store();
  const changes = Array.from({ length: 10 }, (_, at) => at);
  const work = changes.flatMap((at) => [
    one.values.set({ resource: "r" }, `one${at}`, at),
    two.values.set({ resource: "r" }, `two${at}`, at),
  ]);
  await machine.run(Promise.all(work));
  const made = machine.fs.ops
    .filter(
      ({ operation, mode, path }) =>
        operation === "open" && mode === "create" && path.endsWith(".tmp"),
    )
    .map(({ path }) => path);
  assert.equal(new Set(made).size, made.length);
  assert.deepEqual(
    machine.fs.paths().filter((path) => path.endsWith(".tmp")),
    [],
  );
});

test("F038: values that two processes set at the same time are both there", async () => {
  const machine = new MemoryMachine();
  await using one = machine.store();
  await using two = machine.store();
  const sets = [one, two].flatMap((store, who) =>
    Array.from({ length: 10 }, (_, at) => store.values.set({ resource: "r" }, `${who}-${at}`, at)),
  );
  await machine.run(Promise.all(sets));
  assert.equal((await one.values.keys({ resource: "r" })).length, 20);
});

test("F039: a lock that is busy for a while costs a wait, not the turn", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store();
  await using session = await store.create({ id: "s", cwd: "/p" });
  const other = machine.lock(session.file ?? "");
  await other.acquire();
  const commit = session.commit({ entries: [say("waited for")] });
  for (let tick = 0; tick < 50; tick++) {
    await new Promise((resolve) => setImmediate(resolve));
    machine.clock.advance(10);
  }
  assert.deepEqual(await textsOf(session), []);
  await other.close();
  await machine.run(commit);
  assert.deepEqual(await textsOf(session), ["waited for"]);
});

test("F103: a wrong id is an error, and no session is started in its place", async () => {
  const machine = machineWith(`${piHeader("s")}${piLine("a", null, "one")}`);
  await using store = machine.store();
  await assert.rejects(store.open("other"), fails("SESSION_UNKNOWN"));
  await assert.rejects(store.openFile("/data/none.jsonl"), fails("SESSION_UNKNOWN"));
  machine.fs.place("/data/notes.jsonl", "file", "no session\n");
  await assert.rejects(store.openFile("/data/notes.jsonl"), fails("SESSION_INVALID"));
  assert.equal((await rowsOf(store)).length, 1);
});

test("F115: what is stored is data: keys of objects and of values are never code, nor part of a query", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store();
  await using session = await store.create({ id: "s", cwd: "/p" });
  const data = JSON.parse(
    '{"lc":2,"type":"constructor","id":["os","system"],"__proto__":{"polluted":1},"toJSON":"x","then":"y","$where":"1"}',
  );
  await session.commit({ entries: [{ type: "custom", customType: "x", data }] });
  await using again = await store.open("s");
  const [entry] = await again.last(1);
  assert.deepEqual((entry as { data?: unknown }).data, data);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  const keys = ["a' OR 1=1 --", '"; DROP TABLE x', "$.a[0]", "../up"];
  for (const key of keys) await store.values.set({ resource: "r" }, key, key);
  assert.deepEqual([...(await store.values.keys({ resource: "r" }))].sort(), [...keys].sort());
});

test("P01: a write that fails leaves memory as the disk is; the next append hangs under what is there (F009)", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store();
  await using session = await store.create({ id: "s", cwd: "/p" });
  const [first] = (await session.commit({ entries: [say("one")] })).entries;
  machine.fs.failNext("write", { errno: "ENOSPC", partialBytes: 5 });
  await assert.rejects(session.commit({ entries: [say("lost")] }), fails("IO_FAILED"));
  assert.equal(session.tree.leaf(), first?.id);
  const [next] = (await session.commit({ entries: [say("two")] })).entries;
  assert.equal(next?.parentId, first?.id);
  await using again = await store.open("s");
  assert.deepEqual(await textsOf(again), ["one", "two"]);
  assert.deepEqual(again.problems, []);
});

test("P02: the first message of a person is on disk before there is any answer", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store();
  const session = await store.create({ id: "s", cwd: "/p" });
  await session.commit({ entries: [say("asked")] });
  await using other = machine.copy().store();
  await using read = await other.open("s");
  assert.deepEqual(await textsOf(read), ["asked"]);
  await session.close();
});

test("P03: an append behind a last line without newline damages neither", async () => {
  const machine = machineWith(`${piHeader("s")}${piLine("a", null, "one")}`.trimEnd());
  await using store = machine.store();
  await using session = await store.open("s");
  await session.commit({ entries: [say("two")] });
  await using again = await store.open("s");
  assert.deepEqual(await textsOf(again), ["one", "two"]);
  assert.deepEqual(again.problems, []);
});

test("P04: a fork that fails half way leaves no file", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store();
  await using session = await Session.attach(await store.create({ id: "s", cwd: "/p" }));
  await session.append(say("one"));
  machine.fs.failNext("write", { errno: "ENOSPC", partialBytes: 20 });
  const fork = forkSession({ from: session, at: session.leaf, store });
  await assert.rejects(fork, fails("IO_FAILED"));
  const files = machine.fs.paths().filter((path) => /\.(jsonl|tmp)$/.test(path));
  assert.deepEqual(files, [session.file]);
});

test("P05: a file that is no session is refused and not touched", async () => {
  const machine = machineWith("# notes\n");
  await using store = machine.store();
  await assert.rejects(store.openFile(PATH), fails("SESSION_INVALID"));
  assert.equal(machine.fs.text(PATH), "# notes\n");
});
