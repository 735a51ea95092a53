import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { ColumnBase } from "./column-base.ts";
import { MirroredPath } from "./mirrored-path.ts";
import type { SearchableBase } from "./tree-base.ts";

/** e0 … e5, each under the one before, and `left` beside e2. */
function oldBase(): SearchableBase {
  const base = new ColumnBase("old");
  const add = (id: string, parentId: string | null): void => {
    const entry = { type: "custom", id, parentId, timestamp: "t", customType: `c${id}` } as Entry;
    const traits = { role: null, customType: `c${id}`, targetId: null };
    assert.ok(base.add({ entry, ...traits }));
  };
  for (const [id, parentId] of [
    ["e0", null],
    ["e1", "e0"],
    ["left", "e1"],
    ["e2", "e1"],
    ["e3", "e2"],
  ] as const)
    add(id, parentId);
  return Object.assign(base, {
    customOrdinals: (types: readonly string[], from: number, to: number) =>
      [0, 1, 2, 3, 4].filter(
        (at) => at >= from && at < to && types.includes(base.at(at)?.customType ?? ""),
      ),
  });
}

function mirror(): MirroredPath {
  const made = new MirroredPath({
    session: "new",
    from: oldBase(),
    name: () => "name",
    fresh: new Set(["e0"]),
  });
  return made;
}

test("a mirror of nothing is empty", () => {
  const base = mirror();
  assert.deepEqual(base.branches, [{ id: "main", head: null, entries: 0 }]);
  assert.deepEqual(
    [base.size, base.tips(), base.children(null), base.get("e1")],
    [0, [], [], undefined],
  );
});

test("stretches of the old base are one line here, also once they are taken over", () => {
  const base = mirror();
  base.add(1, 1);
  base.add(3, 2);
  base.countOwn();
  base.end("e3");
  const shown = (): unknown => [
    base.branches,
    base.tips(),
    [0, 1, 2, 3].map((ordinal) => base.at(ordinal)?.id),
    ["e0", "e1", "e2", "e3", "left"].map((id) => base.get(id)?.ordinal),
    ["e1", "e3"].map((id) => base.get(id)?.storedParentId),
    base.children("e1").map(({ id }) => id),
    base.children("left").map(({ id }) => id),
    [base.commonAncestor("e3", "e2")?.id, base.commonAncestor("left", "nobody")],
    base.withPrefix("e", 2),
    base.withPrefix("", 9),
    base.customOrdinals(["ce3", "ce0", "cleft"], 1, 3),
    [base.get("e3")?.fold.depth, base.get("e3")?.fold.branch, base.name],
  ];
  const before = shown();
  assert.deepEqual(before, [
    [{ id: "main", head: "e3", entries: 2 }],
    [{ id: "e3", ordinal: 2, branch: "main" }],
    ["e1", "e2", "e3", undefined],
    [undefined, 0, 1, 2, undefined],
    [null, "e2"],
    ["e2"],
    [],
    ["e2", null],
    ["e1", "e2"],
    ["e1", "e2", "e3"],
    [2],
    [3, "main", "name"],
  ]);
  const early = base.get("e2");
  assert.equal(base.isKept, false);
  base.keep();
  assert.equal(base.isKept, true);
  assert.deepEqual(shown(), before);
  assert.deepEqual([early?.parent?.id, early?.fold.depth], ["e1", 2]);
});
