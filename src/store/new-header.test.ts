import assert from "node:assert/strict";
import { test } from "node:test";
import { newHeader } from "./new-header.ts";

const invalid = { code: "ENTRY_INVALID" };

test("a new header has our members first and those of the caller behind", () => {
  const context = {
    now: Date.UTC(2024, 0, 1),
    random: { bytes: (n: number) => new Uint8Array(n) },
  };
  const header = newHeader(
    { cwd: "/p", parentSession: "q", header: { x: 1, crc: "0", id: "y" } },
    context,
  );
  assert.equal(
    JSON.stringify(header),
    '{"type":"session","version":3,"id":"018cc251-f400-7000-8000-000000000000",' +
      '"timestamp":"2024-01-01T00:00:00.000Z","cwd":"/p","parentSession":"q","branchline":{"format":1},"x":1}',
  );
  assert.equal(newHeader({ id: "mine", cwd: "/p" }, context).parentSession, undefined);
  assert.throws(() => newHeader({ id: "../x", cwd: "/p" }, context), {
    code: "SESSION_ID_INVALID",
  });
  assert.throws(() => newHeader({ cwd: "/p", header: { x: 1n } }, context), invalid);
});
