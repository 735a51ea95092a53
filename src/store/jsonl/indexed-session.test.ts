import assert from "node:assert/strict";
import { test } from "node:test";
import { CountingFileSystem } from "../../../test/builders/counting-file-system.ts";
import { DraftBase } from "../../../test/builders/tree-base.ts";
import type { Entry } from "../../entry/entry.ts";
import type { IndexedSession, SessionIndex } from "../../index/session-index.ts";
import { collect, refused } from "../testing/expect.ts";
import { SessionFile } from "./session-file.ts";
import { MemoryMachine, pathOf, piHeader, piLine, say, textsOf } from "./testing/memory-fixture.ts";

const PATH = "/data/s.jsonl";

/** An index that knows a file as it was when it was asked first, and what it was told since. */
class FakeIndex implements Pick<SessionIndex, "session" | "refreshedList" | "distrust"> {
  readonly #machine: MemoryMachine;
  #known: IndexedSession | null = null;
  distrusted: string[] = [];
  complete = true;
  forgotten = false;
  /** Changes what the index says, to say something wrong. */
  wrong: Partial<IndexedSession> = {};

  constructor(machine: MemoryMachine) {
    this.#machine = machine;
  }

  async session(path: string): Promise<IndexedSession | null> {
    if (this.distrusted.includes(path)) return null;
    this.#known ??= await this.#read(path);
    return { ...this.#known, ...this.wrong };
  }

  async refreshedList(): ReturnType<SessionIndex["refreshedList"]> {
    const skipped = [{ path: "/data/odd.jsonl", reason: "odd" }];
    const rows = this.#known === null ? [] : [this.#known.summary];
    return { sessions: 1, scannedBytes: 0, skipped, complete: this.complete, rows };
  }

  async distrust(path: string): Promise<void> {
    this.distrusted.push(path);
  }

  async #read(path: string): Promise<IndexedSession> {
    const { fs } = this.#machine;
    const file = await SessionFile.open(fs, path, { mode: "read" });
    await file.file.close();
    const { header, tree, end: known } = file;
    const stat = await fs.stat(path);
    return {
      path,
      identity: { dev: stat?.dev ?? 0n, ino: stat?.ino ?? 0n },
      known,
      nextLine: tree.size + 2,
      fingerprint: fs.bytes(path).slice(-64),
      header,
      summary: { id: header.id, path, cwd: header.cwd } as IndexedSession["summary"],
      sound: true,
      base: new DraftBase(header.id, file.since(0)),
      placeOf: (id) => file.placeOf(id),
      idsOfKey: (key) => file.idsOfKey(key),
      isAlive: () => !this.forgotten,
    };
  }
}

interface Scene {
  readonly machine: MemoryMachine;
  readonly counting: CountingFileSystem;
  readonly index: FakeIndex;
  readonly store: ReturnType<MemoryMachine["store"]>;
}

async function sceneWith(content: string): Promise<Scene> {
  const machine = new MemoryMachine();
  await machine.fs.makeDirectory("/data");
  machine.fs.place(PATH, "file", Buffer.from(content));
  const index = new FakeIndex(machine);
  const counting = new CountingFileSystem(machine.fs);
  const { fileSystem } = counting;
  const store = machine.store({ index: index as unknown as SessionIndex, fileSystem });
  return { machine, counting, index, store };
}

const CHAIN: string =
  piHeader("s") +
  piLine("p1", null, "one") +
  piLine("p2", "p1", "two") +
  piLine("p3", "p2", "three");

test("an indexed session reads only the lines that are asked for (F116)", async () => {
  const { counting, store } = await sceneWith(CHAIN);
  await using warm = await store.openFile(PATH);
  assert.equal(warm.tree.size, 3);
  const open = await counting.during(() => store.openFile(PATH));
  await using session = open.value;
  // The fingerprint, to compare and to keep it, and a look at the end of the file.
  assert.ok(open.work.bytesRead <= 128, `${open.work.bytesRead} bytes`);
  const first = await counting.during(() => session.mustGet("p2"));
  assert.equal(first.work.bytesRead, piLine("p2", "p1", "two").length - 1);
  assert.ok(Object.isFrozen(first.value));
  const again = await counting.during(() => session.get("p2"));
  assert.equal(again.value, first.value);
  assert.equal(again.work.reads, 0);
  assert.deepEqual(await textsOf(session), ["one", "two", "three"]);
  assert.equal(session.placeOf("p3")?.line, 4);
  assert.equal(session.placeOf("none"), null);
});

