import assert from "node:assert/strict";
import { test } from "node:test";
import { READING_LIMITS, type ReadingLimits } from "./environment.ts";
import { MemoryMachine, pathOf, say, textsOf } from "./testing/memory-fixture.ts";

const NOTHING: ReadingLimits = { ...READING_LIMITS, kept: 0 };

/** Appends three entries beside another writer and reads one of them; gives how often files were asked for it. */
async function readsOfOld(reading: ReadingLimits): Promise<number> {
  const machine = new MemoryMachine();
  await using store = machine.store({ reading });
  await using session = await store.create({ cwd: "/x" });
  await using other = await machine.store().open(session.id);
  const told: number[] = [];
  const following = (async () => {
    for await (const event of session.follow())
      if (event.type === "entries") told.push(event.entries.length);
  })();
  const { entries } = await session.commit({ entries: [say("A"), say("B")], key: "k" });
  const { entries: third } = await machine.run(session.commit({ entries: [say("C")] }));
  await machine.run(other.commit({ entries: [say("D")] }));
  await session.refresh();
  const again = session.commit({ entries: [say("A"), say("B")], key: "k" });
  const replayed = await machine.run(again);
  assert.deepEqual(replayed, { entries, replayed: true });
  await machine.run(session.commit({ entries: [say("E")] }));
  const before = machine.fs.operations;
  assert.deepEqual(await session.get(third[0]?.id ?? ""), third[0]);
  const reads = machine.fs.operations - before;
  assert.deepEqual(await textsOf(session), ["A", "B", "C", "D", "E"]);
  assert.deepEqual(await pathOf(session), ["A", "B", "C", "D", "E"]);
  await session.close();
  await following;
  assert.deepEqual(told, [2, 1, 1, 1]);
  return reads;
}

test("a writer holds no copy of its history: what it let go of is read again when it is asked for", async () => {
  assert.equal(await readsOfOld(READING_LIMITS), 0);
  assert.equal(await readsOfOld(NOTHING), 1);
});

test("payloads of older formats stay in memory: their lines are not what they are read as", async () => {
  const machine = new MemoryMachine();
  const header = JSON.stringify({ type: "session", id: "old", timestamp: "t", cwd: "/x" });
  const message = { role: "user", content: "A" };
  const line = JSON.stringify({ type: "message", timestamp: "t", message });
  machine.fs.place("/data", "directory");
  machine.fs.place("/data/old.jsonl", "file", `${header}\n${line}\n`);
  await using store = machine.store({ reading: NOTHING });
  await using session = await store.openFile("/data/old.jsonl");
  await session.refresh();
  assert.deepEqual(await textsOf(session), ["A"]);
  await session.commit({ entries: [say("B")] });
  await session.refresh();
  assert.deepEqual(await textsOf(session), ["A", "B"]);
});
