import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage } from "../entry/message.ts";
import { DEFAULT_RETRY, retryDelay } from "./retry.ts";

function failed(errorMessage: string): AssistantMessage {
  return { role: "assistant", content: [], provider: "p", model: "m", errorMessage };
}

test("waits double up to the longest one, and end after the last attempt", () => {
  const policy = { attempts: 4, baseMs: 100, maxMs: 500 };
  const delays = [1, 2, 3, 4, 5].map((attempt) => retryDelay(policy, attempt, failed("529")));
  assert.deepEqual(delays, [100, 200, 400, 500, null]);
  assert.equal(retryDelay({ ...policy, attempts: 0 }, 1, failed("529")), null);
});

test("a provider that names a time gets it; one that wants too long is not tried again", () => {
  assert.equal(retryDelay(DEFAULT_RETRY, 1, failed("429 (retry after 7 s)")), 7000);
  assert.equal(retryDelay(DEFAULT_RETRY, 3, failed("429 (retry after 10 ms)")), 4000);
  assert.equal(retryDelay(DEFAULT_RETRY, 1, failed("429 (retry after 600 s)")), null);
});
