import assert from "node:assert/strict";
import { test } from "node:test";
import { ioFailed } from "./io-failure.ts";

test("a full disk and missing rights come with what to do; an unknown failure has no advice", () => {
  const hint = (errno: string): string =>
    ioFailed({ operation: "write", path: "/s.jsonl" }, errno).hint ?? "none";
  for (const errno of ["ENOSPC", "EDQUOT", "EFBIG", "SHORT_WRITE"]) {
    assert.match(hint(errno), /^Free space/, errno);
  }
  for (const errno of ["EACCES", "EPERM", "EROFS"]) assert.match(hint(errno), /mode/, errno);
  assert.equal(hint("EIO"), "none");
});
