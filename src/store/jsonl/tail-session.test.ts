import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Entry } from "../../entry/entry.ts";
import { BranchlineError, type ErrorCode } from "../../errors.ts";
import type { IndexedSession, SessionIndex } from "../../index/session-index.ts";
import { AppendFile } from "../../io/append-file.ts";
import type { StoreSession } from "../store.ts";
import { collect } from "../testing/expect.ts";
import type { ReadingLimits } from "./environment.ts";
import type { JsonlStore, JsonlStoreOptions } from "./jsonl-store.ts";
import { scanStructure } from "./scan-structure.ts";
import { TailSession } from "./tail-session.ts";
import { MemoryMachine, piHeader, piLine, say } from "./testing/memory-fixture.ts";

const PATH = "/data/s.jsonl";
/** Every file is long. */
const READING: ReadingLimits = { longFile: 1, context: 1e9, settings: 1e9, kept: 1e9 };

const LINES = [piHeader("s"), piLine("a", null, "A"), piLine("b", "a", "B"), piLine("c", "b", "C")];

interface Scene {
  readonly machine: MemoryMachine;
  readonly session: TailSession;
  /** The session of the whole file, as it is given to the tail session. */
  readonly whole: StoreSession;
  verify(): Promise<void>;
  readonly closed: string[];
}

/** A session of which the end is known, and whose rest becomes known when the test wants it. */
async function scene(options: Partial<JsonlStoreOptions> = {}, lines = LINES): Promise<Scene> {
  const machine = new MemoryMachine();
  await machine.fs.makeDirectory("/data");
  machine.fs.place(PATH, "file", Buffer.from(lines.join("")));
  const whole = await machine.store().openFile(PATH);
  const given = Promise.withResolvers<StoreSession>();
  const closed: string[] = [];
  const leafFirst: Entry[] = await collect(whole.path(whole.tree.leaf()));
  const session = new TailSession({
    tail: { session: "s", header: whole.header, entries: leafFirst, above: null },
    path: PATH,
    readOnly: null,
    resolvePayload: async (entry) => entry,
    whole: given.promise,
    stop: () => {
      closed.push("stop");
      given.promise.catch(() => undefined);
      given.reject(new BranchlineError("ABORTED", {}, { message: "stopped" }));
    },
    onClose: () => closed.push("closed"),
    ...(options as object),
  });
  const verify = async (): Promise<void> => {
    given.resolve(whole);
    await session.whenVerified();
  };
  return { machine, session, whole, verify, closed };
}

function refuses(code: ErrorCode): (error: unknown) => boolean {
  return (error) => BranchlineError.is(error, code);
}

/** True where the work has not ended after a while. */
async function waits(work: Promise<unknown>): Promise<boolean> {
  let isDone = false;
  work.then(
    () => (isDone = true),
    () => (isDone = true),
  );
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  return !isDone;
}

const idsOf = (entries: readonly Entry[]): readonly string[] => entries.map(({ id }) => id);