test("two questions at once for one entry both read it, and it is kept once", async () => {
  const { counting, store } = await sceneWith(CHAIN);
  await using session = await store.openFile(PATH);
  const asked = () => Promise.all([session.mustGet("p2"), session.mustGet("p2")]);
  const [one, other] = (await counting.during(asked)).value;
  assert.deepEqual(one, other);
  assert.equal((await counting.during(() => session.mustGet("p2"))).work.reads, 0);
});

test("what was written since stands on top, foreign lines and a torn tail too (R10)", async () => {
  const { machine, store } = await sceneWith(CHAIN);
  await using first = await store.openFile(PATH);
  assert.equal(first.tree.size, 3);
  machine.fs.appendForeign(PATH, Buffer.from(`${piLine("p4", "p3", "four")}{"type":"mess`));
  await using session = await store.openFile(PATH);
  assert.deepEqual(
    session.problems.map(({ code, line }) => [code, line]),
    [["TAIL_TORN", 6]],
  );
  const { entries } = await machine.run(session.commit({ entries: [say("five")] }));
  assert.equal(entries[0]?.parentId, "p4");
  assert.deepEqual(await pathOf(session), ["one", "two", "three", "four", "five"]);
  assert.deepEqual(
    (await session.last(2)).map((entry) => entry.id),
    ["p4", entries[0]?.id],
  );
});

test("damage inside a line that the index calls sound: the file is read as a whole (P7)", async () => {
  const { machine, index, store } = await sceneWith(CHAIN);
  await using before = await store.openFile(PATH);
  assert.equal(before.tree.size, 3);
  const bytes = Buffer.from(machine.fs.bytes(PATH));
  bytes[bytes.indexOf('two"}') + 3] = 0x20;
  machine.fs.place(PATH, "file", bytes);
  index.wrong = { identity: (await machine.fs.stat(PATH)) as IndexedSession["identity"] };
  await using session = await store.openFile(PATH);
  assert.equal(session.tree.size, 3);
  const asked = ["p1", "p2", "p2"].map((id) => session.get(id));
  const [one, ...two] = await Promise.all(asked);
  assert.equal(one?.id, "p1");
  assert.deepEqual(two, [undefined, undefined]);
  assert.deepEqual(index.distrusted, [PATH]);
  assert.equal(session.problems[0]?.code, "LINE_NOT_JSON");
  assert.deepEqual(await pathOf(session), ["one", "three"]);
  await refused("ENTRY_UNKNOWN", () => session.mustGet("p2"));
});

test("a replayed key whose entries the file does not hold any more is refused, not made up", async () => {
  const { machine, index, store } = await sceneWith(piHeader("s") + piLine("p1", null, "x"));
  await using writer = await machine.store().openFile(PATH);
  await machine.run(writer.commit({ entries: [say("keyed")], key: "k" }));
  await machine.run(
    writer.commit({ entries: [say("something behind it, longer than a fingerprint")] }),
  );
  await using first = await store.openFile(PATH);
  const replay = await machine.run(first.commit({ entries: [say("keyed")], key: "k" }));
  assert.equal(replay.replayed, true);
  const bytes = Buffer.from(machine.fs.bytes(PATH));
  bytes[bytes.indexOf('keyed"}') + 5] = 0x20;
  machine.fs.place(PATH, "file", bytes);
  index.wrong = { identity: (await machine.fs.stat(PATH)) as IndexedSession["identity"] };
  await using session = await store.openFile(PATH);
  await refused("FILE_REPLACED", () =>
    machine.run(session.commit({ entries: [say("keyed")], key: "k" })),
  );
});

test("what the index says of another file, or of other bytes, does not count (F032)", async () => {
  const { index, store } = await sceneWith(CHAIN);
  for (const wrong of [
    { identity: { dev: 9n, ino: 9n } },
    { fingerprint: new Uint8Array(64) },
    { sound: false, base: null },
  ]) {
    index.wrong = wrong;
    await using session = await store.openFile(PATH, { signal: new AbortController().signal });
    assert.deepEqual(await textsOf(session), ["one", "two", "three"]);
  }
});

