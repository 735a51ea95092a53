import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryDraft } from "../../entry/entry.ts";
import type { CommitRequest } from "../store.ts";
import { refused } from "../testing/expect.ts";
import { MemoryMachine, pathOf, say, textsOf } from "./testing/memory-fixture.ts";

test("commits that wait together share one write and one sync (P1, group commit)", async () => {
  const { fs, store } = machineAndStore();
  await using session = await store.create({ cwd: "/p" });
  const file = session.file as string;
  const count = (operation: string): number =>
    fs.ops.filter((op) => op.operation === operation && op.path === file).length;
  const before = [count("write"), count("datasync")];
  const pause = fs.pauseNext("write", file);
  const first = session.commit({ entries: [say("first")] });
  await pause.reached;
  const others = Array.from({ length: 50 }, (_, n) => session.commit({ entries: [say(`${n}`)] }));
  pause.resume();
  await Promise.all([first, ...others]);
  assert.deepEqual(
    [count("write"), count("datasync")],
    [(before[0] ?? 0) + 2, (before[1] ?? 0) + 2],
  );
  const expected = ["first", ...Array.from({ length: 50 }, (_, n) => `${n}`)];
  assert.deepEqual(await pathOf(session), expected);
});

test("nobody reads a commit before it is on disk (P1, P5)", async () => {
  const { fs, store } = machineAndStore();
  await using session = await store.create({ cwd: "/p" });
  await session.commit({ entries: [say("a")] });
  const file = session.file as string;
  const before = [session.tree.leaf(), session.tree.size, await textsOf(session)];
  for (const operation of ["write", "datasync"] as const) {
    const pause = fs.pauseNext(operation, file);
    const commits = ["b", "c"].map((text) => session.commit({ entries: [say(text)] }));
    await pause.reached;
    const [leaf, size, texts] = [session.tree.leaf(), session.tree.size, await textsOf(session)];
    if (operation === "write") fs.failNext("write", { errno: "ENOSPC", path: file });
    pause.resume();
    await Promise.allSettled(commits);
    assert.deepEqual([leaf, size, texts], before);
    if (operation === "write") assert.deepEqual(session.tree.leaf(), leaf);
  }
  assert.deepEqual(await pathOf(session), ["a", "b", "c"]);
});

test("commits of one batch are decided one after the other: branches, moves, expectations", async () => {
  const machine = new MemoryMachine();
  await using store = machine.store();
  const roots: EntryDraft[] = [{ ...say("r"), id: "r" }];
  const start = {
    type: "custom",
    customType: "branchline.leaf",
    id: "start",
    parentId: "r",
    data: { session: "s", start: true },
  };
  const steps: readonly CommitRequest[] = [
    { entries: roots },
    { entries: [start] },
    { entries: [say("on it")], branch: "start", expectedLeaf: "start" },
    { entries: [{ type: "custom_message", customType: "x", content: "c", display: true }] },
    {
      entries: [
        { type: "label", targetId: "r", label: "l" },
        { type: "custom", customType: "x.y" },
      ],
    },
    { entries: [say("late")], expectedLeaf: "r" },
    { entries: [{ type: "leaf", targetId: "r" }] },
    { entries: [say("under r")], expectedLeaf: "r" },
    { entries: [{ type: "leaf", targetId: "gone" }] },
    { entries: [say("where")] },
    { entries: [{ type: "leaf", targetId: null }] },
    { entries: [say("new root")], expectedLeaf: null },
    { entries: [say("nowhere")], branch: "gone" },
    { entries: [{ ...say("again"), id: "r" }] },
  ];
  const run = async (isBatch: boolean): Promise<unknown> => {
    const session = await store.create({ id: isBatch ? "s" : "t", cwd: "/p" });
    const seen = new Map<string, number>();
    const outcomes: unknown[] = [];
    const take = async (request: CommitRequest, index: number): Promise<void> => {
      const outcome = await session.commit(request).catch((error: unknown) => error);
      outcomes[index] = (outcome as { code?: string }).code ?? "written";
    };
    const requests = steps.map((step) => own(step, session.id));
    if (isBatch) await Promise.all(requests.map(take));
    else for (const [index, request] of requests.entries()) await take(request, index);
    for (const { id, ordinal } of session.tree.entries()) seen.set(id, ordinal);
    const shape = [...session.tree.entries()].map(({ parent, fold, type }) => {
      const branch = seen.get(fold.branch) ?? fold.branch;
      return [type, parent?.ordinal ?? null, branch];
    });
    return [outcomes, shape, seen.get(session.tree.head("start") ?? "")];
  };
  const [batch, single] = [await run(true), await run(false)];
  assert.deepEqual(batch, single);
  assert.deepEqual((single as unknown[][])[0]?.slice(0, 3), ["written", "written", "written"]);
});

