import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "../../errors.ts";
import type { StoreEvent, StoreSession } from "../store.ts";
import { eventsWith, refused } from "../testing/expect.ts";
import type { JsonlStore } from "./jsonl-store.ts";
import { MemoryMachine, pathOf, piHeader, piLine, say, textsOf } from "./testing/memory-fixture.ts";

const PI_FILE = "/data/sessions/--p--/t_pi.jsonl";

interface Scene extends AsyncDisposable {
  readonly machine: MemoryMachine;
  readonly fs: MemoryMachine["fs"];
  readonly store: JsonlStore;
  readonly session: StoreSession;
  readonly file: string;
}

/** An open session of ours with one entry. */
async function ours(): Promise<Scene> {
  const machine = new MemoryMachine();
  const store = machine.store();
  const session = await store.create({ id: "s", cwd: "/p" });
  await session.commit({ entries: [say("a")] });
  return scene(machine, store, session);
}

/** An open session in a file of this content. */
async function opened(content: string | Uint8Array): Promise<Scene> {
  const machine = new MemoryMachine();
  await machine.fs.makeDirectory("/data/sessions/--p--");
  machine.fs.place(PI_FILE, "file", content);
  const store = machine.store();
  return scene(machine, store, await store.openFile(PI_FILE));
}

function scene(machine: MemoryMachine, store: JsonlStore, session: StoreSession): Scene {
  return {
    machine,
    fs: machine.fs,
    store,
    session,
    file: session.file as string,
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** What a new handle reads is what this one knows: entries, problems, places, branches. */
async function assertAsReopened({ machine, session, file }: Scene): Promise<void> {
  await using again = await machine.store().openFile(file);
  assert.deepEqual(await textsOf(session), await textsOf(again));
  assert.deepEqual(session.problems, again.problems);
  assert.equal(session.tree.leaf(), again.tree.leaf());
  for (const { id, gap } of again.tree.entries()) {
    assert.deepEqual(session.placeOf(id), again.placeOf(id));
    assert.deepEqual(session.tree.get(id)?.gap, gap);
  }
}

test("Pi appends beside us: its lines are followed, siblings are told (M9, F021, F022)", async () => {
  await using here = await ours();
  const { fs, session, file, machine } = here;
  const leaf = session.tree.leaf();
  const events = session.follow()[Symbol.asyncIterator]();
  fs.appendForeign(file, piLine("p1", leaf, "pi 1") + piLine("p2", leaf, "pi 2"));
  const [told] = await machine.run(eventsWith(events, 2));
  assert.equal(told?.type, "entries");
  const diverged = (await events.next()).value;
  assert.deepEqual(diverged, { type: "diverged", branch: "main", entryId: "p2" });
  await session.commit({ entries: [say("b")] });
  const own = (await machine.run(eventsWith(events, 1)))[0] as StoreEvent & { foreign: boolean };
  assert.equal(own.foreign, false);
  assert.deepEqual(await pathOf(session), ["a", "pi 2", "b"]);
  await assertAsReopened(here);
});

test("lines that come between the check and the write are kept, before ours (M9, R10)", async () => {
  for (const between of [piLine("p1", null, "pi"), piLine("p1", null, "pi").slice(0, -1)]) {
    await using here = await ours();
    const { fs, session, file } = here;
    const pause = fs.pauseNext("write", file);
    const commit = session.commit({ entries: [say("b"), say("c")], key: "k" });
    await pause.reached;
    fs.appendForeign(file, between);
    pause.resume();
    const { entries } = await commit;
    assert.deepEqual(await textsOf(session), ["a", "pi", "b", "c"]);
    assert.deepEqual(await session.getAll(entries.map(({ id }) => id)), entries);
    assert.equal(
      (await session.commit({ entries: [say("b"), say("c")], key: "k" })).replayed,
      true,
    );
    await assertAsReopened(here);
  }
});

test("what is written cannot be read back: unknown, the retry finds it (P5)", async () => {
  await using here = await ours();
  const { fs, machine, session, file } = here;
  const pause = fs.pauseNext("write", file);
  const commit = session.commit({ entries: [say("b")], key: "k" });
  const unknown = refused("APPEND_UNKNOWN", () => commit);
  await pause.reached;
  fs.appendForeign(file, piLine("p1", null, "pi"));
  fs.failNext("read", { errno: "EIO", path: file });
  pause.resume();
  await unknown;
  await session.close();
  await using again = await machine.store().open("s");
  assert.equal((await again.commit({ entries: [say("b")], key: "k" })).replayed, true);
  assert.deepEqual(await textsOf(again), ["a", "pi", "b"]);
});

test("a foreign line that fails half way between check and write: unknown, nothing is cut (P5)", async () => {
  await using here = await ours();
  const { fs, machine, session, file } = here;
  const pause = fs.pauseNext("write", file);
  fs.failNext("write", { errno: "ENOSPC", path: file, partialBytes: 60 });
  const commit = session.commit({ entries: [say("b")], key: "k" });
  const unknown = refused("APPEND_UNKNOWN", () => commit);
  await pause.reached;
  fs.appendForeign(file, piLine("p1", null, "pi"));
  pause.resume();
  await unknown;
  await session.close();
  await using again = await machine.store().open("s");
  assert.equal((await again.commit({ entries: [say("b")], key: "k" })).replayed, false);
  assert.deepEqual(await textsOf(again), ["a", "pi", "b"]);
  assert.deepEqual(again.problems, []);
});

test("a last line without its newline counts, gets its newline from the next append (row 3)", async () => {
  const text = piHeader("pi") + piLine("p1", null, "one") + piLine("p2", "p1", "two").slice(0, -1);
  await using here = await opened(text);
  const { fs, session, file } = here;
  assert.deepEqual(await textsOf(session), ["one", "two"]);
  assert.deepEqual(session.problems, []);
  await session.refresh();
  assert.equal(fs.text(file), text);
  const { entries } = await session.commit({ entries: [say("three"), say("four")] });
  assert.ok(fs.text(file).startsWith(`${text}\n{`));
  assert.equal(session.placeOf(entries[1]?.id ?? "")?.line, 5);
  assert.deepEqual(await pathOf(session), ["one", "two", "three", "four"]);
  await assertAsReopened(here);
});

test("a last line without its newline goes on as a newline or as a glued line (F001, M6)", async () => {
  for (const more of [`\n${piLine("p3", "p2", "three")}`, piLine("p3", "p2", "three")]) {
    await using here = await opened(
      piHeader("pi") + piLine("p1", null, "one") + piLine("p2", "p1", "two").slice(0, -1),
    );
    const { fs, session, file } = here;
    fs.appendForeign(file, more);
    await session.refresh();
    await session.commit({ entries: [say("four")] });
    assert.deepEqual(await pathOf(session), ["one", "two", "three", "four"]);
  }
});

test("a header alone without its newline is a session", async () => {
  await using here = await opened(piHeader("pi").slice(0, -1));
  await here.session.commit({ entries: [say("a")] });
  assert.deepEqual(await textsOf(here.session), ["a"]);
  await assertAsReopened(here);
});

test("a foreign torn tail is sealed and never cut (row 2, F001, P03)", async () => {
  const torn = piLine("p2", "p1", "two").slice(0, 60);
  for (const tail of [torn, "\u0000".repeat(4096), `\u0000${torn}`, " ", "x".repeat(200_000)]) {
    const text = piHeader("pi") + piLine("p1", null, "one") + tail;
    await using here = await opened(text);
    const { fs, session, file } = here;
    assert.deepEqual(await textsOf(session), ["one"]);
    const { entries } = await session.commit({ entries: [say("b")] });
    assert.ok(fs.text(file).startsWith(`${text}\n{`));
    assert.equal(session.placeOf(entries[0]?.id ?? "")?.line, 4);
    assert.deepEqual(await pathOf(session), ["one", "b"]);
    await session.commit({ entries: [say("c")] });
    await assertAsReopened(here);
  }
});

test("our own torn tail is cut, whatever is left of it (F001, P03, row 10)", async () => {
  const machine = new MemoryMachine();
  await using source = await machine.store().create({ id: "s", cwd: "/p" });
  await source.commit({ entries: [say("a")] });
  const whole = machine.fs.text(source.file as string);
  await source.commit({ entries: [say("b")] });
  const line = machine.fs.text(source.file as string).slice(whole.length);
  const tails = ["\u0000".repeat(70_000), "\u0000".repeat(200)];
  for (let length = 1; length < line.length - 1; length++) tails.push(line.slice(0, length));
  for (const tail of tails) {
    await using here = await opened(whole + tail);
    const { fs, session, file } = here;
    assert.ok(session.problems.some(({ code }) => code === "TAIL_TORN"));
    await session.commit({ entries: [say("c")] });
    assert.ok(fs.text(file).startsWith(`${whole}{`), tail);
    assert.deepEqual(session.problems, []);
    await assertAsReopened(here);
  }
});

test("a torn tail of ours is gone once it was cut, also where the write behind fails (F001, P5)", async () => {
  const machine = new MemoryMachine();
  await using source = await machine.store().create({ id: "s", cwd: "/p" });
  await source.commit({ entries: [say("a")] });
  const whole = machine.fs.text(source.file as string);
  await using here = await opened(`${whole}{"type":"mess`);
  const { fs, session, file } = here;
  fs.failNext("write", { errno: "ENOSPC", path: file });
  await refused("IO_FAILED", () => session.commit({ entries: [say("b")] }));
  assert.equal(fs.text(file), whole);
  assert.deepEqual(session.problems, []);
  await session.commit({ entries: [say("b")] });
  assert.deepEqual(await pathOf(session), ["a", "b"]);
  await assertAsReopened(here);
});

test("what was read back behind its own sync is not synced for a retry (P1)", async () => {
  await using here = await opened(`${piHeader("pi")}{"type":"mess`);
  const { fs, session } = here;
  const syncs = (): number => fs.ops.filter(({ operation }) => operation === "datasync").length;
  const request = { entries: [say("a")], key: "k" };
  assert.equal((await session.commit(request)).replayed, false);
  const before = syncs();
  assert.equal((await session.commit(request)).replayed, true);
  assert.equal(syncs(), before);
});

test("foreign bytes in a session of ours are not taken for ours (F001)", async () => {
  const machine = new MemoryMachine();
  await using source = await machine.store().create({ id: "s", cwd: "/p" });
  const whole = machine.fs.text(source.file as string);
  const strange = [
    '{"type":"message","id":"p1","par',
    '{"kind":"x',
    `${"\u0000".repeat(300)}{x`,
    '{"id":"p1","data":{"type":"message","id":"0123456789abcdef0123","x',
    '{"id":"p1","data":{"type":"te',
  ];
  for (const tail of strange) {
    await using here = await opened(whole + tail);
    await here.session.commit({ entries: [say("c")] });
    assert.ok(here.fs.text(here.file).startsWith(`${whole}${tail}\n{`), tail);
    await assertAsReopened(here);
  }
});

test("a few torn bytes are ours only behind a line of ours in a session of ours (F001, P03)", async () => {
  const torn = '{"type":"mess';
  const machine = new MemoryMachine();
  await using source = await machine.store().create({ id: "s", cwd: "/p" });
  await source.commit({ entries: [say("a")] });
  const ours = machine.fs.text(source.file as string);
  const [, line] = ours.split(/(?<=\n)/);
  const wholes = [`${piHeader("pi")}${line}`, ours + piLine("p1", null, "pi")];
  for (const whole of wholes) {
    await using here = await opened(whole + torn);
    await here.session.commit({ entries: [say("c")] });
    assert.ok(here.fs.text(here.file).startsWith(`${whole}${torn}\n{`), whole);
    await assertAsReopened(here);
  }
});

/** The lines of a session with a group of three as its last commit. */
async function groupLines(): Promise<readonly string[]> {
  const machine = new MemoryMachine();
  await using session = await machine.store().create({ id: "s", cwd: "/p" });
  await session.commit({ entries: [say("a")] });
  await session.commit({ entries: [say("g1"), say("g2"), say("g3")], key: "k" });
  return machine.fs.text(session.file as string).split(/(?<=\n)/);
}

test("an incomplete group of ours is ignored, then cut (P2, P4)", async () => {
  const lines = await groupLines();
  const [header = "", a = "", g1 = "", g2 = "", g3 = ""] = lines;
  const tails = [
    g1,
    g1 + g2,
    g1 + g2 + g3.slice(0, 50),
    g1 + g2.slice(0, -1),
    g1 + g2.slice(0, 70),
  ];
  for (const tail of tails) {
    await using here = await opened(header + a + tail);
    const { fs, session, file } = here;
    assert.deepEqual(await textsOf(session), ["a"]);
    const { length } = session.problems;
    await session.refresh();
    assert.equal(session.problems.length, length);
    const { replayed } = await session.commit({ entries: [say("b")], key: "k" });
    assert.equal(replayed, false);
    assert.ok(fs.text(file).startsWith(`${header}${a}{`));
    assert.deepEqual(await textsOf(session), ["a", "b"]);
    await assertAsReopened(here);
  }
});

test("a group that is read while it is written counts when its end is there (P2)", async () => {
  const [header = "", a = "", g1 = "", g2 = "", g3 = ""] = await groupLines();
  await using here = await opened(header + a + g1 + g2.slice(0, 30));
  const { fs, session, file } = here;
  assert.deepEqual(await textsOf(session), ["a"]);
  fs.appendForeign(file, g2.slice(30));
  await session.refresh();
  assert.deepEqual(await textsOf(session), ["a"]);
  fs.appendForeign(file, g3);
  await session.refresh();
  assert.deepEqual(await textsOf(session), ["a", "g1", "g2", "g3"]);
  await assertAsReopened(here);
});

test("an incomplete group with foreign lines or a foreign torn tail behind it is kept", async () => {
  const [header = "", a = "", g1 = "", g2 = ""] = await groupLines();
  const foreign = piLine("p1", null, "pi");
  for (const tail of [foreign, foreign.slice(0, -1), foreign.slice(0, 40)]) {
    await using here = await opened(header + a + g1 + g2 + tail);
    const { fs, session, file } = here;
    await session.commit({ entries: [say("b")] });
    assert.ok(fs.text(file).startsWith(header + a + g1 + g2 + tail));
    assert.deepEqual((await textsOf(session)).slice(0, 3), ["a", "g1", "g2"]);
    await assertAsReopened(here);
  }
});

test("lines without a record in or behind an incomplete group are not cut with it (P4)", async () => {
  const [header = "", a = "", g1 = "", g2 = ""] = await groupLines();
  const strange = ["\n", "  \n", "\u0000\u0000\n", "\ufeff\n"];
  const tails = [
    ...strange.map((line) => g1 + g2 + line),
    ...strange.map((line) => g1 + line + g2),
    `${g1}${g2}\n${g1.slice(0, 60)}`,
    `${g1}\n${g2.slice(0, -1)}`,
  ];
  for (const tail of tails) {
    await using here = await opened(header + a + tail);
    const { fs, session, file } = here;
    assert.deepEqual(await textsOf(session), ["a"]);
    await session.commit({ entries: [say("b")] });
    assert.ok(fs.text(file).startsWith(header + a + tail), JSON.stringify(tail));
    // Something stands behind the group now, so it counts.
    assert.ok((await textsOf(session)).includes("g1"));
    assert.equal((await textsOf(session)).at(-1), "b");
    assert.equal((await pathOf(session)).join(), "a,b");
    await assertAsReopened(here);
  }
});

test("a torn tail of ours behind a record without its newline is cut up to that record", async () => {
  const [header = "", a = "", g1 = ""] = await groupLines();
  await using here = await opened(header + a.slice(0, -1));
  const { fs, session, file } = here;
  fs.appendForeign(file, g1.slice(0, 60));
  await session.refresh();
  await session.commit({ entries: [say("b")] });
  assert.ok(fs.text(file).startsWith(`${header}${a}{`));
  assert.deepEqual(await textsOf(session), ["a", "b"]);
});

test("what another program adds before the cut is not cut with it", async () => {
  const [header = "", a = "", g1 = ""] = await groupLines();
  await using here = await opened(header + a + g1.slice(0, 60));
  const { fs, session, file } = here;
  const pi = piLine("p1", null, "pi");
  const pause = fs.pauseNext("read", file);
  const commit = session.commit({ entries: [say("b")] });
  // The reads before the cut: the fingerprint, the scan to the end, the look at the torn bytes.
  await pause.reached;
  const last = [fs.pauseNext("read", file), fs.pauseNext("read", file), fs.pauseNext("read", file)];
  pause.resume();
  for (const one of last) {
    await one.reached;
    if (one === last.at(-1)) fs.appendForeign(file, pi);
    one.resume();
  }
  await commit;
  assert.ok(fs.text(file).includes(pi));
  assert.deepEqual((await textsOf(session)).sort(), ["a", "b", "pi"]);
});

test("a torn tail that its writer takes back is forgotten", async () => {
  const [header = "", a = "", g1 = "", , g3 = ""] = await groupLines();
  for (const tail of [g1, g3.slice(0, 60)]) {
    await using here = await opened(header + a + tail);
    const { fs, session, file } = here;
    const writer = await fs.open(file, "append");
    await writer.truncate(header.length + a.length);
    await writer.close();
    await session.refresh();
    assert.deepEqual(session.problems, []);
    await session.commit({ entries: [say("b")] });
    await assertAsReopened(here);
  }
});

test("a read fails while others' lines come in: nothing is lost or doubled (P5)", async () => {
  for (const unfinished of [false, true]) {
    for (let after = 0; after < 8; after++) {
      await using here = await ours();
      const { fs, session, file } = here;
      const lines =
        piLine("p1", null, "x".repeat(600_000)) + piLine("p2", "p1", "y".repeat(600_000));
      fs.appendForeign(file, unfinished ? lines.slice(0, -1) : lines);
      fs.failNext("read", { errno: "EIO", path: file, after });
      await session.refresh().catch(() => undefined);
      await session.commit({ entries: [say("b")] }).catch(() => undefined);
      // The fault may still be to come; each refresh reads.
      const commit = { entries: [say("c")], key: "c" };
      await session.commit(commit).catch(() => session.commit(commit));
      for (let more = 0; more < 4; more++) await session.refresh().catch(() => undefined);
      assert.equal(new Set(await textsOf(session)).size, session.tree.size);
      assert.ok(session.tree.has("p2"));
      await assertAsReopened(here);
    }
  }
});

const CHANGES: readonly (readonly [string, ErrorCode, (scene: Scene) => Promise<unknown>])[] = [
  ["deleted (F008, M10, row 44)", "FILE_MISSING", ({ fs, file }) => fs.removeFile(file)],
  [
    "replaced by a rename (F011, F023, row 36)",
    "FILE_REPLACED",
    async ({ fs, file }) => {
      fs.place("/data/new", "file", fs.text(file));
      await fs.rename("/data/new", file);
    },
  ],
  [
    "cut by another tool (row 45)",
    "FILE_TRUNCATED",
    async ({ fs, file }) => {
      const handle = await fs.open(file, "append");
      await handle.truncate(20);
      await handle.close();
    },
  ],
  [
    "rewritten in place (F013, M18)",
    "FILE_REPLACED",
    async ({ fs, file }) => {
      const handle = await fs.open(file, "append");
      const { length } = fs.text(file);
      await handle.truncate(0);
      await handle.write(Buffer.alloc(length + 9, "x\n"));
      await handle.close();
    },
  ],
];

for (const [what, code, change] of CHANGES) {
  test(`a file that is ${what} gives the handle up and is not written`, async () => {
    await using here = await ours();
    const { fs, session, file, machine } = here;
    const events = session.follow()[Symbol.asyncIterator]();
    await change(here);
    const before = fs.paths().includes(file) ? fs.text(file) : null;
    await refused(code, () => machine.run(events.next()));
    await refused(code, () => session.commit({ entries: [say("b")] }));
    await refused(code, () => session.refresh());
    assert.deepEqual(await textsOf(session), ["a"]);
    assert.equal(fs.paths().includes(file) ? fs.text(file) : null, before);
  });
}

for (const [what, leave] of [
  ["deleted (F008)", async ({ fs, file }) => void (await fs.removeFile(file))],
  [
    "replaced by a rename (F011)",
    async ({ fs, file }, before) => {
      fs.place("/data/new", "file", before);
      await fs.rename("/data/new", file);
    },
  ],
  ["moved away (F011)", ({ fs, file }) => fs.rename(file, "/data/moved")],
] as readonly (readonly [string, (scene: Scene, before: string) => Promise<void>])[]) {
  for (const isRow of [false, true]) {
    const where = isRow ? "in a row of commits" : "in the first commit";
    test(`a file that is ${what} while its bytes are synced, ${where}: they are not acknowledged`, async () => {
      await using here = await ours();
      const { fs, session, file } = here;
      if (isRow) await session.commit({ entries: [say("before")] });
      const before = fs.text(file);
      // As a backup by hard links does, so that the file keeps a name.
      await fs.link(file, "/data/backup");
      const pause = fs.pauseNext("datasync");
      const commit = session.commit({ entries: [say("b")], key: "b" });
      await pause.reached;
      await leave(here, before);
      pause.resume();
      await refused("APPEND_UNKNOWN", () => commit);
      await refused("STORE_CLOSED", () => session.commit({ entries: [say("c")] }));
    });
  }
}

test("an id for the second time is a problem, the first entry stands (row 4, M4)", async () => {
  await using here = await opened(
    piHeader("pi") +
      piLine("p1", null, "one") +
      piLine("p2", "p1", "two") +
      piLine("p2", "p2", "3"),
  );
  const { session } = here;
  assert.deepEqual(await textsOf(session), ["one", "two"]);
  assert.deepEqual(
    session.problems.map(({ code, line }) => [code, line]),
    [["ID_DUPLICATE", 4]],
  );
});
