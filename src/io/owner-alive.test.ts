import assert from "node:assert/strict";
import { hostname } from "node:os";
import { test } from "node:test";
import { isOwnerAlive } from "./owner-alive.ts";

test("an owner is alive where its process runs on this machine", (t) => {
  const owner = { pid: process.pid, startedAt: 0, host: hostname(), command: "c" };
  assert.equal(isOwnerAlive(owner), true);
  assert.equal(isOwnerAlive({ ...owner, host: "another" }), false);
  assert.equal(isOwnerAlive({ ...owner, pid: 2 ** 30 }), false);
  t.mock.method(process, "kill", () => {
    throw Object.assign(new TypeError("no"), { code: "EPERM" });
  });
  assert.equal(isOwnerAlive(owner), true);
});