/** The request with its own state named after the session. */
function own(request: CommitRequest, session: string): CommitRequest {
  return JSON.parse(JSON.stringify(request).replace('"session":"s"', `"session":"${session}"`));
}

test('durability "process" never syncs the file', async () => {
  const { fs, machine } = machineAndStore();
  await using store = machine.store({ durability: "process" });
  await using session = await store.create({ id: "s", cwd: "/p" });
  await session.commit({ entries: [say("a")], key: "k" });
  await using other = await store.open("s");
  assert.equal((await machine.run(other.commit({ entries: [say("a")], key: "k" }))).replayed, true);
  assert.deepEqual(
    fs.ops.filter(({ operation }) => operation === "datasync" || operation === "sync"),
    [],
  );
});

test("a signal counts until the commit is taken, then the commit is finished (P5)", async () => {
  const { fs, store } = machineAndStore();
  await using session = await store.create({ cwd: "/p" });
  const pause = fs.pauseNext("write", session.file as string);
  const [early, late] = [new AbortController(), new AbortController()];
  const taken = session.commit({ entries: [say("taken")], signal: early.signal });
  await pause.reached;
  const waiting = session.commit({ entries: [say("waiting")], signal: late.signal });
  early.abort();
  late.abort();
  await refused("ABORTED", () => waiting);
  pause.resume();
  await taken;
  const signal = AbortSignal.abort();
  await refused("ABORTED", () => session.commit({ entries: [say("never")], signal }));
  await session.commit({ entries: [say("next")], signal: new AbortController().signal });
  assert.deepEqual(await textsOf(session), ["taken", "next"]);
});

test("a busy lock refuses with the owner, in time, only those who waited so long (P6, F020, F026)", async () => {
  const { machine, store } = machineAndStore({ lockTimeoutMs: 100 });
  await using session = await store.create({ cwd: "/p" });
  const holder = machine.lock(session.file as string);
  await holder.acquire();
  const first = session.commit({ entries: [say("refused")] });
  const early = refused("STORE_BUSY", () => first);
  await new Promise((resolve) => setImmediate(resolve));
  machine.clock.advance(60);
  const second = session.commit({ entries: [say("patient")] });
  await new Promise((resolve) => setImmediate(resolve));
  machine.clock.advance(50);
  const busy = await early;
  assert.equal(busy.fields.owner?.pid, 7);
  holder.release();
  await machine.run(second);
  assert.deepEqual(await textsOf(session), ["patient"]);
});

test("the loser of an expected leaf gets STORE_CONFLICT with the present head (F024, F035)", async () => {
  const { machine, store } = machineAndStore();
  await using one = await store.create({ id: "s", cwd: "/p" });
  await using two = await machine.store().open("s");
  const [won] = (await one.commit({ entries: [say("won")], expectedLeaf: null })).entries;
  const lost = await machine.run(
    refused("STORE_CONFLICT", () => two.commit({ entries: [say("lost")], expectedLeaf: null })),
  );
  assert.deepEqual(lost.fields, { branch: "main", expected: null, head: won?.id });
  await machine.run(two.commit({ entries: [say("next")], expectedLeaf: won?.id as string }));
  await one.refresh();
  assert.deepEqual(await pathOf(one), ["won", "next"]);
});

test("a key used twice in one batch is written once; other entries are KEY_REUSED", async () => {
  const { store } = machineAndStore();
  await using session = await store.create({ cwd: "/p" });
  const same = [1, 2].map(() => session.commit({ entries: [say("a"), say("b")], key: "k" }));
  const other = refused("KEY_REUSED", () => session.commit({ entries: [say("c")], key: "k" }));
  const [first, second] = await Promise.all(same);
  await other;
  assert.deepEqual([first?.replayed, second?.replayed], [false, true]);
  assert.deepEqual(first?.entries, second?.entries);
  assert.deepEqual(await textsOf(session), ["a", "b"]);
});

test("a commit that is found by its key is synced before it is answered (P1)", async () => {
  const { fs, machine, store } = machineAndStore();
  await using one = await store.create({ id: "s", cwd: "/p" });
  await one.commit({ entries: [say("a")], key: "k" });
  const file = one.file as string;
  await using two = await machine.store().open("s");
  const syncs = (): number => fs.ops.filter(({ operation }) => operation === "datasync").length;
  const before = syncs();
  const again = { entries: [say("a")], key: "k" };
  assert.equal((await machine.run(two.commit(again))).replayed, true);
  assert.equal(syncs(), before + 1);
  assert.equal((await two.commit(again)).replayed, true);
  assert.equal(syncs(), before + 1);
  // Where that fails, nobody may say that it is safe.
  await using three = await machine.store().open("s");
  fs.failNext("datasync", { errno: "EIO", path: file });
  const unknown = await machine.run(refused("APPEND_UNKNOWN", () => three.commit(again)));
  assert.equal(unknown.fields.key, "k");
  await refused("STORE_CLOSED", () => three.commit(again));
});

