import assert from "node:assert/strict";
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { Entry } from "../../src/entry/entry.ts";
import { encodeEntry } from "../../src/entry/line-encode.ts";
import { BranchlineError } from "../../src/errors.ts";
import type { SqliteIndex } from "../../src/index/sqlite/sqlite-index.ts";
import type { FileSystem } from "../../src/io/file-system.ts";
import { ioFailed } from "../../src/io/io-failure.ts";
import { ManualClock } from "../../src/io/testing/manual-clock.ts";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import { forkSession } from "../../src/session/fork.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore, type JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { piHeader, piLine, say } from "../../src/store/jsonl/testing/memory-fixture.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StoreSession } from "../../src/store/store.ts";
import type { Fold } from "../../src/tree/fold.ts";
import { fileSystem, IndexMachine } from "./index-machine.ts";
import { randomSession } from "./random-session.ts";

/** Two ways to copy the same path, with the same ids and times. */
class TwoWays {
  readonly machine = new IndexMachine();
  readonly index: SqliteIndex = this.machine.index();
  readonly source: JsonlStore;
  /** Files that were begun by the last copy. */
  begun = 0;
  /** Done when the first of them has been begun. */
  onBegin: () => Promise<void> = async () => undefined;
  #stores: JsonlStore[] = [];

  constructor() {
    const { index } = this;
    this.source = createJsonlStore({ root: this.machine.root, index });
    this.#stores.push(this.source);
  }

  async open(name: string, text: string | Uint8Array): Promise<Session> {
    const made = await this.source.create({ cwd: "/" });
    await made.close();
    return await Session.attach(await this.source.openFile(this.machine.write(name, text)));
  }

  /** A copy made from ranges of the file, where that is possible, and one made entry by entry. */
  async copies(
    from: Session,
    at: string | null,
  ): Promise<{ readonly ranges: StoreSession; readonly entries: StoreSession }> {
    const entries = await this.copy(from, at, {});
    this.begun = 0;
    const ranges = await this.copy(from, at, { index: this.index });
    assert.deepEqual(readFileSync(ranges.file ?? ""), readFileSync(entries.file ?? ""));
    return { ranges, entries };
  }

