import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../entry/message.ts";
import { EXTRACTIVE_REMARK, extractiveSummariser } from "./extractive-summariser.ts";
import type { SourcedMessage, SummaryInput } from "./summariser.ts";
import { readSummary, writeSummary } from "./summary-sections.ts";
import { prose } from "./testing/compaction-fixture.ts";
import { textTokens } from "./transcript.ts";

const user = (content: string): SourcedMessage => ({
  entry: "e",
  message: { role: "user", content },
});
const says = (
  text: string,
  ...calls: readonly [string, string, Record<string, unknown>][]
): SourcedMessage => {
  const content = [
    { type: "text", text },
    ...calls.map(([id, name, args]) => ({ type: "toolCall", id, name, arguments: args })),
  ];
  const message: Message = { role: "assistant", content, provider: "p", model: "m" };
  return { entry: "e", message };
};
const gives = (toolCallId: string, text: string, isError = false): SourcedMessage => {
  const message: Message = {
    role: "toolResult",
    toolCallId,
    toolName: "t",
    content: text,
    isError,
  };
  return { entry: "e", message };
};
const summarise = async (members: Partial<SummaryInput>): Promise<string> => {
  const { text } = await extractiveSummariser().summarise({
    ...{ kind: "compaction", previousSummary: null, messages: [], turnPrefix: [], kept: [] },
    files: { readFiles: [], modifiedFiles: [] },
    ...{ instructions: null, maxTokens: 3000, inputTokens: null },
    ...members,
  });
  return text;
};
const section = (summary: string, name: string): string[] =>
  readSummary(summary)
    .filter((line) => line.section === name)
    .map(({ text }) => text);

const TALK: readonly SourcedMessage[] = [
  user(
    "Fix the login bug in src/auth/login.ts on port 8443. You must never log passwords. 不要修改数据库结构。",
  ),
  says("I will read the file.", ["1", "read", { path: "src/auth/login.ts" }]),
  gives("1", prose(2400, "code")),
  says("Running the tests.", ["2", "bash", { command: "npm test" }]),
  gives("2", "TypeError: hash of undefined\nexit code 1", true),
  says("Again.", ["3", "bash", { command: "npm test" }]),
  gives("3", "no output to speak of", true),
  says(
    "We decided to use argon2id. The plan is to maybe cache sessions later. Next I will edit the file.",
    ["4", "edit", { path: "src/auth/login.ts" }],
  ),
  gives("4", "ok"),
  user("Now the docs."),
  says("Reading.", ["5", "list", {}], ["6", "count", { n: 1 }]),
  user("好的，决定采用方案B。"),
  says("已修改。接下来运行测试。"),
];

test("it says of itself that it is extractive, in both languages", async () => {
  const summariser = extractiveSummariser();
  assert.deepEqual([summariser.name, summariser.isExtractive], ["extractive", true]);
  const text = await summarise({ messages: TALK });
  assert.ok(text.startsWith(EXTRACTIVE_REMARK));
  assert.match(text, /without a model/);
  assert.match(text, /未使用模型/);
});

test("goal, rules, progress, errors, decisions, next action, exact things: English and Chinese", async () => {
  const text = await summarise({ messages: TALK });
  const goal = section(text, "Goal");
  assert.match(goal[0]!, /^First asked: Fix the login bug/);
  assert.equal(goal[1], "Then asked: Now the docs.");
  assert.equal(goal[2], "Last asked: 好的，决定采用方案B。");
  assert.deepEqual(section(text, "Constraints & Preferences"), [
    "You must never log passwords.",
    "不要修改数据库结构。",
  ]);
  assert.ok(section(text, "Done").includes("ran bash npm test (2 times), 2 failed"));
  assert.deepEqual(section(text, "Blocked"), [
    "TypeError: hash of undefined",
    "exit code 1",
    "no output to speak of",
  ]);
  assert.deepEqual(section(text, "Key Decisions"), [
    "We decided to use argon2id.",
    "好的，决定采用方案B。",
  ]);
  assert.ok(section(text, "Critical Context").includes("src/auth/login.ts"));
});

test("F077 next action and plans stand apart from decisions", async () => {
  const text = await summarise({ messages: TALK });
  assert.deepEqual(
    section(text, "Next Steps"),
    [
      "Planned, not decided: The plan is to maybe cache sessions later.",
      "Next action: 接下来运行测试。",
    ]
      .sort()
      .reverse(),
  );
  assert.ok(!section(text, "Key Decisions").some((line) => /plan|cache/.test(line)));
});

