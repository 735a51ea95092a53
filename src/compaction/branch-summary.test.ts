import assert from "node:assert/strict";
import { test } from "node:test";
import { isEntry } from "../entry/entry-check.ts";
import { add, newFixture } from "../session/testing/session-fixture.ts";
import { summariseBranch } from "./branch-summary.ts";
import { compact } from "./compact.ts";
import { extractiveSummariser } from "./extractive-summariser.ts";
import { isRefusal } from "./refusal.ts";
import {
  answering,
  asking,
  GOOD_SUMMARY,
  longTalk,
  prose,
  resulting,
  system,
  told,
} from "./testing/compaction-fixture.ts";

async function made(...given: Parameters<typeof summariseBranch>) {
  const summary = await summariseBranch(...given);
  if (isRefusal(summary)) assert.fail(summary.message);
  return summary;
}

test("F084 only what the move leaves is summarised, as the model saw it", async () => {
  const { session } = await newFixture();
  await add(session, system("rules"));
  const [, to] = await longTalk(session, 1, 20);
  const hidden = await add(session, asking("HIDDEN"));
  await add(
    session,
    answering("left", { calls: [{ id: "c", name: "write", args: { path: "a.ts" } }] }),
  );
  await add(session, resulting("c", "ok", { toolName: "write" }));
  await add(
    session,
    answering("open", { calls: [{ id: "d", name: "read", args: { path: "b.ts" } }] }),
  );
  await session.hide(hidden);
  const from = session.leaf;
  const summariser = told();
  const summary = await made(session, { from, to: to!, summariser, instructions: "look" });
  const [input] = summariser.inputs;
  assert.deepEqual(
    input?.messages.map(({ message }) => message.role),
    ["assistant", "toolResult", "assistant", "toolResult"],
  );
  assert.deepEqual(
    [input?.kind, input?.instructions, input?.previousSummary],
    ["branch", "look", null],
  );
  const { readFiles, modifiedFiles, branchline } = summary.details;
  assert.deepEqual([readFiles, modifiedFiles], [[], ["a.ts"]]);
  assert.deepEqual(branchline, { summariser: "told", extractive: false, messages: 4, leftOut: 0 });
  assert.ok(
    summary.text.startsWith(GOOD_SUMMARY) && summary.text.includes("<modified-files>\na.ts"),
  );
  // F083: the entry names the leaf that was left.
  await session.moveLeaf(to!, { summary });
  const entry = await session.store.mustGet(session.leaf!);
  assert.ok(isEntry(entry, "branch_summary"));
  assert.equal(entry.fromId, from);
});

test("file lists of compactions and summaries on the branch go on; the compaction speaks for its range", async () => {
  const { session } = await newFixture();
  const [, to] = await longTalk(session, 1, 20);
  await add(
    session,
    answering("w", { calls: [{ id: "c", name: "write", args: { path: "old.ts" } }] }),
  );
  await add(session, resulting("c", prose(500)));
  await longTalk(session, 3, 300);
  const outcome = await compact(session, {
    reason: "manual",
    summariser: told(`${GOOD_SUMMARY} ALL`),
    keep: { messages: 2 },
  });
  assert.ok(!isRefusal(outcome));
  await longTalk(session, 1, 20);
  const summariser = told();
  const { details } = await made(session, { from: session.leaf, to: to!, summariser });
  const [input] = summariser.inputs;
  assert.equal(input?.messages[0]?.message.role, "compactionSummary");
  assert.equal(input.messages.length, 5);
  assert.deepEqual(details.modifiedFiles, ["old.ts"]);
});

test("the newest come first within the budget, at least one", async () => {
  const { session } = await newFixture();
  const ids = await longTalk(session, 10, 500);
  const summariser = told();
  const options = { from: session.leaf, to: null, summariser };
  const { details } = await made(session, { ...options, budget: 1100 });
  assert.deepEqual(
    summariser.inputs[0]?.messages.map(({ entry }) => entry),
    ids.slice(-4),
  );
  assert.equal(details.branchline.leftOut, 16);
  await made(session, { ...options, budget: 1, maxTokens: 77 });
  assert.equal(summariser.inputs[1]?.messages.length, 1);
  assert.equal(summariser.inputs[1].maxTokens, 77);
});

test("nothing left, an unusable summary, an abort: nothing is written", async () => {
  const { session } = await newFixture();
  const ids = await longTalk(session, 2, 200);
  await session.setLabel(ids[0]!, "x");
  const { size } = session.tree;
  const refused = async (from: string | null, to: string | null, text = GOOD_SUMMARY) => {
    const summary = await summariseBranch(session, { from, to, summariser: told(text) });
    return isRefusal(summary) ? summary.refused : "made";
  };
  assert.equal(await refused(ids[1]!, ids[3]!), "nothing-to-compact");
  assert.equal(await refused(null, ids[3]!), "nothing-to-compact");
  assert.equal(await refused(session.leaf, ids[3]!), "nothing-to-compact");
  assert.equal(await refused(ids[3]!, ids[1]!, ""), "empty-summary");
  const options = { from: ids[3]!, to: ids[1]!, summariser: told() };
  await assert.rejects(summariseBranch(session, { ...options, signal: AbortSignal.abort() }), {
    code: "ABORTED",
  });
  const late = new AbortController();
  const slow = told(() => {
    late.abort();
    return { text: GOOD_SUMMARY, stopReason: "stop" };
  });
  await assert.rejects(
    summariseBranch(session, { ...options, summariser: slow, signal: late.signal }),
    { code: "ABORTED" },
  );
  assert.equal(session.tree.size, size);
  assert.equal(await refused(ids[3]!, ids[1]!), "made");
});

test("without a model too", async () => {
  const { session } = await newFixture();
  await longTalk(session, 3, 300);
  const { text, details, usage } = await made(session, {
    from: session.leaf,
    to: null,
    summariser: extractiveSummariser(),
  });
  assert.match(text, /First asked: question 1/);
  assert.equal(details.branchline.extractive, true);
  assert.equal(usage, undefined);
});
