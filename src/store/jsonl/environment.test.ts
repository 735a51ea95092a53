import assert from "node:assert/strict";
import { test } from "node:test";
import { environment } from "./environment.ts";

test("outside of a store stubs stay stubs, and everything else is this machine", async () => {
  const env = environment();
  const entry = { type: "x", id: "1", parentId: null, timestamp: "" };
  assert.equal(await env.resolvePayload(entry), entry);
  assert.equal(env.durability, "full");
  const lock = env.makeLock("/nowhere/s.jsonl");
  assert.equal(lock.held, false);
  await lock.close();
});
