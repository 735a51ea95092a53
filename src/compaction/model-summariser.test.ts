import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage, Message } from "../entry/message.ts";
import { newFixture } from "../session/testing/session-fixture.ts";
import { compact } from "./compact.ts";
import { modelSummariser, type SummaryRequest } from "./model-summariser.ts";
import { isRefusal } from "./refusal.ts";
import type { SourcedMessage, SummaryInput } from "./summariser.ts";
import { GOOD_SUMMARY, longTalk, prose } from "./testing/compaction-fixture.ts";
import { messageText, textTokens, transcriptSteps } from "./transcript.ts";

const answer = (text: string, members: Partial<AssistantMessage> = {}): AssistantMessage => {
  const usage = { input: 10, output: 5, cacheRead: 1, cacheWrite: 2, totalTokens: 18 };
  const content = [{ type: "text" as const, text }];
  return {
    role: "assistant",
    content,
    provider: "p",
    model: "m",
    usage,
    stopReason: "stop",
    ...members,
  };
};
const user = (content: string): SourcedMessage => ({
  entry: "e",
  message: { role: "user", content },
});
const input = (members: Partial<SummaryInput>): SummaryInput => {
  return {
    ...{ kind: "compaction", previousSummary: null, messages: [], turnPrefix: [], kept: [] },
    files: { readFiles: [], modifiedFiles: [] },
    ...{ instructions: null, maxTokens: 500, inputTokens: null },
    ...members,
  };
};

/** A stream that answers in turn and keeps the requests. */
function stream(...answers: readonly (AssistantMessage | string)[]) {
  const requests: SummaryRequest[] = [];
  const run = async (request: SummaryRequest): Promise<AssistantMessage> => {
    const next = answers[requests.length] ?? answers.at(-1)!;
    requests.push(request);
    return typeof next === "string" ? answer(next) : next;
  };
  return { requests, run };
}

test("one request: text only, the transcript as data, the headings, no tools", async () => {
  const { requests, run } = stream(GOOD_SUMMARY);
  const summariser = modelSummariser(run, "p/m");
  assert.deepEqual([summariser.name, summariser.isExtractive], ["p/m", false]);
  const signal = new AbortController().signal;
  const onText = () => undefined;
  const summary = await summariser.summarise(input({ messages: [user("ask 1")] }), {
    signal,
    onText,
  });
  assert.equal(summary.text, GOOD_SUMMARY);
  assert.equal(summary.stopReason, "stop");
  const [request] = requests;
  assert.deepEqual(Object.keys(request!).sort(), [
    "maxTokens",
    "onText",
    "signal",
    "system",
    "text",
  ]);
  assert.equal(request?.maxTokens, 500);
  assert.equal(request.signal, signal);
  for (const heading of [
    "Goal",
    "Constraints & Preferences",
    "Key Decisions",
    "Next Steps",
    "Critical Context",
  ]) {
    assert.ok(request.text.includes(`## ${heading}`), heading);
  }
  assert.match(request.text, /<transcript>\n\[user\]\nask 1\n<\/transcript>/);
});

test("F077 what is decided and the next action are asked for apart from plans", async () => {
  const { requests, run } = stream(GOOD_SUMMARY);
  await modelSummariser(run).summarise(input({ messages: [user("x")] }));
  assert.match(requests[0]!.text, /Only what was settled/);
  assert.match(requests[0]!.text, /`Next action:`[^\n]*`Planned, not decided:`/);
});

test("the summary before and the wishes of the person go in; a branch has no critical context", async () => {
  const { requests, run } = stream(GOOD_SUMMARY);
  const made = modelSummariser(run);
  await made.summarise(
    input({ messages: [user("x")], previousSummary: "OLD", instructions: "PORTS" }),
  );
  assert.match(requests[0]!.text, /<memory>\nOLD\n<\/memory>/);
  assert.match(requests[0]!.text, /PORTS/);
  await made.summarise(input({ messages: [user("x")], kind: "branch" }));
  assert.ok(!requests[1]!.text.includes("Critical Context"));
});

test("a split turn takes a request of its own; usage is added up", async () => {
  const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, total: 3 };
  const usage = { input: 10, output: 5, cacheRead: 1, cacheWrite: 2, cost };
  const { requests, run } = stream("history", answer("turn part", { usage }));
  const summary = await modelSummariser(run).summarise(
    input({ messages: [user("one")], turnPrefix: [user("two")] }),
  );
  assert.equal(requests.length, 2);
  assert.ok(!requests[1]!.text.includes("one\n"));
  assert.match(summary.text, /^history\n\n## Current Turn\n[^\n]+\nturn part$/);
  assert.deepEqual(summary.usage, {
    ...{ input: 20, output: 10, cacheRead: 2, cacheWrite: 4, totalTokens: 18, cost },
  });
});

