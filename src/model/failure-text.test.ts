import assert from "node:assert/strict";
import { test } from "node:test";
import { failureText, withoutSecrets } from "./failure-text.ts";

test("keys are in no text, whoever wrote them", () => {
  const texts = [
    "Incorrect API key provided: sk-proj-SECRETabc123456789.",
    "Authorization: Bearer SECRET.abc-123",
    "authorization: Bearer SECRETabcdef",
    "authorization=SECRETabc",
    'header {"x-api-key":"SECRET12345"}',
    "https://user:SECRET@host/v1",
    "GET https://host/v1?key=SECRETabc&alt=sse",
    "AIzaSySECRET0123456789abcdefghij is not valid",
    "gsk_SECRET0123456789",
  ];
  for (const text of texts) {
    assert.doesNotMatch(withoutSecrets(text), /SECRET/, text);
    assert.match(withoutSecrets(text), /\[redacted\]/, text);
  }
  assert.equal(withoutSecrets("key given: plainword", ["plainword", ""]), "key given: [redacted]");
});

test("words that only look a little like keys stay", () => {
  for (const text of [
    "The task-force asked for risk-management and sk-learn",
    "max_tokens: 8500 is more than 8192",
    "model gpt-5-mini was not found",
    "the key is missing",
    "a bearer token is needed, basic authentication is not",
    "context_length_exceeded: 5000 tokens",
    "http://127.0.0.1:4317/v1 refused",
  ]) {
    assert.equal(withoutSecrets(text), text);
  }
});

test("the status, the message and what caused it, each once, cut", () => {
  const cause = Object.assign(new RangeError("connect refused"), { code: "ECONNREFUSED" });
  assert.equal(
    failureText(new RangeError("fetch failed", { cause })),
    "fetch failed: connect refused",
  );
  assert.equal(failureText(new RangeError("a b", { cause: new RangeError("b") })), "a b");
  assert.equal(failureText({ message: "", code: "ECONNRESET" }), "ECONNRESET");
  assert.equal(failureText({ message: "slow down", statusCode: 429 }), "429 slow down");
  assert.equal(failureText({ message: "429 slow down", status: 429 }), "429 slow down");
  assert.equal(failureText("is plainword no", ["plainword"]), "is [redacted] no");
  // Too short for a key: it would make any text unreadable, and its kind of failure unknown.
  assert.equal(failureText("plain", ["lai"]), "plain");
  assert.equal(failureText(undefined), "unknown error");
  assert.equal(failureText(null), "unknown error");
  assert.equal(failureText({}), "unknown error");
  const endless: { message: string; cause?: unknown } = { message: "x".repeat(5000) };
  endless.cause = endless;
  assert.equal(failureText(endless).length, 2000);
});
