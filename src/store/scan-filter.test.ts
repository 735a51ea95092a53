import assert from "node:assert/strict";
import { test } from "node:test";
import { rowFilter, scanFilter, scanRange } from "./scan-filter.ts";

test("a range is kept within what there is", () => {
  assert.deepEqual(scanRange({}, 5), { from: 0, to: 5 });
  assert.deepEqual(scanRange({ from: -3, to: 9 }, 5), { from: 0, to: 5 });
  assert.deepEqual(scanRange({ from: 9 }, 5), { from: 5, to: 5 });
  assert.deepEqual(scanRange({ from: 3, to: 1 }, 5), { from: 3, to: 3 });
  assert.deepEqual(scanRange({ to: -1 }, 5), { from: 0, to: 0 });
});

test("times are compared as times; what is no time does not pass", () => {
  const passes = scanFilter({ since: "2024-01-01T12:00:00Z" });
  const at = (timestamp: string): boolean =>
    passes({ type: "x", id: "1", parentId: null, timestamp });
  assert.ok(at("2024-01-01T12:00:00.000Z"));
  assert.ok(at("2024-01-01T13:00:00+01:00"));
  assert.ok(!at("2024-01-01T12:00:00+01:00"));
  assert.ok(!at(""));
  assert.ok(!at("soon"));
});

test("what the tree tells of a row is enough to leave its payload unread", () => {
  const user = { type: "message", role: "user" };
  const label = { type: "label", role: null };
  assert.ok(rowFilter({})(label));
  assert.ok(rowFilter({ types: ["label"] })(label) && !rowFilter({ types: ["label"] })(user));
  assert.ok(rowFilter({ roles: ["user"] })(user) && !rowFilter({ roles: ["user"] })(label));
  assert.ok(!rowFilter({ types: ["message"], roles: ["assistant"] })(user));
});
