import assert from "node:assert/strict";
import { test } from "node:test";
import { add, newFixture } from "../session/testing/session-fixture.ts";
import { compact } from "./compact.ts";
import { contextSize, needsCompaction, tokenLimit } from "./context-size.ts";
import { isRefusal } from "./refusal.ts";
import { DEFAULT_COMPACTION, settingsFor } from "./settings.ts";
import {
  answering,
  asking,
  longTalk,
  prose,
  resulting,
  told,
} from "./testing/compaction-fixture.ts";

type Session = Parameters<typeof compact>[0];
const M = { provider: "p", modelId: "m" };

async function sizeOf(session: Session, model: typeof M | null = M) {
  return contextSize(await session.context(), { tree: session.tree, model });
}

test("the usage of the last answer counts, and the estimate of what came after it", async () => {
  const { session } = await newFixture();
  await longTalk(session, 2, 500);
  const answer = await add(session, answering("short", { used: 1500 }));
  assert.deepEqual((await sizeOf(session)).tokens, 1500);
  await add(session, asking(prose(100)));
  const { tokens, calibratedBy } = await sizeOf(session);
  assert.ok(tokens >= 1598 && tokens <= 1602, String(tokens));
  assert.equal(calibratedBy, answer);
});

test("totalTokens goes before the sum; input, output and cache are added up", async () => {
  const { session } = await newFixture();
  const usage = { input: 300, output: 20, cacheRead: 500, cacheWrite: 80 };
  const message = { role: "assistant", content: [], provider: "p", model: "m" } as const;
  await add(session, { type: "message", message: { ...message, usage } });
  assert.equal((await sizeOf(session)).tokens, 900);
  await add(session, {
    type: "message",
    message: { ...message, usage: { ...usage, totalTokens: 950 } },
  });
  assert.equal((await sizeOf(session)).tokens, 950);
});

test("usage from before a compaction is stale and triggers nothing (F075)", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  await add(session, answering("used", { used: 190_000 }));
  assert.equal((await sizeOf(session)).tokens, 190_000);
  const outcome = await compact(session, {
    reason: "threshold",
    summariser: told(),
    keep: { messages: 1 },
  });
  assert.ok(!isRefusal(outcome));
  const { tokens, calibratedBy } = await sizeOf(session);
  assert.ok(tokens < 100);
  assert.equal(calibratedBy, null);
  await session.uncompact();
  assert.equal((await sizeOf(session)).calibratedBy, null);
});

test("an edit above the answer makes its usage stale, one behind it does not", async () => {
  const { session } = await newFixture();
  const [first] = await longTalk(session, 2, 500);
  const answer = await add(session, answering("used", { used: 1500 }));
  const failed = await add(session, answering("", { stopReason: "error", used: 7 }));
  await session.hide(failed);
  assert.equal((await sizeOf(session)).calibratedBy, answer);
  await session.hide(first!);
  assert.equal((await sizeOf(session)).calibratedBy, null);
});

test("answers that failed or tell no usage are passed over", async () => {
  const { session } = await newFixture();
  const answer = await add(session, answering("used", { used: 40 }));
  await add(session, answering("x", { used: 9000, stopReason: "aborted" }));
  await add(session, answering("x", { used: 9000, stopReason: "error" }));
  await add(session, answering("x"));
  const usage = { input: Number.NaN, output: "7", cacheRead: -5, cacheWrite: null };
  const odd = { role: "assistant", content: [], provider: "p", model: "m", usage };
  await add(session, { type: "message", message: odd });
  assert.equal((await sizeOf(session)).calibratedBy, answer);
});

test("usage that is far too small is not believed, so that compaction does come (M: estimates that never trigger)", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 5000);
  await add(session, answering("x", { used: 10 }));
  const { tokens, calibratedBy } = await sizeOf(session);
  assert.ok(tokens > 9000);
  assert.equal(calibratedBy, null);
});

test("usage of another model never makes the size smaller than the estimate", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 1000);
  await add(session, answering("x", { used: 3500, model: "other" }));
  const { tokens } = await session.context();
  assert.equal((await sizeOf(session)).tokens, tokens);
  assert.equal((await sizeOf(session, null)).tokens, 3500);
});

