import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoreSession } from "../store.ts";
import { READING_LIMITS, type ReadingLimits } from "./environment.ts";
import { MemoryMachine, pathOf, piHeader, piLine, say, textsOf } from "./testing/memory-fixture.ts";

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

test("payloads of older formats stay in memory: an upgrade writes all of them", async () => {
  const old = { type: "message", timestamp: "t", message: { role: "user", content: "A" } };
  const lines = [JSON.stringify(old), piLine("a", null, "A").trimEnd()];
  for (const [at, line] of lines.entries()) {
    const machine = new MemoryMachine();
    machine.fs.place("/data", "directory");
    const header = piHeader("old", at + 1);
    machine.fs.place("/data/old.jsonl", "file", `${header}${line}\n`);
    await using store = machine.store({ reading: NOTHING });
    await using session = await store.openFile("/data/old.jsonl");
    await session.refresh();
    assert.deepEqual(await textsOf(session), ["A"]);
    await session.commit({ entries: [say("B")] });
    await session.refresh();
    assert.deepEqual(await textsOf(session), ["A", "B"]);
  }
});

/** Texts that a follower of the session is told, until it ends; closes the session. */
async function toldTo(session: StoreSession, work: () => Promise<void>): Promise<string[]> {
  const told: string[] = [];
  const following = (async () => {
    for await (const event of session.follow()) {
      if (event.type !== "entries") continue;
      for (const { message } of event.entries as readonly { message?: { content: string } }[])
        told.push(message?.content ?? "?");
    }
  })();
  await work();
  await session.close();
  await following;
  return told;
}

test("entries that share a line stay in memory, in a linked session too, and replays give them (P2)", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store({ reading: NOTHING });
  await using from = await store.create({ cwd: "/x" });
  await from.commit({ entries: [say("A"), say("B")] });
  const at = from.tree.leaf() as string;
  const made = await store.create({ cwd: "/x", link: { from, at } });
  const { entries } = await made.commit({ entries: [say("C")], key: "k" });
  const file = made.file as string;
  await made.close();
  machine.fs.place(file, "file", machine.fs.text(file).trimEnd() + piLine("d", at, "D"));
  await using session = await store.openFile(file);
  await session.refresh();
  assert.deepEqual(await textsOf(session), ["A", "B", "C", "D"]);
  const again = await machine.run(session.commit({ entries: [say("C")], key: "k" }));
  assert.deepEqual(again, { entries, replayed: true });
});

test("where a line was changed in place, the rest of a linked session is read, and told (F032)", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store({ reading: NOTHING });
  await using from = await store.create({ cwd: "/x" });
  await from.commit({ entries: [say("A")] });
  const at = from.tree.leaf() as string;
  const made = await store.create({ cwd: "/x", link: { from, at } });
  const [old] = (await made.commit({ entries: [say("old".repeat(99))] })).entries;
  const file = made.file as string;
  await made.close();
  const text = machine.fs.text(file);
  const place = machine.fs.place(file, "file", text);
  await using session = await store.openFile(file);
  await session.refresh();
  const told = await toldTo(session, async () => {
    place.resize(0);
    place.append(Buffer.from(text.replace('"oldold', "'oldold") + piLine("c", at, "C")));
    assert.equal(await session.get(old?.id ?? ""), undefined);
    assert.deepEqual(await textsOf(session), ["A", "C"]);
    await session.refresh();
  });
  assert.deepEqual(told, ["C"]);
});

test("a follower is told each entry once, whatever read fails on the way", async () => {
  const long = (text: string): string => text.repeat(600_000);
  for (let number = 1; number <= 8; number++) {
    const machine = new MemoryMachine();
    await using store = machine.store({ reading: NOTHING });
    await using session = await store.create({ cwd: "/x" });
    const file = session.file as string;
    const told = await toldTo(session, async () => {
      const lines = ["a", "b", "c"].map((id) => piLine(id, null, long(id)));
      machine.fs.appendForeign(file, lines.join(""));
      machine.fs.failOperation(number, { errno: "EIO" });
      for (let time = 0; time < 3; time++) await session.refresh().catch(() => null);
    });
    assert.deepEqual(told, ["a", "b", "c"].map(long), `operation ${number}`);
  }
});