describe("TailSession", () => {
  it("answers from the end before it is verified, and as the whole session after", async () => {
    const { session, whole, verify } = await scene();
    assert.deepEqual([session.id, session.file, session.verified], ["s", PATH, false]);
    assert.deepEqual(
      [session.header, session.readOnly, session.problems],
      [whole.header, null, []],
    );
    assert.equal(session.lines, undefined);
    assert.equal(session.tree.leaf(), "c");
    const ask = async (): Promise<unknown> => [
      await session.get("b"),
      await session.mustGet("c"),
      await session.getAll(["c", "a"]),
      idsOf(await collect(session.path("c"))),
      idsOf(await collect(session.path("b", { limit: 1 }))),
    ];
    const before = await ask();
    await verify();
    assert.equal(session.verified, true);
    assert.deepEqual(await ask(), before);
    assert.equal(session.tree, whole.tree);
    assert.equal(session.header, whole.header);
    assert.equal(session.readOnly, whole.readOnly);
    assert.ok(session.lines !== undefined);
    assert.deepEqual(session.problems, whole.problems);
    assert.deepEqual(session.placeOf("a"), whole.placeOf("a"));
    await session.close();
  });

  it("waits with what the end does not tell", async () => {
    const { session, verify } = await scene();
    const work: Readonly<Record<string, () => Promise<unknown>>> = {
      refresh: () => session.refresh(),
      commit: () => session.commit({ entries: [say("D")] }),
      lockRun: async () => (await session.lockRun("main")).release(),
      get: () => session.get("nobody"),
      getAll: () => session.getAll(["a", "b"]).then(() => session.getAll(["a", "d"])),
      path: () => collect(session.path("nobody")),
      "path of null": () => collect(session.path(null)),
      scan: () => collect(session.scan()),
      last: () => session.last(1),
      summary: () => session.summary(),
      whenVerified: () => session.whenVerified(new AbortController().signal),
    };
    const all = Object.entries(work).map(([name, ask]) => ({ name, done: ask() }));
    for (const { done } of all) done.catch(() => undefined);
    for (const { name, done } of all) assert.equal(await waits(done), true, name);
    await verify();
    const ended = await Promise.allSettled(all.map(({ done }) => done));
    const refused = all.filter((_, at) => ended[at]?.status === "rejected");
    assert.deepEqual(
      refused.map(({ name }) => name),
      ["getAll", "path"],
    );
    assert.equal(await session.get("nobody"), undefined);
    await assert.rejects(session.mustGet("nobody"), refuses("ENTRY_UNKNOWN"));
    await session.close();
  });

  it("takes a commit as it was when it was asked for (row 39)", async () => {
    const { session, verify } = await scene();
    const message = { role: "user", content: "as it was" };
    const commit = session.commit({ entries: [{ type: "message", message }] });
    message.content = "changed";
    await verify();
    const [entry] = (await commit).entries as unknown as readonly { readonly message: object }[];
    assert.deepEqual(entry?.message, { role: "user", content: "as it was" });
    assert.equal(session.tree.size, 4);
    await session.close();
  });

  it("refuses what can neither be told nor wait", async () => {
    const { session, whole, verify } = await scene();
    assert.throws(() => session.placeOf("a"), refuses("SESSION_UNVERIFIED"));
    assert.throws(() => session.follow(), refuses("SESSION_UNVERIFIED"));
    await verify();
    const stop = new AbortController();
    const followed = session.follow({ signal: stop.signal })[Symbol.asyncIterator]();
    await whole.commit({ entries: [say("D")] });
    const event = await followed.next();
    assert.equal(event.done !== true && event.value.type, "entries");
    stop.abort();
    await session.close();
  });

  it("does not wait for an aborted caller", async () => {
    const { session } = await scene();
    const stop = new AbortController();
    const waiting = session.whenVerified(stop.signal);
    const commit = session.commit({ entries: [say("D")], signal: stop.signal });
    stop.abort();
    await assert.rejects(waiting, refuses("ABORTED"));
    await assert.rejects(commit, refuses("ABORTED"));
    await assert.rejects(session.whenVerified(stop.signal), refuses("ABORTED"));
    await session.close();
  });

  it("reads a part of the path from the end only where that holds it", async () => {
    const { whole } = await scene();
    const entries = (await collect(whole.path("c"))).slice(0, 2);
    const above = { found: {}, unproven: [] };
    const tail = { session: "s", header: whole.header, entries, above };
    const { session, verify } = await scene({ tail } as object);
    assert.deepEqual(idsOf(await collect(session.path("c", { limit: 2 }))), ["c", "b"]);
    const more = collect(session.path("c", { limit: 3 }));
    assert.equal(await waits(more), true);
    await verify();
    assert.deepEqual(idsOf(await more), ["c", "b", "a"]);
    await session.close();
  });

  it("waits where a moved payload cannot be found, which is told with its place", async () => {
    const resolvePayload = async (entry: Entry): Promise<Entry | null> =>
      entry.id === "b" ? null : entry;
    const { session, verify } = await scene({ resolvePayload });
    assert.deepEqual(idsOf(await session.getAll(["c"])), ["c"]);
    const stub = session.getAll(["c", "b"]);
    assert.equal(await waits(stub), true);
    await verify();
    assert.deepEqual(idsOf(await stub), ["c", "b"]);
    await session.close();
  });

  it("closes what it was given, and stops what is under way", async () => {
    const { session, closed } = await scene();
    const waiting = session.last(1);
    await Promise.all([session.close(), session[Symbol.asyncDispose]()]);
    await assert.rejects(waiting, refuses("ABORTED"));
    assert.deepEqual(closed, ["stop", "closed"]);
    for (const call of [session.get("a"), session.whenVerified(), session.commit({ entries: [] })])
      await assert.rejects(call, refuses("STORE_CLOSED"));
    await assert.rejects(collect(session.path("c")), refuses("STORE_CLOSED"));
    assert.throws(() => session.follow(), refuses("STORE_CLOSED"));
    const done = await scene();
    await done.verify();
    await done.session.close();
    await assert.rejects(done.whole.get("a"), refuses("STORE_CLOSED"));
  });

  it("tells everybody who waits why the rest cannot be read", async () => {
    const failure = new BranchlineError(
      "IO_FAILED",
      { operation: "read", path: PATH, errno: "EIO" },
      { message: "EIO" },
    );
    const { session } = await scene({ whole: Promise.reject(failure) } as object);
    await assert.rejects(session.whenVerified(), refuses("IO_FAILED"));
    await assert.rejects(session.commit({ entries: [say("D")] }), refuses("IO_FAILED"));
    assert.deepEqual(idsOf(await session.getAll(["c"])), ["c"]);
    assert.equal(session.verified, false);
    await session.close();
  });
});