test("F065 images count by their bytes: 34 MB are too much for a request at 15 % of the tokens", async () => {
  const { session } = await newFixture();
  const image = { type: "image", data: "A".repeat(1_700_000), mimeType: "image/png" };
  for (let at = 0; at < 20; at++) {
    await add(session, answering("look", { calls: [{ id: `c${at}`, name: "shot" }] }));
    await add(session, resulting(`c${at}`, [image]));
  }
  const size = await sizeOf(session);
  assert.ok(size.bytes > 34_000_000 && size.bytes < 34_100_000, String(size.bytes));
  const settings = settingsFor(undefined, M);
  assert.equal(needsCompaction(size, 200_000, settings), "bytes");
  const outcome = await compact(session, {
    reason: "threshold",
    summariser: told(),
    contextWindow: 200_000,
  });
  assert.ok(!isRefusal(outcome));
  assert.ok((await sizeOf(session)).bytes < 10_000_000);
});

test("F065 one image that is too large on its own goes too", async () => {
  const { session } = await newFixture();
  await add(session, asking("look at it"));
  await add(session, answering("look", { calls: [{ id: "c", name: "shot" }] }));
  const image = { type: "image", data: "A".repeat(21_000_000), mimeType: "image/png" };
  await add(session, resulting("c", [image]));
  const outcome = await compact(session, {
    reason: "threshold",
    summariser: told(),
    contextWindow: 200_000,
  });
  assert.ok(!isRefusal(outcome));
  assert.ok((await sizeOf(session)).bytes < 10_000);
});

test("bytes: Chinese in UTF-8, arguments, commands, prompts and summaries count", async () => {
  const bytes = async (draft: Parameters<typeof add>[1]): Promise<number> => {
    const { session } = await newFixture();
    await add(session, draft);
    return (await sizeOf(session)).bytes;
  };
  const empty = await bytes(asking(""));
  assert.equal((await bytes(asking("字".repeat(100)))) - empty, 300);
  const command = { role: "bashExecution", command: "ls", output: "y".repeat(500), exitCode: 0 };
  assert.ok((await bytes({ type: "message", message: command })) > 500);
  const rules = { role: "system", content: "z".repeat(500), sections: { a: "b".repeat(300) } };
  assert.ok((await bytes({ type: "message", message: rules })) > 800);
  const call = answering("", { calls: [{ id: "c", name: "n", args: { text: "w".repeat(700) } }] });
  assert.ok((await bytes(call)) > 700);
  const left = { type: "branch_summary", fromId: "root", summary: "s".repeat(400) } as const;
  assert.ok((await bytes(left)) > 400);
});

test("what is sent besides the messages counts", async () => {
  const { session } = await newFixture();
  await longTalk(session, 1, 100);
  const context = await session.context();
  const options = { tree: session.tree, model: M };
  const alone = contextSize(context, options);
  const besides = contextSize(context, { ...options, besides: { tokens: 50, bytes: 200 } });
  assert.equal(besides.tokens - alone.tokens, 50);
  assert.equal(besides.bytes - alone.bytes, 200);
});

test("the limit is the window less the reserve, at most half of it; an unknown window leaves bytes alone", () => {
  const settings = settingsFor(undefined, null);
  const needs = (tokens: number, window: number | null): string =>
    needsCompaction({ tokens, bytes: 0 }, window, settings);
  assert.equal(tokenLimit(200_000, settings), 183_616);
  assert.equal(tokenLimit(16_000, settings), 8000);
  assert.equal(tokenLimit(null, settings), null);
  assert.equal(needs(183_616, 200_000), "no");
  assert.equal(needs(183_617, 200_000), "tokens");
  assert.equal(needs(10_000_000, null), "no");
  assert.equal(needsCompaction({ tokens: 0, bytes: 20_000_001 }, null, settings), "bytes");
  const free = settingsFor({ maxBytes: null }, null);
  assert.equal(needsCompaction({ tokens: 0, bytes: 2e9 }, null, free), "no");
});

test("F085 switched off is never due", () => {
  const off = settingsFor({ enabled: false }, null);
  assert.equal(needsCompaction({ tokens: 1e9, bytes: 1e12 }, 1000, off), "no");
});

test("settings: defaults, given ones, those of a model", () => {
  const perModel = { "p/m": { keepRecentTokens: 5, contextWindow: 8000 } };
  const given = { reserveTokens: 7, perModel };
  assert.deepEqual(settingsFor(given, M), {
    ...{ enabled: true, reserveTokens: 7, keepRecentTokens: 5, maxBytes: 20_000_000 },
    ...{ contextWindow: 8000, brakeAfter: 3 },
  });
  assert.equal(settingsFor(given, { provider: "p", modelId: "x" }).keepRecentTokens, 20_000);
  assert.equal(settingsFor(undefined, null).keepRecentTokens, DEFAULT_COMPACTION.keepRecentTokens);
});
