import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage } from "../entry/message.ts";
import { type FailureKind, failureKind, retryAfterMs } from "./failure.ts";
import type { ModelInfo } from "./model.ts";

const INFO: ModelInfo = {
  provider: "p",
  modelId: "m",
  name: "M",
  contextWindow: 1000,
  maxOutput: 100,
  prices: null,
  takesImages: false,
  isOffline: false,
};

const answer = (members: Partial<AssistantMessage>): AssistantMessage => ({
  role: "assistant",
  content: [],
  provider: "p",
  model: "m",
  ...members,
});
const failed = (errorMessage: string): AssistantMessage =>
  answer({ stopReason: "error", errorMessage });
const counted = (stopReason: string, input: number, output: number): AssistantMessage =>
  answer({ stopReason, usage: { input, output, cacheRead: 0, cacheWrite: 0 } });

const TEXTS: Readonly<Record<Exclude<FailureKind, "none" | "aborted">, readonly string[]>> = {
  overflow: [
    "400 prompt is too long: 213462 tokens > 200000 maximum",
    '413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    "Your input exceeds the context window of this model.",
    "This model's maximum context length is 131072 tokens. However, your messages resulted in 537812 tokens",
    "400 context_length_exceeded",
    "litellm.ContextWindowExceededError: Context window exceeded for given call.",
    "Input length (265330) exceeds model's maximum context length (262144).",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    "Please reduce the length of the messages or completion.",
    "The input (40000 tokens) is longer than the model's context length (32768 tokens).",
    "the request exceeds the available context size, try increasing it",
    "tokens to keep from the initial prompt is greater than the context length",
    "prompt token count of 130000 exceeds the limit of 128000",
    "invalid params, context window exceeds limit",
    "Your request exceeded model token limit: 262144 (requested: 300000)",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    "Range of input length should be [1, 129024]",
    "Input is too long for requested model.",
    "429 rate_limit_exceeded: Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 47891.",
    "openai API error (413): failed to parse request",
    "输入内容超出模型的上下文限制：输入过长",
  ],
  transient: [
    "429 Too many requests",
    "429 rate_limit_error: this request would exceed your rate limit of 40,000 input tokens per minute",
    "ThrottlingException: Too many tokens, please wait before trying again.",
    "529 overloaded_error: Overloaded",
    "500 Internal server error",
    "HTTP 503: the service is temporarily unavailable",
    "HTTP 502 Bad Gateway",
    "fetch failed",
    "terminated",
    "read ECONNRESET",
    "getaddrinfo ENOTFOUND api.example.com",
    "The stream ended before its last event",
    "socket hang up",
    "Request timed out.",
    "Provider returned error",
    "服务繁忙，请稍后重试",
  ],
  fatal: [
    "401 Incorrect API key provided",
    "404 model_not_found",
    "400 messages.1.content: invalid",
    "429 insufficient_quota: You exceeded your current quota, please check your plan",
    "400 Your credit balance is too low to access the API",
    "402 Payment Required",
    "400 invalid id req_011CT503abc",
    "400 max_tokens: 8500 is more than 8192",
    "",
  ],
};

for (const [kind, texts] of Object.entries(TEXTS)) {
  test(`${kind}: what providers write`, () => {
    for (const text of texts) assert.equal(failureKind(failed(text), INFO), kind, text);
  });
}

test("an abort is an abort, whatever its text; an answer is none", () => {
  const aborted = answer({ stopReason: "aborted", errorMessage: "429" });
  assert.equal(failureKind(aborted, INFO), "aborted");
  assert.equal(failureKind(answer({ stopReason: "stop" }), INFO), "none");
  assert.equal(failureKind(answer({ stopReason: "error" }), INFO), "fatal");
});

test("overflow without an error: more input than the window, an answer cut short of its length", () => {
  assert.equal(failureKind(counted("stop", 1001, 5), INFO), "overflow");
  assert.equal(failureKind(counted("stop", 1001, 5), { ...INFO, contextWindow: null }), "none");
  assert.equal(failureKind(counted("stop", 1000, 5), INFO), "none");
  assert.equal(failureKind(counted("toolUse", 5000, 5), INFO), "none");
  assert.equal(failureKind(counted("length", 950, 50), INFO), "overflow");
  assert.equal(failureKind(counted("length", 950, 100), INFO), "none");
  assert.equal(failureKind(counted("length", 950, 50), INFO, 50), "none");
  assert.equal(failureKind(counted("length", 950, 50), { ...INFO, maxOutput: null }), "none");
  assert.equal(failureKind(counted("length", 1000, 0), { ...INFO, maxOutput: null }), "overflow");
  assert.equal(failureKind(counted("length", 0, 0), INFO), "none");
  assert.equal(failureKind(answer({ stopReason: "length" }), INFO), "none");
});

test("how long the provider asks to wait", () => {
  assert.equal(retryAfterMs(failed("429 slow down (retry after 2 s)")), 2000);
  assert.equal(retryAfterMs(failed("429 (retry after 1.5 s)")), 1500);
  assert.equal(retryAfterMs(failed("429 (retry-after: 250ms)")), 250);
  assert.equal(retryAfterMs(failed("429 retry after some time")), null);
  assert.equal(retryAfterMs(answer({ stopReason: "stop" })), null);
});
