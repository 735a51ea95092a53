import assert from "node:assert/strict";
import { test } from "node:test";
import { isoTime } from "./iso-time.ts";

test("times in ms become ISO 8601, what is no time nothing", () => {
  assert.equal(isoTime(1795984938426), "2026-11-29T20:42:18.426Z");
  assert.equal(isoTime(0), "1970-01-01T00:00:00.000Z");
  for (const none of [Number.NaN, Number.POSITIVE_INFINITY, 8.65e15, "5", null, undefined])
    assert.equal(isoTime(none), "");
});
