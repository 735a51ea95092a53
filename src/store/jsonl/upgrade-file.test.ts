import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation } from "../../io/testing/fault-plan.ts";
import { refused } from "../testing/expect.ts";
import { MemoryMachine, pathOf, piHeader, piLine, say, textsOf } from "./testing/memory-fixture.ts";

const FOLDER = "/data/sessions/--p--";
const FILE = `${FOLDER}/t_old.jsonl`;

/** A v1 line: no id, no parent. */
function v1Line(text: string): string {
  const timestamp = "2025-01-02T03:04:05.678Z";
  return `${JSON.stringify({ type: "message", timestamp, message: { role: "user", content: text } })}\n`;
}

const V1 = piHeader("old", undefined).replace(',"version":3', "") + v1Line("one") + v1Line("two");

async function machineWith(content: string): Promise<MemoryMachine> {
  const machine = new MemoryMachine();
  await machine.fs.makeDirectory(FOLDER);
  machine.fs.place(FILE, "file", content);
  return machine;
}

test("opening an old file changes nothing; the first write upgrades it, the original stays (M18, row 42)", async () => {
  const machine = await machineWith(V1);
  const { fs } = machine;
  const { ino } = (await fs.stat(FILE)) ?? {};
  await using store = machine.store();
  const session = await store.openFile(FILE);
  const ids = [...session.tree.entries()].map(({ id }) => id);
  assert.equal(fs.text(FILE), V1);
  const { entries } = await session.commit({ entries: [say("three")] });
  assert.equal(fs.text(`${FILE}.v1.bak`), V1);
  assert.equal((await fs.stat(`${FILE}.v1.bak`))?.ino, ino);
  assert.deepEqual(
    [...session.tree.entries()].map(({ id }) => id),
    [...ids, entries[0]?.id],
  );
  assert.deepEqual(await pathOf(session), ["one", "two", "three"]);
  assert.match(fs.text(FILE), /^\{"type":"session".*"version":3,/);
  await session.commit({ entries: [say("four")] });
  await using again = await machine.store().openFile(FILE);
  assert.deepEqual(again.problems, []);
  assert.deepEqual(await pathOf(again), ["one", "two", "three", "four"]);
  assert.equal(fs.paths().filter((path) => path.endsWith(".bak")).length, 1);
});

test("a v2 file keeps what cannot be read, byte for byte; glued records become lines (F003)", async () => {
  const glued = piLine("a2", "a1", "two").slice(0, -1) + piLine("a3", "a2", "three");
  const hook = piLine("a4", "a3", "four").replace('"user"', '"hookMessage"');
  const damaged = `{"type":"message","id":"a5","parentId":"a4","mess\n`;
  const foreign = '{"type":"message","id":"a7","par';
  const v2 =
    `\n${piHeader("old", 2)}${piLine("a1", null, "one")}${glued}\r\n${hook}${damaged}` +
    `${piLine("a6", "a5", "six")}${foreign}`;
  const machine = await machineWith(v2);
  await using store = machine.store();
  const session = await store.openFile(FILE);
  const gaps = [...session.tree.entries()].map(({ gap }) => gap);
  await session.commit({ entries: [say("seven"), say("eight")], key: "k" });
  const lines = machine.fs.text(FILE).split(/(?<=\n)/);
  assert.ok(lines.includes(damaged));
  assert.ok(lines.includes(`${foreign}\n`));
  assert.ok(lines.includes("\r\n"));
  await using again = await machine.store().openFile(FILE);
  assert.deepEqual(await textsOf(again), ["one", "two", "three", "four", "six", "seven", "eight"]);
  assert.deepEqual([...again.tree.entries()].map(({ gap }) => gap).slice(0, -2), gaps);
  assert.ok([...again.problems].every(({ code }) => code === "LINE_NOT_JSON"));
  assert.equal(
    (await machine.run(again.commit({ entries: [say("seven"), say("eight")], key: "k" }))).replayed,
    true,
  );
});

test("a last record without its newline, or a header far down, is upgraded too", async () => {
  const padding = `${" ".repeat(1_100_000)}\n`;
  for (const [content, expected] of [
    [V1.slice(0, -1), ["one", "two", "x"]],
    [padding + piHeader("old", 2) + piLine("a1", null, "one"), ["one", "x"]],
  ] as const) {
    const machine = await machineWith(content);
    await using store = machine.store();
    const session = await store.openFile(FILE);
    await session.commit({ entries: [say("x")] });
    assert.deepEqual(await textsOf(session), expected);
    await using again = await machine.store().openFile(FILE);
    assert.deepEqual(await textsOf(again), expected);
  }
});

test("a refused commit upgrades nothing (P5)", async () => {
  const machine = await machineWith(V1);
  await using store = machine.store();
  const session = await store.openFile(FILE);
  await refused("STORE_CONFLICT", () =>
    session.commit({ entries: [say("x")], expectedLeaf: null }),
  );
  await refused("ABORTED", () =>
    session.commit({ entries: [say("x")], signal: AbortSignal.abort() }),
  );
  assert.equal(machine.fs.text(FILE), V1);
  assert.deepEqual(
    machine.fs.paths().filter((path) => path.startsWith(FILE)),
    [FILE],
  );
});

const STEPS: readonly Operation[] = [
  "stat",
  "lstat",
  "link",
  "open",
  "read",
  "write",
  "sync",
  "rename",
];

test("the upgrade fails or the process dies before the rename: the original is there (M18, row 42, F010)", async () => {
  for (const operation of STEPS) {
    let failed = 0;
    for (let after = 0; after < 12; after++) {
      const machine = await machineWith(V1);
      const { fs } = machine;
      await using store = machine.store();
      const session = await store.openFile(FILE);
      fs.failNext(operation, { errno: "ENOSPC", after });
      const commit = (): Promise<unknown> => session.commit({ entries: [say("x")], key: "k" });
      const error = await commit().catch((refusal: unknown) => refusal as { code?: string });
      if (error !== undefined && (error as { code?: string }).code === "IO_FAILED") {
        failed++;
        assert.equal(fs.text(FILE), V1, `${operation} ${after}`);
        assert.deepEqual(await textsOf(session), ["one", "two"]);
        // The fault is spent, so that the same handle goes on.
        await commit();
      }
      const fresh = machine.copy();
      await using again = await fresh.store().openFile(FILE);
      assert.deepEqual(await textsOf(again), ["one", "two", "x"], `${operation} ${after}`);
      assert.equal(fresh.fs.text(`${FILE}.v1.bak`), V1);
    }
    assert.ok(failed > 0, operation);
  }
});

test("the last step fails: unknown, and the retry finds the entries (P5)", async () => {
  for (const [operation, after] of [
    ["syncDirectory", 1],
    ["realpath", 0],
  ] as const) {
    const machine = await machineWith(V1);
    await using store = machine.store();
    const session = await store.openFile(FILE);
    machine.fs.failNext(operation, { errno: "EIO", after });
    await refused("APPEND_UNKNOWN", () => session.commit({ entries: [say("x")], key: "k" }));
    await refused("STORE_CLOSED", () => session.commit({ entries: [say("y")] }));
    await session.close();
    await using again = await machine.store().openFile(FILE);
    assert.equal((await again.commit({ entries: [say("x")], key: "k" })).replayed, true);
  }
});

test("an earlier backup of another file is never overwritten", async () => {
  const machine = await machineWith(V1);
  machine.fs.place(`${FILE}.v1.bak`, "file", "precious");
  await using store = machine.store();
  await (await store.openFile(FILE)).commit({ entries: [say("x")] });
  assert.equal(machine.fs.text(`${FILE}.v1.bak`), "precious");
  assert.equal(machine.fs.text(`${FILE}.v1~1.bak`), V1);
});

test("a file system without links keeps a copy, unless the file changes meanwhile", async () => {
  const machine = await machineWith(V1);
  const { fs } = machine;
  await using store = machine.store();
  const session = await store.openFile(FILE);
  fs.failNext("link", { errno: "EPERM", times: 3 });
  const pause = fs.pauseNext("rename", `${FILE}.v1.bak`);
  const commit = session.commit({ entries: [say("x")] });
  await pause.reached;
  pause.resume();
  await commit;
  assert.equal(fs.text(`${FILE}.v1.bak`), V1);
});

test("what Pi adds during the upgrade is not lost (F023)", async () => {
  for (const operation of ["link", "rename", "write"] as const) {
    const machine = await machineWith(V1);
    const { fs } = machine;
    await using store = machine.store();
    const session = await store.openFile(FILE);
    const pause = fs.pauseNext(operation);
    const commit = session.commit({ entries: [say("x")] });
    await Promise.race([pause.reached, commit]);
    fs.appendForeign(FILE, v1Line("pi"));
    pause.resume();
    await commit.catch(() => session.commit({ entries: [say("x")] }));
    const all = [FILE, `${FILE}.v1.bak`].map((path) => fs.text(path)).join("");
    assert.ok(all.includes('"pi"'), operation);
  }
});

test("added lines between the read and the upgrade are refused, then taken in", async () => {
  const machine = await machineWith(V1);
  const { fs } = machine;
  await using store = machine.store();
  const session = await store.openFile(FILE);
  // The first stat belongs to the check, the second to the upgrade.
  const check = fs.pauseNext("stat", FILE);
  const upgrade = fs.pauseNext("stat", FILE);
  const commit = session.commit({ entries: [say("x")] });
  check.resume();
  await upgrade.reached;
  fs.appendForeign(FILE, v1Line("pi"));
  upgrade.resume();
  await refused("FILE_REPLACED", () => commit);
  await session.commit({ entries: [say("x")] });
  assert.deepEqual(await textsOf(session), ["one", "two", "pi", "x"]);
});

test("two processes with an old file open go on with the same ids (row 35)", async () => {
  const machine = await machineWith(V1);
  await using one = await machine.store().openFile(FILE);
  await using two = await machine.store().openFile(FILE);
  const leaf = two.tree.leaf();
  await machine.run(one.commit({ entries: [say("from one")] }));
  await machine.run(two.commit({ entries: [say("from two")] }));
  await one.refresh();
  assert.ok(one.tree.has(leaf ?? ""));
  assert.deepEqual(await pathOf(one), ["one", "two", "from one", "from two"]);
});

test("a file that was replaced by something else than its upgrade gives the handle up (F011)", async () => {
  const v3 = piHeader("old") + piLine("a1", null, "one");
  for (const other of [
    "no session",
    V1,
    v3.replace('"old"', '"new"'),
    v3.replace('"a1"', '"a9"'),
  ]) {
    const machine = await machineWith(piHeader("old", 2) + piLine("a1", null, "one"));
    await using session = await machine.store().openFile(FILE);
    machine.fs.place(FILE, "file", other);
    await refused("FILE_REPLACED", () => session.refresh());
    await refused("FILE_REPLACED", () => session.commit({ entries: [say("x")] }));
    assert.equal(machine.fs.text(FILE), other);
  }
});