describe("a store that opens tail first", () => {
  async function machineWith(content: string): Promise<MemoryMachine> {
    const machine = new MemoryMachine();
    await machine.fs.makeDirectory("/data");
    machine.fs.place(PATH, "file", Buffer.from(content));
    return machine;
  }

  it("gives a session that becomes verified and can be written to", async () => {
    const machine = await machineWith(LINES.join(""));
    await using store = machine.store({ reading: READING });
    const session = await store.openFile(PATH, { tailFirst: true });
    assert.equal(session.verified, false);
    const { entries } = await machine.run(session.commit({ entries: [say("D")] }));
    assert.deepEqual([entries[0]?.parentId, session.verified], ["c", true]);
    assert.equal(session.tree.size, 4);
  });

  it("finds in the background what the end does not show (F116, M19)", async () => {
    const machine = await machineWith([...LINES, piLine("b", "c", "again")].join(""));
    const other = [piHeader("s"), piLine("x", "lost", "X"), ...LINES.slice(1)].join("");
    await using store = machine.store({ reading: READING });
    const twice = await store.openFile(PATH, { tailFirst: true });
    assert.equal(twice.verified, true, "an id that stands twice in the end");
    machine.fs.place("/data/o.jsonl", "file", Buffer.from(other));
    const lost = await store.openFile("/data/o.jsonl", { tailFirst: true });
    assert.deepEqual([lost.verified, lost.problems.length, lost.tree.leaf()], [false, 0, "c"]);
    await lost.whenVerified();
    assert.equal(lost.tree.get("x")?.gap?.missingId, "lost");
    assert.equal(lost.tree.size, 4);
  });

  it("opens short files, damaged ends and strict ones as ever", async () => {
    const machine = await machineWith(LINES.join(""));
    await using store = machine.store({ reading: READING });
    await using usual = machine.store();
    const short = await usual.openFile(PATH, { tailFirst: true });
    const strict = await store.openFile(PATH, { tailFirst: true, strict: true });
    const verified = await store.openFile(PATH, { tailFirst: true, verify: true });
    machine.fs.place("/data/t.jsonl", "file", Buffer.from(LINES.join("").slice(0, -9)));
    const torn = await store.openFile("/data/t.jsonl", { tailFirst: true });
    for (const session of [short, strict, verified, torn]) assert.equal(session.verified, true);
    assert.deepEqual(
      torn.problems.map(({ code }) => code),
      ["TAIL_TORN"],
    );
    await torn.whenVerified();
  });

  it("stops the scan when it is closed, and when opening is aborted", async () => {
    const machine = await machineWith(LINES.join(""));
    const store = machine.store({ reading: READING });
    const session = await store.openFile(PATH, { tailFirst: true });
    await store.close();
    await assert.rejects(session.whenVerified(), refuses("STORE_CLOSED"));
    await using again = machine.store({ reading: READING });
    const stop = new AbortController();
    const opening = again.openFile(PATH, { tailFirst: true, signal: stop.signal });
    stop.abort();
    await assert.rejects(opening, refuses("ABORTED"));
  });

  /** An index that answers when it is told to. */
  class SlowIndex implements Pick<SessionIndex, "session" | "distrust"> {
    readonly #answer = Promise.withResolvers<"known" | "nothing">();
    readonly #machine: MemoryMachine;

    constructor(machine: MemoryMachine) {
      this.#machine = machine;
    }

    answer(what: "known" | "nothing"): void {
      this.#answer.resolve(what);
    }

    fail(error: unknown): void {
      this.#answer.promise.catch(() => undefined);
      this.#answer.reject(error);
    }

    async session(path: string): Promise<IndexedSession | null> {
      if ((await this.#answer.promise) === "nothing") return null;
      const file = await AppendFile.open(this.#machine.fs, path, { mode: "read" });
      const known = await scanStructure(file);
      await file.close();
      const summary = { id: "s", path } as IndexedSession["summary"];
      return known && { ...known, path, summary, sound: true };
    }

    async distrust(path: string): Promise<void> {
      assert.fail(path);
    }
  }

  async function indexed(
    content: string,
  ): Promise<{ readonly index: SlowIndex; readonly store: JsonlStore }> {
    const machine = await machineWith(content);
    const index = new SlowIndex(machine);
    const store = machine.store({ reading: READING, index: index as unknown as SessionIndex });
    return { index, store };
  }

  it("goes on from what the index knows by then, else from the end", async () => {
    const first = await indexed(LINES.join(""));
    const opening = first.store.openFile(PATH, { tailFirst: true });
    // A file that the index takes longer to look at than it takes to read its end.
    const tail = await opening;
    assert.equal(tail.verified, false);
    assert.equal(await waits(tail.whenVerified()), true);
    first.index.answer("known");
    await tail.whenVerified();
    assert.equal(tail.tree.size, 3);
    first.index.answer("known");
    await first.store.close();
    const none = await indexed(LINES.join(""));
    none.index.answer("nothing");
    const second = await none.store.openFile(PATH, { tailFirst: true });
    assert.equal(second.verified, false);
    await second.whenVerified();
    assert.equal(second.tree.size, 3);
    await none.store.close();
    // A second answer of the index, which is there before the end is read.
    const long = Array.from({ length: 9000 }, (_, at) =>
      piLine(`f${at}`, at === 0 ? null : `f${at - 1}`, "x".repeat(400)),
    );
    const known = await indexed([piHeader("s"), ...long].join(""));
    known.index.answer("known");
    const third = await known.store.openFile(PATH, { tailFirst: true });
    assert.equal(third.verified, true);
    assert.equal(third.tree.size, 9000);
    await known.store.close();
  });

  it("asks the index too where the end does not tell enough", async () => {
    const { index, store } = await indexed(LINES.join("").slice(0, -9));
    const opening = store.openFile(PATH, { tailFirst: true });
    assert.equal(await waits(opening), true);
    index.answer("known");
    const session = await opening;
    assert.deepEqual([session.verified, session.tree.size], [true, 2]);
    await store.close();
  });

  it("closes the file where the index fails", async () => {
    const failure = new BranchlineError("ABORTED", {}, { message: "x" });
    const torn = await indexed(LINES.join("").slice(0, -9));
    const opening = torn.store.openFile(PATH, { tailFirst: true });
    torn.index.fail(failure);
    await assert.rejects(opening, refuses("ABORTED"));
    const usual = torn.store.openFile(PATH);
    await assert.rejects(usual, refuses("ABORTED"));
    const late = await indexed(LINES.join(""));
    const session = await late.store.openFile(PATH, { tailFirst: true });
    late.index.fail(failure);
    await assert.rejects(session.whenVerified(), refuses("ABORTED"));
    await late.store.close();
  });

  it("says why what cannot be written cannot", async () => {
    const machine = await machineWith(LINES.join(""));
    const { fs } = machine;
    const open = fs.open.bind(fs);
    const path = PATH;
    fs.open = async (name, mode) => {
      const errno = "EACCES";
      const fields = { operation: "open", path, errno };
      if (mode === "append") throw new BranchlineError("IO_FAILED", fields, { message: errno });
      return await open(name, mode);
    };
    await using store = machine.store({ reading: READING });
    const session = await store.openFile(PATH, { tailFirst: true });
    const before = session.readOnly;
    await session.whenVerified();
    assert.deepEqual([typeof before, session.readOnly], ["string", before]);
    await assert.rejects(session.commit({ entries: [say("D")] }), refuses("SESSION_READ_ONLY"));
  });
});