test("a split turn alone: the summary before it stays in front", async () => {
  const { requests, run } = stream("turn part");
  const made = modelSummariser(run);
  const alone = await made.summarise(input({ turnPrefix: [user("two")] }));
  assert.match(alone.text, /^## Current Turn/);
  const behind = await made.summarise(input({ turnPrefix: [user("two")], previousSummary: "OLD" }));
  assert.match(behind.text, /^OLD\n\n## Current Turn/);
  assert.equal(requests.length, 2);
});

test("F078 what does not fit into one request is summarised in steps, each with the summary so far", async () => {
  const { requests, run } = stream("S1", "S2", "S3", "S4", "S5");
  const messages = Array.from({ length: 10 }, (_, at) => user(`m${at} ${prose(400)}`));
  const summary = await modelSummariser(run).summarise(input({ messages, inputTokens: 1200 }));
  assert.equal(requests.length, 5);
  for (const request of requests) assert.ok(textTokens(request.text) < 1200 + 500);
  assert.match(requests[1]!.text, /<memory>\nS1\n<\/memory>/);
  assert.equal(summary.text, "S5");
});

test("F071 F082 a step that fails or is empty ends it, and its end is what is told", async () => {
  const messages = Array.from({ length: 4 }, (_, at) => user(`m${at} ${prose(700)}`));
  const many = input({ messages, turnPrefix: [user("t")], inputTokens: 1200 });
  const failed = answer("", { stopReason: "error", errorMessage: "boom" });
  for (const [bad, stopReason] of [
    [answer("cut", { stopReason: "length" }), "length"],
    [failed, "error"],
    [" ", "stop"],
  ] as const) {
    const { requests, run } = stream("S1", bad);
    const summary = await modelSummariser(run).summarise(many);
    assert.equal(requests.length, 2);
    assert.equal(summary.stopReason, stopReason);
    assert.notEqual(summary.text, "S1");
  }
  const { run } = stream("S1", "S2", "S3", "S4", answer("cut", { stopReason: "length" }));
  assert.equal((await modelSummariser(run).summarise(many)).stopReason, "length");
  const odd = {
    ...answer("text"),
    stopReason: undefined,
    usage: undefined,
  } as unknown as AssistantMessage;
  const summary = await modelSummariser(async () => odd).summarise(
    input({ messages: [user("x")] }),
  );
  assert.deepEqual([summary.stopReason, summary.usage], ["stop", undefined]);
});

test("F071 an empty first part of a turn is refused as a whole", async () => {
  const { run } = stream("history", "");
  const summary = await modelSummariser(run).summarise(
    input({ messages: [user("one")], turnPrefix: [user("two")] }),
  );
  assert.equal(summary.text, "");
});

test("with compact: name and cost stand in the entry", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  const { run } = stream(GOOD_SUMMARY);
  const outcome = await compact(session, {
    ...{ reason: "manual", keep: { messages: 2 }, summariser: modelSummariser(run, "p/m") },
  });
  assert.ok(!isRefusal(outcome));
  assert.equal(outcome.entry.usage?.input, 10);
  assert.match(JSON.stringify(outcome.entry.details), /"summariser":"p\/m","extractive":false/);
});

test("messages as text: tool output cut to 2,000 characters, no thoughts, images named", () => {
  const text = (message: Record<string, unknown>): string =>
    messageText(message as unknown as Message);
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const thought = { type: "thinking", thinking: "SECRET" };
  const call = {
    type: "toolCall",
    id: "c",
    name: "bash",
    arguments: { command: "x".repeat(5000) },
  };
  assert.equal(
    text({ role: "user", content: [{ type: "text", text: "hi" }, image] }),
    "[user]\nhi\n[image image/png, 3 bytes]",
  );
  const said = text({ role: "assistant", content: [thought, { type: "text", text: "so" }, call] });
  assert.ok(
    said.startsWith("[assistant]\nso\n[calls bash {") &&
      said.length < 2200 &&
      !said.includes("SECRET"),
  );
  const result = text({
    role: "toolResult",
    toolName: "bash",
    content: `a${"字".repeat(9000)}z`,
    isError: true,
  });
  assert.match(result, /^\[result of bash, failed\]\na字/);
  assert.match(result, /\[… \d+ characters left out …\]\n字+z$/);
  assert.ok(result.length < 2100);
  assert.equal(text({ role: "bashExecution", command: "ls", output: "a" }), "[user ran] ls\na");
  assert.equal(text({ role: "bashExecution", command: "ls" }), "[user ran] ls");
  assert.equal(text({ role: "branchSummary", summary: "b" }), "[summary of another branch]\nb");
  assert.equal(
    text({ role: "compactionSummary", summary: "c" }),
    "[summary of what was before]\nc",
  );
  assert.equal(text({ role: "custom", customType: "n", content: "d" }), "[note n]\nd");
  assert.equal(text({ role: "unheard", content: "e" }), "[note unheard]\ne");
});

test("F078 one giant message is shown with its middle left out, no character cut in two", () => {
  const [step, ...rest] = transcriptSteps([user("😀".repeat(200_000))], 5000);
  assert.equal(rest.length, 0);
  assert.ok(textTokens(step!) <= 4000);
  assert.ok(step!.isWellFormed());
  assert.deepEqual(transcriptSteps([], 10), []);
  assert.equal(transcriptSteps([user("x".repeat(900))], 1).length, 1);
  assert.equal(transcriptSteps([user("a"), user("b")], null)[0], "[user]\na\n\n[user]\nb");
});