test("the next one carries goals, rules and decisions on, and lets go of what was in progress", async () => {
  const first = await summarise({ messages: TALK });
  const next = await summarise({
    previousSummary: first,
    messages: [user("add a limit of 100 requests"), says(`Agreed: a token bucket. ${prose(900)}`)],
  });
  const goal = section(next, "Goal");
  assert.match(goal[0]!, /^First asked: Fix the login bug/);
  assert.ok(goal.includes("Then asked: 好的，决定采用方案B。"));
  assert.equal(goal.at(-1), "Last asked: add a limit of 100 requests");
  assert.ok(section(next, "Key Decisions").includes("We decided to use argon2id."));
  assert.ok(section(next, "Key Decisions").includes("Agreed: a token bucket."));
  assert.ok(!next.includes("接下来运行测试"));
  assert.equal(next.split(EXTRACTIVE_REMARK).length, 2);
});

test("a summary of a model is carried on too, and a split turn comes last", async () => {
  const previousSummary =
    "intro line\n\n## Goal\n- win\n\n## Progress\n### Done\n- half\n\n## Odd\n- kept fact\n\n## Current Turn\nbegan";
  const text = await summarise({ previousSummary, turnPrefix: [user(`go on ${prose(2000)}`)] });
  assert.equal(section(text, "Goal")[0], "win");
  assert.deepEqual(section(text, "Done"), ["half", "began"]);
  assert.deepEqual(section(text, "Critical Context").slice(0, 2), ["intro line", "kept fact"]);
  assert.match(section(text, "Goal").at(-1)!, /^Last asked: go on/);
});

test("it stays a quarter of what it stands for, 3,000 tokens at most, however much there is", async () => {
  const many = Array.from({ length: 3000 }, (_, at) =>
    user(`We decided number ${at} ${prose(60)}`),
  );
  assert.ok(textTokens(await summarise({ messages: many })) < 3100);
  assert.ok(textTokens(await summarise({ messages: many, maxTokens: 300 })) < 400);
  assert.ok(textTokens(await summarise({ messages: TALK })) < 800);
});

test("a branch summary has no critical context; summaries in the range give their first lines", async () => {
  const message: Message = {
    role: "branchSummary",
    summary: "There was a fork. It failed.",
    fromId: "x",
    timestamp: 0,
  };
  const messages = [...TALK, { entry: "e", message }];
  assert.ok((await summarise({ messages })).includes("- There was a fork."));
  assert.ok(!(await summarise({ messages, kind: "branch" })).includes("Critical Context"));
});

test("P7 messages of any shape, empty input, an abort", async () => {
  const odd = [
    { role: "user" },
    { role: "assistant", content: 5 },
    { role: "toolResult", isError: true },
    { role: "x", summary: 4 },
  ];
  const messages = odd.map((message) => ({ entry: "e", message: message as unknown as Message }));
  assert.equal(await summarise({ messages }), EXTRACTIVE_REMARK);
  assert.equal(await summarise({}), EXTRACTIVE_REMARK);
  const deltas: string[] = [];
  const input = {
    kind: "compaction",
    previousSummary: null,
    messages: TALK,
    turnPrefix: [],
    kept: [],
  } as const;
  const rest = {
    files: { readFiles: [], modifiedFiles: [] },
    instructions: null,
    maxTokens: 99,
    inputTokens: null,
  };
  const { text } = await extractiveSummariser().summarise(
    { ...input, ...rest },
    { onText: (delta) => deltas.push(delta) },
  );
  assert.deepEqual(deltas, [text]);
  const signal = AbortSignal.abort();
  await assert.rejects(extractiveSummariser().summarise({ ...input, ...rest }, { signal }), {
    code: "ABORTED",
  });
});

test("what is written is read back", () => {
  const lines = [
    { section: "Goal", text: "g" },
    { section: "Done", text: "d" },
    { section: "Blocked", text: "b" },
    { section: "Next Steps", text: "n" },
  ] as const;
  const text = writeSummary(lines, "_remark_");
  assert.equal(
    text,
    "_remark_\n\n## Goal\n- g\n\n## Progress\n\n### Done\n- d\n\n### Blocked\n- b\n\n## Next Steps\n- n",
  );
  assert.deepEqual(readSummary(text), lines);
});