  async close(): Promise<void> {
    for (const store of this.#stores) await store.close();
    await this.index.close();
    this.machine.remove();
  }

  async copy(
    from: Session,
    at: string | null,
    options: { readonly index?: SqliteIndex },
  ): Promise<StoreSession> {
    const counted: FileSystem = {
      ...fileSystem,
      open: async (path, mode) => {
        const isCopy = path.includes(".jsonl.") && path.endsWith(".tmp");
        if (isCopy && this.begun++ === 0) await this.onBegin();
        return await fileSystem.open(path, mode);
      },
    };
    const root = `${this.machine.folder}/to-${this.#stores.length}`;
    const random = seededRandom(5);
    const clock = new ManualClock();
    const store = createJsonlStore({ root, fileSystem: counted, random, clock, ...options });
    this.#stores.push(store);
    return await forkSession({ from, at, store, id: "copy", clock, random });
  }
}

/** What a handle that read nothing of the new file knows is what one that reads it all finds. */
async function assertAsRead(made: StoreSession, store: JsonlStore): Promise<void> {
  await made.refresh();
  const read = await store.openFile(made.file ?? "", { verify: true });
  assert.deepEqual(await view(made), await view(read));
  await read.close();
}

/** Links are getters in one tree and members in the other. */
function plain(fold: Fold): unknown {
  const compactions: string[] = [];
  for (let link = fold.compactions; link !== null; link = link.previous)
    compactions.push(`${link.id} ${link.firstKeptEntryId}`);
  return { ...fold, compactions };
}

async function view(session: StoreSession): Promise<unknown> {
  const entries: Entry[] = [];
  for await (const entry of session.scan()) entries.push(entry);
  const { header, problems, tree } = session;
  const rows = [...tree.entries()].map(({ id, fold, parent, gap, storedParentId, role, type }) => {
    const place = session.placeOf(id);
    const children = tree.children(id).map((child) => child.id);
    const told = { parent: parent?.id, storedParentId, gap, role, type, place, children };
    return { id, fold: plain(fold), ...told };
  });
  const ids = rows.map(({ id }) => id);
  return {
    ...{ entries, rows, header, problems },
    branches: tree.branches(),
    name: tree.name(),
    labels: [...tree.labels()],
    roots: tree.children(null).map(({ id }) => id),
    custom: tree.customOrdinals(["ext", "branchline.gap"], 1, tree.size),
    found: [tree.withPrefix("e1", 3), tree.withPrefix("", 2), tree.get("nobody")],
    meet: tree.commonAncestor(ids[1] ?? null, ids[2] ?? null)?.id,
    nowhere: session.placeOf("nobody"),
  };
}

test("a copy in ranges is byte for byte the one that is made entry by entry: drawn sessions", async () => {
  const ways = new TwoWays();
  let inRanges = 0;
  try {
    for (let seed = 0; seed < 60; seed++) {
      const { lines } = randomSession(seed, seed % 3 === 0 ? 12 : 60);
      const session = await ways.open(`random-${seed}`, lines.join(""));
      const ids = [...session.tree.entries()].map(({ id }) => id);
      for (const at of [session.leaf, ids[ids.length >> 1] ?? null]) {
        const copies = await ways.copies(session, at).catch((error: unknown) => {
          assert.ok(BranchlineError.is(error, "TARGET_INVALID"), String(error));
        });
        if (copies === undefined) continue;
        if (ways.begun === 1) inRanges++;
        await assertAsRead(copies.ranges, ways.source);
        await copies.ranges.close();
        await copies.entries.close();
      }
      await session.close();
    }
    assert.ok(inRanges >= 30, `${inRanges} copies were made at the first go`);
  } finally {
    await ways.close();
  }
});

/** A file with all that a range has to stop at. */
function oddLines(): string {
  const line = (entry: object, stamp = {}): string =>
    Buffer.from(encodeEntry({ timestamp: "t", ...entry } as Entry, stamp)).toString();
  const custom = (id: string, parentId: string | null, rest: object): object => {
    return { type: "custom", id, parentId, ...rest };
  };
  const gap = { session: "s", reason: "missing-parent", missingId: null };
  return [
    piHeader("s"),
    line({ type: "session_info", id: "e0", parentId: null, name: "first" }),
    piLine("e1", "e0", "one"),
    "\n \t\n",
    piLine("方", "e1", "an id that is no ASCII"),
    piLine("side", "e1", "x".repeat(70_000)),
    piLine("e2", "方", 'says "commit":{ and "branchline":{'),
    line({ type: "label", id: "l1", parentId: "e2", targetId: "e1", label: "here" }),
    piLine("e3", "l1", "under a label"),
    line({ ...custom("e4", "e3", { customType: "ext", data: 1 }) }, { key: "k" }),
    line({ ...custom("e5", "e4", { customType: "ext" }) }, { commit: { id: "c", i: 1, n: 2 } }),
    line(
      { ...custom("e6", "e5", { customType: "ext" }) },
      { key: 'k"2', commit: { id: "c", i: 2, n: 2 } },
    ),
    line(custom("own", "e6", { customType: "branchline.goal", data: { session: "s" } })),
    line(custom("g", "own", { customType: "branchline.gap", data: gap })),
    `${JSON.stringify({ type: "message", id: "e7", parentId: "g", timestamp: "t", message: { role: "user", content: "stub" }, branchline: { blob: {} } })}\n`,
    line({ type: "label", id: "l2", parentId: "e7", targetId: "e2", label: "there" }),
    `${JSON.stringify({ type: "message", id: "e7b", parentId: "l2", timestamp: "t", message: { role: "user", content: "stub" }, branchline: { blob: {} } })}\n`,
    line({ type: "context_edit", id: "c1", parentId: "e7b", targetId: "e1", replacement: null }),
    line({ type: "context_edit", id: "c2", parentId: "c1", targetId: "side", replacement: null }),
    line({ type: "context_edit", id: "c3", parentId: "c2", targetId: "none", replacement: null }),
    line({ type: "leaf", id: "mv", parentId: "c3", targetId: "c3" }),
    line({ type: "session_info", id: "e8", parentId: "c3", name: " last " }),
    piLine("e9", "e8", "end"),
  ].join("");
}

test("keys, groups, stubs, blank lines, labels, own state, edits and names are met in a range", async () => {
  const ways = new TwoWays();
  try {
    const session = await ways.open("s", oddLines());
    for (const at of ["e9", "e6", "e5", "g", "e7", "c2", "mv", "e1", "side"]) {
      const { ranges } = await ways.copies(session, at);
      assert.equal(ways.begun, 1, at);
      await assertAsRead(ranges, ways.source);
    }
    for (const targetId of ["e9", "c1", "c2", "own", "side"])
      await session.append({ type: "label", targetId, label: `at ${targetId}` });
    const { ranges } = await ways.copies(session, session.leaf);
    assert.equal(ways.begun, 1);
    // c2 is about what is not on the path, so it is left out, as is our own state.
    const labels = [...ranges.tree.labels().values()].map(({ label }) => label);
    assert.deepEqual(labels, ["here", "there", "at c1", "at e9"]);
    await assertAsRead(ranges, ways.source);
  } finally {
    await ways.close();
  }
});

test("long stretches are cut at lines, lines that are longer than a block stay whole", async () => {
  const ways = new TwoWays();
  try {
    const sizes = [400_000, 3, 1_300_000, 90_000, 5_000_000, 1, 2_097_152];
    let text = piHeader("s");
    for (let at = 0; at < 40; at++) {
      const above = at === 0 ? null : `e${at - 1}`;
      text += piLine(`e${at}`, above, "x".repeat(sizes[at % sizes.length] ?? 0));
      if (at % 9 === 8) text += piLine(`left${at}`, `e${at}`, "y".repeat(at * 5000));
    }
    const session = await ways.open("s", text);
    for (const at of ["e39", "e20", "e4"]) {
      const { ranges } = await ways.copies(session, at);
      assert.equal(ways.begun, 1);
      await assertAsRead(ranges, ways.source);
    }
  } finally {
    await ways.close();
  }
});

/** Two stretches: `left` hangs under the first message. */
const CHANGED = [
  piHeader("s"),
  piLine("e1", null, "one"),
  piLine("e2", "e1", "two"),
  piLine("left", "e1", "left"),
  piLine("e3", "e2", "x".repeat(300)),
  piLine("e4", "e3", "z".repeat(99)),
].join("");

/** Where the line of an entry begins, as {@link piLine} writes it. */
const head = (id: string, parentId: string, type = "message"): string =>
  `{"type":"${type}","id":"${id}","parentId":"${parentId}","timestamp":"2026-01-02T03:04:05.678Z","message":`;
/** Two lines as long as that of `e3`. */
const twoLines = `${piLine("e2b", "e2", "")}${piLine("e3", "e2b", "x".repeat(300 - piLine("e2b", "e2", "").length - 1)).trim()}`;

for (const [what, from, to] of [
  ["another id", '"id":"e1"', '"id":"eX"'],
  ["another parent", '"parentId":"e1"', '"parentId":"eX"'],
  ["another last id", '"id":"e4"', '"id":"eX"'],
  ["no JSON any more", '{"type":"message","id":"e1"', '{"type":"message" "id":"e1"'],
  ["a label that is no JSON", head("e3", "e2"), `${head("e3", "e2", "custom")}:`],
  ["two lines, one of which is none", '","parentId":null,', '",\n"parent":null ,'],
  ["two lines", piLine("e3", "e2", "x".repeat(300)).trim(), twoLines],
  ["one line", '}\n{"type":"message","id":"e2"', '} {"type":"message","id":"e2"'],
  ["no end of a stretch", '}\n{"type":"message","id":"left"', '} {"type":"message","id":"left"'],
] as const) {
  test(`a file that was changed in place is copied as entry by entry: ${what}`, async () => {
    const outcomes: string[] = [];
    for (const isIndexed of [false, true]) {
      const ways = new TwoWays();
      const { index } = ways;
      try {
        const session = await ways.open("s", CHANGED);
        const file = session.file ?? "";
        const text = readFileSync(file, "utf8");
        const at = text.indexOf(from, text.indexOf("\n"));
        const changed = text.slice(0, at) + to + text.slice(at + from.length);
        assert.equal(changed.length, text.length);
        const { mtimeMs = 0 } = (await fileSystem.stat(file)) ?? {};
        writeFileSync(file, changed);
        await fileSystem.setTimes(file, mtimeMs, mtimeMs);
        const copied = await ways.copy(session, "e4", isIndexed ? { index } : {}).then(
          ({ file: made }) => readFileSync(made ?? "", "utf8").replace(/^.*\n/, ""),
          (error: unknown) => (error as BranchlineError).code,
        );
        outcomes.push(copied);
        if (isIndexed) assert.equal(ways.begun, 2);
      } finally {
        await ways.close();
      }
    }
    assert.equal(outcomes[1], outcomes[0]);
  });
}

test("a file that grows is copied as it was, one that shrinks gives no half copy", async () => {
  const ways = new TwoWays();
  const { index } = ways;
  try {
    const session = await ways.open("s", CHANGED);
    const file = session.file ?? "";
    ways.onBegin = async () => appendFileSync(file, piLine("e5", "e4", "five"));
    const grown = await ways.copy(session, "e4", { index });
    assert.deepEqual([ways.begun, grown.tree.size], [1, 4]);
    for (const [at, size, depth] of [
      ["e4", 200, 4],
      ["long", 3_000_000, 7],
    ] as const) {
      const text = `${CHANGED}${piLine("f1", "e4", "x".repeat(1_500_000))}`;
      const long = `${text}${piLine("f2", "f1", "x".repeat(1_000_000))}${piLine("long", "f2", "y".repeat(900_000))}`;
      const other = await ways.open(`s-${at}`, long);
      ways.begun = 0;
      ways.onBegin = async () => truncateSync(other.file ?? "", size);
      // What the handle still has in memory is enough for a whole copy, or there is none.
      const made = await ways.copy(other, at, { index }).catch(() => null);
      assert.equal(ways.begun, 2);
      assert.equal(made?.tree.size ?? depth, depth);
      if (made !== null) await assertAsRead(made, ways.source);
    }
  } finally {
    await ways.close();
  }
});

test("an index that is in trouble or has lost the session keeps nothing from being copied", async () => {
  const ways = new TwoWays();
  const { index } = ways;
  try {
    const session = await ways.open("s", CHANGED);
    const fail = (error: Error): SqliteIndex => {
      return Object.create(index, { session: { value: () => Promise.reject(error) } });
    };
    const broken = fail(ioFailed({ operation: "index", path: "index.db" }, "SQLITE"));
    assert.equal((await ways.copy(session, "e4", { index: broken })).tree.size, 4);
    const other = fail(ioFailed({ operation: "read", path: "s" }, "EIO"));
    await assert.rejects(ways.copy(session, "e4", { index: other }));
    ways.begun = 0;
    ways.onBegin = async () => {
      await index.distrust(session.file ?? "");
      await index.refresh([ways.machine.root]);
    };
    const forgotten = await ways.copy(session, "e4", { index });
    assert.equal(ways.begun, 1);
    await assertAsRead(forgotten, ways.source);
    await index.close();
    const closed = await ways.copy(session, "e4", { index });
    await assertAsRead(closed, ways.source);
  } finally {
    await ways.close();
  }
});

test("what has no lines is copied entry by entry: other stores, older versions, damaged files", async () => {
  const ways = new TwoWays();
  const { index } = ways;
  const memory = createMemoryStore();
  try {
    const made = await memory.create({ cwd: "/p" });
    const kept = await made.commit({ entries: [say("one")] });
    const there = await Session.attach(made);
    const id = kept.entries[0]?.id ?? "";
    assert.equal((await ways.copy(there, id, { index })).tree.size, 1);
    const old = await ways.open("old", `${piHeader("old", 2)}${piLine("a", null, "one")}`);
    assert.equal((await ways.copy(old, "a", { index })).tree.size, 1);
    const odd = await ways.open("odd", `${piHeader("odd")}${piLine("a", null, "one")}{}\n`);
    assert.equal((await ways.copy(odd, "a", { index })).tree.size, 1);
  } finally {
    await ways.close();
    await memory.close();
  }
});

test("what is known of a copy outlives what the index knows of the old session", async () => {
  const ways = new TwoWays();
  try {
    const session = await ways.open("s", oddLines());
    const { ranges } = await ways.copies(session, "e9");
    const early = ranges.tree.get("e3");
    await ways.index.distrust(session.file ?? "");
    await ways.index.refresh([ways.machine.root]);
    assert.equal(early?.fold.depth, ranges.tree.get("e3")?.fold.depth);
    await assertAsRead(ranges, ways.source);
    const { replayed } = await ranges.commit({ key: "k", entries: [say("its own")] });
    assert.equal(replayed, false);
    const copy = await Session.attach(ranges);
    await copy.append({ type: "message", message: { role: "user", content: "on" } });
    await assertAsRead(ranges, ways.source);
  } finally {
    await ways.close();
  }
});
