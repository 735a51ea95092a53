import assert from "node:assert/strict";
import { test } from "node:test";
import { legacyId, legacyParent, upgradeFromV1, upgradeFromV2 } from "./upgrade.ts";

test("v1 entries get ids and parents from their number alone (reliability.md §3 row 35)", () => {
  assert.equal(legacyId(1), "00000001");
  assert.equal(legacyId(0x1234), "00001234");
  assert.equal(legacyParent(1), null);
  assert.equal(legacyParent(0), null);
  assert.equal(legacyParent(2), "00000001");
  assert.deepEqual(upgradeFromV1({ type: "x" }, 2), {
    type: "x",
    id: "00000002",
    parentId: "00000001",
  });
  const linked = { type: "x", id: "own", parentId: null };
  assert.deepEqual(upgradeFromV1(linked, 5), linked);
});

test("the index of the first kept entry of a compaction becomes its id", () => {
  const compaction = { type: "compaction", summary: "s" };
  const upgraded = upgradeFromV1({ ...compaction, firstKeptEntryIndex: 7 }, 9);
  assert.equal(upgraded.firstKeptEntryId, "00000007");
  assert.equal("firstKeptEntryIndex" in upgraded, false);
  for (const index of [0, -1, 1.5]) {
    const none = upgradeFromV1({ ...compaction, firstKeptEntryIndex: index }, 9);
    assert.equal("firstKeptEntryId" in none, false);
  }
  assert.equal(
    upgradeFromV1({ ...compaction, firstKeptEntryIndex: "7" }, 9).firstKeptEntryIndex,
    "7",
  );
  assert.equal(upgradeFromV1({ type: "x", firstKeptEntryIndex: 7 }, 9).firstKeptEntryIndex, 7);
});

test("v2: only the role hookMessage of a message changes", () => {
  const hook = { type: "message", message: { role: "hookMessage", content: "c" } };
  assert.deepEqual(upgradeFromV2(hook), {
    type: "message",
    message: { role: "custom", content: "c" },
  });
  const others = [
    { type: "message", message: { role: "user" } },
    { type: "message", message: null },
  ];
  for (const other of [...others, { ...hook, type: "x" }])
    assert.equal(upgradeFromV2(other), other);
});
