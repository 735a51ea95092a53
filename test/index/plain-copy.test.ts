import assert from "node:assert/strict";
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Entry } from "../../src/entry/entry.ts";
import { encodeEntry } from "../../src/entry/line-encode.ts";
import { BranchlineError } from "../../src/errors.ts";
import type { SqliteIndex } from "../../src/index/sqlite/sqlite-index.ts";
import { ioFailed } from "../../src/io/io-failure.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { LEANS_MS, PAUSE_MS, TAKEN_AT_ONCE } from "../../src/store/jsonl/take-over.ts";
import { piHeader, piLine, say } from "../../src/store/jsonl/testing/memory-fixture.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { fileSystem } from "./index-machine.ts";
import { randomSession } from "./random-session.ts";
import { assertAsRead, TwoWays } from "./two-ways.ts";

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

test("a copy in ranges that the disk has no room for fails once, and leaves no file", async () => {
  const ways = new TwoWays();
  try {
    const lines = [piHeader("s"), piLine("a", null, "A"), piLine("b", "a", "B")];
    await using session = await ways.open("full", lines.join(""));
    ways.onBegin = async () => {
      throw ioFailed({ operation: "write", path: "copy" }, "ENOSPC");
    };
    const copying = ways.copy(session, "b", { index: ways.index });
    await assert.rejects(copying, { code: "IO_FAILED" });
    assert.equal(ways.begun, 1);
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

test("a block of which nothing is copied does not overwrite the one that is still written", async () => {
  const ways = new TwoWays();
  try {
    let text = piHeader("s");
    let above: string | null = null;
    for (let at = 0; at < 240; at++) {
      const id = `e${at}`;
      const isLeft = at % 80 >= 40;
      const label = { type: "label", targetId: "e0", label: "l".repeat(100_000), timestamp: "t" };
      text += isLeft
        ? `${JSON.stringify({ id, parentId: above, ...label })}\n`
        : piLine(id, above, `${at}`.repeat(40_000));
      above = id;
    }
    const session = await ways.open("s", `${text}${piLine("end", above, "end")}`);
    ways.writeTurns = 200;
    const { ranges } = await ways.copies(session, "end");
    assert.equal(ways.begun, 1);
    await assertAsRead(ranges, ways.source);
  } finally {
    await ways.close();
  }
});

test("a copy takes over what the index knows, so that another process may remove the old session", async () => {
  const ways = new TwoWays();
  const other = ways.machine.index();
  const text = (count: number): string =>
    Array.from({ length: count }, (_, at) =>
      piLine(`e${at}`, at === 0 ? null : `e${at - 1}`, `${at}`),
    ).join("");
  /** As another process does it: here it is seen after a while only. */
  const remove = async (session: Session): Promise<void> => {
    rmSync(session.file ?? "");
    await other.refresh([ways.machine.root]);
  };
  try {
    const size = TAKEN_AT_ONCE * 2 + 1;
    const session = await ways.open("s", piHeader("s") + text(size));
    const { ranges } = await ways.copies(session, `e${size - 1}`);
    const { clock } = ways;
    for (const wait of [LEANS_MS, PAUSE_MS, PAUSE_MS]) clock.advance(wait);
    assert.equal(clock.pending, 0);
    await remove(session);
    assert.equal(ranges.tree.path(`e${size - 1}`).length, size);
    await assertAsRead(ranges, ways.source);
    // Removed before all was taken over, seen or not: the file is read.
    for (const [wait, seen] of [
      [0, 1000],
      [LEANS_MS, 0],
    ] as const) {
      const next = await ways.open(`s${wait}`, piHeader("n") + text(size));
      const late = (await ways.copies(next, `e${size - 1}`)).ranges;
      ways.clock.advance(wait);
      await remove(next);
      ways.indexClock.advance(seen);
      ways.clock.advance(LEANS_MS);
      assert.equal(ways.clock.pending, 0);
      ways.indexClock.advance(1000);
      await assertAsRead(late, ways.source);
    }
  } finally {
    await other.close();
    await ways.close();
  }
});

test("an open copy does not keep the buffers that it was copied with", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const ways = new TwoWays();
  const { index } = ways;
  try {
    const lines = Array.from({ length: 90 }, (_, at) =>
      piLine(`e${at}`, at === 0 ? null : `e${at - 1}`, "x".repeat(100_000)),
    );
    const session = await ways.open("s", piHeader("s") + lines.join(""));
    const held = async (): Promise<number> => {
      for (let turn = 0; turn < 3; turn++) {
        await setImmediate();
        collect();
      }
      return process.memoryUsage().arrayBuffers;
    };
    for (const options of [{}, { index }]) {
      const before = await held();
      for (let count = 0; count < 8; count++) await ways.copy(session, "e89", options);
      const more = (await held()) - before;
      assert.ok(more < 2_000_000, `${more} bytes`);
    }
  } finally {
    await ways.close();
  }
});

test("rows that were changed are met before a line is read where they say", async () => {
  const ways = new TwoWays();
  const { index, machine } = ways;
  const store = createJsonlStore({ root: machine.root });
  try {
    const { file } = await ways.open("s", CHANGED);
    const session = await Session.attach(await store.openFile(file ?? ""));
    await index.session(file ?? "");
    const database = new DatabaseSync(machine.database);
    database.exec("UPDATE entry SET start = start + 1000000 WHERE id = 'e1'");
    database.close();
    await ways.copies(session, "e4");
    await index.session(file ?? "");
    assert.equal(index.counters.rebuilds, 1);
  } finally {
    await store.close();
    await ways.close();
  }
});
