import assert from "node:assert/strict";
import { test } from "node:test";
import { readVerb } from "./read-verb.ts";

test("a slash at the beginning is a verb, anywhere else text", () => {
  assert.deepEqual(readVerb("/compact keep the names"), {
    verb: "compact",
    rest: "keep the names",
  });
  assert.deepEqual(readVerb(" /undo "), { verb: "undo", rest: "" });
  assert.equal(readVerb("what is /etc/hosts"), undefined);
  assert.equal(readVerb("//comment"), undefined);
  assert.equal(readVerb("/etc/hosts is a file"), undefined);
});
