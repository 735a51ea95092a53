import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../errors.ts";
import { checkSessionId, isSessionId, newEntryId, newSessionId, safeSessionId } from "./ids.ts";

const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const ones = { bytes: (count: number) => new Uint8Array(count).fill(0xff) };

const GOOD = ["a", "7", "a.b", "A-b_c.9", "0198c0de-0000-7000-8000-000000000080", "console", "com"];
GOOD.push("a".repeat(128), "com10", "xcon", "nul-l");

const BAD = [
  "",
  ".",
  "..",
  "a..b",
  "../../etc/passwd",
  "a/b",
  "a\\b",
  "/a",
  ".a",
  "a.",
  "-a",
  "a-",
];
BAD.push(
  "_a",
  "a_",
  "a b",
  "a\u0000b",
  "a\nb",
  "a\n",
  "a\u001bb",
  "ä",
  "a:b",
  "a*",
  "a".repeat(129),
);
BAD.push("CON", "con", "con.txt", "prn", "AUX", "nul", "NUL.x", "com1", "COM0", "lpt9", "lpt1.log");
BAD.push("__proto__", "a%2fb", "~", "a\u202eb", "a\ud800");

test("the grammar of session ids (P10, F114, reliability.md §3 row 51)", () => {
  for (const id of GOOD) assert.equal(isSessionId(id), true, id);
  for (const id of BAD) assert.equal(isSessionId(id), false, JSON.stringify(id));
});

test("checkSessionId throws for what breaks the grammar and quotes no more than 200 characters", () => {
  for (const id of GOOD) checkSessionId(id);
  for (const id of [...BAD, "x".repeat(100_000)]) {
    assert.throws(
      () => checkSessionId(id),
      (error) =>
        BranchlineError.is(error, "SESSION_ID_INVALID") && error.fields.session.length <= 200,
    );
  }
});

test("safeSessionId keeps good ids and gives bad ones a safe one, always the same", () => {
  for (const id of GOOD) assert.equal(safeSessionId(id), id);
  for (const id of BAD) {
    assert.equal(isSessionId(safeSessionId(id)), true);
    assert.equal(safeSessionId(id), safeSessionId(id));
  }
  assert.notEqual(safeSessionId("../a"), safeSessionId("../b"));
});

test("entry ids have 20 hex digits and do not repeat", () => {
  const ids = new Set(Array.from({ length: 2000 }, () => newEntryId(random)));
  assert.equal(ids.size, 2000);
  for (const id of ids) assert.match(id, /^[0-9a-f]{20}$/);
  assert.equal(newEntryId({ bytes: (count) => new Uint8Array(count) }), "0".repeat(20));
});

test("session ids are UUIDv7 and sort by the time they were made", () => {
  const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const times = [0, 1, 999, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1];
  const ids = times.map((time) => newSessionId(time, random));
  for (const id of ids) {
    assert.match(id, shape);
    assert.equal(isSessionId(id), true);
  }
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(newSessionId(2 ** 48 - 1, ones), "ffffffff-ffff-7fff-bfff-ffffffffffff");
  assert.match(newSessionId(-5.5, random), /^00000000-0000-7/);
});