test("what the index forgets while a session is open is read from the file: refresh and commit go on", async () => {
  const { machine, index, store } = await sceneWith(CHAIN);
  await using warm = await store.openFile(PATH);
  assert.equal(warm.tree.size, 3);
  await using session = await store.openFile(PATH);
  index.forgotten = true;
  const { entries } = await machine.run(session.commit({ entries: [say("four")] }));
  assert.equal(entries[0]?.parentId, "p3");
  await session.refresh();
  assert.deepEqual(await pathOf(session), ["one", "two", "three", "four"]);
  assert.equal(session.tree.position("p2"), "p2");
});

test("a file that was replaced and forgotten is refused: nothing goes into a stranger's file (F011, F032)", async () => {
  const { machine, index, store } = await sceneWith(CHAIN);
  await using warm = await store.openFile(PATH);
  assert.equal(warm.tree.size, 3);
  await using session = await store.openFile(PATH);
  const stranger = piHeader("other") + piLine("x1", null, "not yours");
  machine.fs.place("/data/other.jsonl", "file", Buffer.from(stranger));
  await machine.fs.rename("/data/other.jsonl", PATH);
  index.forgotten = true;
  await refused("FILE_REPLACED", () => machine.run(session.commit({ entries: [say("four")] })));
  await refused("FILE_REPLACED", () => session.refresh());
  assert.equal(machine.fs.text(PATH), stranger);
  assert.equal(session.id, "s");
});

test("strict and verify read every byte, whatever the index says", async () => {
  const { machine, store } = await sceneWith(CHAIN);
  await using indexed = await store.openFile(PATH);
  assert.equal(indexed.tree.size, 3);
  const bytes = Buffer.from(machine.fs.bytes(PATH));
  bytes[bytes.indexOf('one"}') + 3] = 0x20;
  machine.fs.place(PATH, "file", bytes);
  await using session = await store.openFile(PATH, { verify: true });
  assert.deepEqual(
    session.problems.map(({ code }) => code),
    ["LINE_NOT_JSON"],
  );
  await refused("LOG_DAMAGED", () => store.openFile(PATH, { strict: true }));
});

test("a read that fails while an indexed session opens leaves no handle open", async () => {
  const { machine, store } = await sceneWith(CHAIN);
  await using first = await store.openFile(PATH);
  assert.equal(first.tree.size, 3);
  machine.fs.failNext("read", { errno: "EIO", path: PATH });
  await refused("IO_FAILED", () => store.openFile(PATH));
  await using session = await store.openFile(PATH);
  assert.equal(session.tree.size, 3);
});

test("what was read last is kept within a bound; large entries are read again", async () => {
  const large = "x".repeat(3 * 1024 * 1024);
  const lines = ["a", "b", "c", "d"].map((id, at, ids) => piLine(id, ids[at - 1] ?? null, large));
  const { counting, store } = await sceneWith(piHeader("s") + lines.join(""));
  await using warm = await store.openFile(PATH);
  assert.equal(warm.tree.size, 4);
  await using session = await store.openFile(PATH);
  for (const id of ["a", "b", "c", "d"]) await session.mustGet(id);
  const kept = await counting.during(() => session.mustGet("d"));
  assert.equal(kept.work.reads, 0);
  const gone = await counting.during(() => session.mustGet("a"));
  assert.ok(gone.work.bytesRead > large.length);
  // Far apart or too much for one read: several reads, one answer.
  const all: readonly Entry[] = await session.getAll(["d", "a"]);
  assert.deepEqual(
    all.map(({ id }) => id),
    ["d", "a"],
  );
});

test("a list comes from the index where it can be relied on, else from the files", async () => {
  const { index, store } = await sceneWith(CHAIN);
  await using session = await store.openFile(PATH);
  assert.equal(session.id, "s");
  const skipped: string[] = [];
  const onSkip = ({ path }: { readonly path: string }): void => void skipped.push(path);
  const { signal } = new AbortController();
  assert.deepEqual(
    (await collect(store.list({ onSkip, signal, cwd: "/p" }))).map(({ id }) => id),
    ["s"],
  );
  assert.deepEqual(skipped, ["/data/odd.jsonl"]);
  assert.deepEqual(await collect(store.list({ cwd: "/other" })), []);
  index.complete = false;
  const [row] = await collect(store.list());
  assert.equal(row?.messages, 3);
  const nowhere = new MemoryMachine().store({ index: index as unknown as SessionIndex });
  assert.deepEqual(await collect(nowhere.list()), []);
});
