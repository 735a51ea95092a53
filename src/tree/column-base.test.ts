import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { randomSession } from "../../test/index/random-session.ts";
import { assertSameBase } from "../../test/index/same-answers.ts";
import type { Entry } from "../entry/entry.ts";
import { decodeLine } from "../entry/line-decode.ts";
import { ColumnBase } from "./column-base.ts";
import { place } from "./linker.ts";
import { SessionTree } from "./session-tree.ts";
import { slimEntry } from "./slim-entry.ts";

const at = { timestamp: "2026-01-02T03:04:05.678Z" };

function say(id: string, parentId: string | null, role = "user"): Entry {
  return { type: "message", id, parentId, ...at, message: { role, content: "x" } } as Entry;
}

function add(base: ColumnBase, entry: Entry): boolean {
  const { role, customType, targetId } = place(entry, 0);
  return base.add({ entry: slimEntry(entry), role, customType, targetId });
}

function entriesOf(lines: readonly string[]): Entry[] {
  return lines.slice(1).map((line) => {
    const [part] = decodeLine(Buffer.from(line.slice(0, -1))).parts;
    assert.ok(part?.kind === "record");
    return part.value as unknown as Entry;
  });
}

describe("ColumnBase", () => {
  it("answers as the tree of the same entries does", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { id, lines } = randomSession(seed, 60);
      const [base, tree] = [new ColumnBase(id), new SessionTree(id)];
      for (const entry of entriesOf(lines)) {
        assert.equal(add(base, entry), true, `seed ${seed}`);
        tree.add(entry);
      }
      assertSameBase(base, tree);
    }
  });

  it("has no entry before the first one is added", () => {
    const base = new ColumnBase("s");
    assert.deepEqual(
      [base.size, base.at(0), base.name, base.withPrefix("a", 3)],
      [0, undefined, null, []],
    );
    assert.deepEqual(
      [base.children(null), base.branches, base.tips(), base.labels],
      [[], [], [], []],
    );
    assert.equal(base.commonAncestor("a", "b"), null);
  });

  it("refuses what is not sound and stays as it was", () => {
    const base = new ColumnBase("s");
    assert.equal(add(base, say("a", null)), true);
    assert.equal(add(base, say("a", null)), false, "a taken id");
    assert.equal(add(base, say("c", "b")), false, "a parent that is not there");
    const move = { type: "leaf", id: "m", parentId: "a", ...at };
    assert.equal(
      add(base, { ...move, targetId: "z" } as Entry),
      false,
      "a target that is not there",
    );
    assert.equal(base.size, 1);
    assert.equal(add(base, { ...move, targetId: null } as Entry), true);
    assert.deepEqual(base.branches, [{ id: "main", head: null, entries: 1 }]);
  });

  it("finds children again after more was added, and no more ids than were asked for", () => {
    const base = new ColumnBase("s");
    add(base, say("a1", null));
    assert.deepEqual(base.children("a1"), []);
    for (const id of ["a2", "b3", "a4"]) add(base, say(id, "a1"));
    assert.deepEqual(
      base.children("a1").map(({ id }) => id),
      ["a2", "b3", "a4"],
    );
    assert.deepEqual(base.withPrefix("a", 2), ["a1", "a2"]);
    assert.deepEqual([base.ordinalOf("a4"), base.ordinalOf("x")], [3, undefined]);
  });

  it("takes a chain of 300,000 entries in about 200 bytes each (T2)", () => {
    const base = new ColumnBase("s");
    let parentId: string | null = null;
    const before = process.memoryUsage();
    for (let n = 0; n < 300_000; n++) {
      const id = `00000000000000${n.toString(16).padStart(6, "0")}`;
      add(base, say(id, parentId, n % 2 === 0 ? "user" : "assistant"));
      parentId = id;
    }
    const after = process.memoryUsage();
    assert.equal(base.at(299_999)?.fold.depth, 300_000);
    const used = after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers;
    // Garbage that was not collected yet is in it.
    assert.ok(used / 300_000 < 600, `${Math.round(used / 300_000)} bytes an entry`);
  });
});