test("commits found by their keys are synced when one of them may not be on disk (P1)", async () => {
  const { fs, machine, store } = machineAndStore();
  await using one = await store.create({ id: "s", cwd: "/p" });
  await using two = await machine.store().open("s");
  const own = { entries: [say("a")], key: "k1" };
  const others = { entries: [say("b")], key: "k2" };
  await machine.run(two.commit(own));
  await machine.run(one.commit(others));
  const file = one.file as string;
  const lock = machine.lock(file);
  await machine.run(lock.acquire());
  const syncs = (): number => fs.ops.filter(({ operation }) => operation === "datasync").length;
  const before = syncs();
  const found = Promise.all([two.commit(own), two.commit(others)]);
  lock.release();
  assert.deepEqual(
    (await machine.run(found)).map(({ replayed }) => replayed),
    [true, true],
  );
  assert.equal(syncs(), before + 1);
});

test("a failed sync: unknown, the handle is given up, the retry writes anew (P5, R6)", async () => {
  const { fs, machine, store } = machineAndStore();
  const session = await store.create({ id: "s", cwd: "/p" });
  await session.commit({ entries: [say("a")] });
  const file = session.file as string;
  const text = fs.text(file);
  fs.failNext("datasync", { errno: "EIO", path: file });
  const commits = [
    session.commit({ entries: [say("b"), say("c")], key: "k" }),
    session.commit({ entries: [say("b"), say("c")], key: "k" }),
    session.commit({ entries: [say("d")] }),
  ];
  const errors = await Promise.all(
    commits.map((commit) => refused("APPEND_UNKNOWN", () => commit)),
  );
  assert.deepEqual(
    errors.map(({ fields }) => fields.key),
    ["k", "k", null],
  );
  assert.deepEqual(await textsOf(session), ["a"]);
  assert.equal(fs.text(file), text);
  await refused("STORE_CLOSED", () => session.commit({ entries: [say("e")] }));
  await refused("STORE_CLOSED", () => session.refresh());
  await session.close();
  await using again = await machine.store().open("s");
  const retry = await again.commit({ entries: [say("b"), say("c")], key: "k" });
  assert.equal(retry.replayed, false);
  assert.deepEqual(await pathOf(again), ["a", "b", "c"]);
});

test("a failed sync whose bytes stay: the retry finds them, once (P5)", async () => {
  for (const stays of ["foreign", "truncate", "replaced"] as const) {
    const { fs, machine, store } = machineAndStore();
    const session = await store.create({ id: "s", cwd: "/p" });
    const file = session.file as string;
    const pause = fs.pauseNext("datasync", file);
    fs.failNext("datasync", { errno: "EIO", path: file });
    if (stays === "truncate") fs.failNext("truncate", { errno: "EIO" });
    const commit = session.commit({ entries: [say("a")], key: "k" });
    const unknown = refused("APPEND_UNKNOWN", () => commit);
    await pause.reached;
    if (stays === "foreign") fs.appendForeign(file, "\n");
    if (stays === "replaced") fs.place(file, "file", fs.text(file));
    pause.resume();
    await unknown;
    await session.close();
    await using again = await machine.store().open("s");
    const retry = await again.commit({ entries: [say("a")], key: "k" });
    assert.equal(retry.replayed, true, stays);
    assert.deepEqual(await textsOf(again), ["a"]);
  }
});

test("a handle closes after its commits; its followers just end; a failed close is told", async () => {
  const { fs, machine, store } = machineAndStore();
  const session = await store.create({ id: "s", cwd: "/p" });
  const seen: string[] = [];
  const followed = (async () => {
    for await (const event of session.follow()) seen.push(event.type);
  })();
  const commit = session.commit({ entries: [say("a")] });
  const closing = session.close();
  machine.clock.advance(1000);
  await Promise.all([commit, closing, session.close(), followed]);
  assert.deepEqual(seen, ["entries"]);
  for (const call of [
    () => session.refresh(),
    () => session.commit({ entries: [say("x")] }),
    () => session.summary(),
  ]) {
    await refused("STORE_CLOSED", call);
  }
  const other = await store.open("s");
  const scan = other.scan();
  fs.failNext("close", { errno: "EIO" });
  await refused("IO_FAILED", () => other.close());
  await refused("STORE_CLOSED", () => scan[Symbol.asyncIterator]().next());
  await store.close();
  await refused("STORE_CLOSED", () => store.open("s"));
});

function machineAndStore(options: { readonly lockTimeoutMs?: number } = {}): {
  readonly machine: MemoryMachine;
  readonly fs: MemoryMachine["fs"];
  readonly store: ReturnType<MemoryMachine["store"]>;
} {
  const machine = new MemoryMachine();
  return { machine, fs: machine.fs, store: machine.store(options) };
}
