/** Pi 1.6.0 opens what we write, on the same branch with the same messages, and we read what Pi adds. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { BranchlineProgram, type Draft } from "./branchline-program.ts";

const usage = {
  input: 10,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 15,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });

const assistant = (content: readonly Readonly<Record<string, unknown>>[], stopReason = "stop") => ({
  role: "assistant",
  content,
  api: "openai-completions",
  provider: "deepseek",
  model: "deepseek-flash",
  usage,
  stopReason,
  timestamp: 2,
});

const message = (value: unknown): Draft => ({ type: "message", message: value });
const text = (value: string) => ({ type: "text", text: value });

/** One turn with a tool, two settings, Chinese text. */
const OPENING: readonly Draft[] = [
  { type: "model_change", provider: "deepseek", modelId: "deepseek-flash" },
  { type: "thinking_level_change", thinkingLevel: "high" },
  message(user("读取配置文件")),
  message(
    assistant(
      [{ type: "toolCall", id: "c1", name: "read", arguments: { path: "a.json" } }],
      "toolUse",
    ),
  ),
  message({
    role: "toolResult",
    toolCallId: "c1",
    toolName: "read",
    content: [text("{}")],
    isError: false,
    timestamp: 3,
  }),
  message(assistant([text("配置是空的。")])),
];

/** What a file would hold: no undefined members. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Both sides read the file anew and must see the same: leaf, path, messages, settings. */
function assertAgree(program: BranchlineProgram, file: string): void {
  const before = readFileSync(file);
  const pi = SessionManager.open(file);
  const ours = program.rawContext(file);
  const theirs = pi.buildSessionContext();
  assert.equal(ours.leaf, pi.getLeafId());
  assert.deepEqual(
    program.path(file),
    pi.getBranch().map((entry) => entry.id),
  );
  assert.deepEqual(ours.messages, plain(theirs.messages));
  assert.deepEqual(
    ours.entries,
    pi.buildContextEntries().map((entry) => entry.id),
  );
  assert.deepEqual(ours.model, theirs.model);
  assert.equal(ours.thinkingLevel, theirs.thinkingLevel);
  assert.deepEqual(readFileSync(file), before, "reading wrote to the file");
}

test("Pi follows each step of a session that we write", () => {
  using program = new BranchlineProgram();
  const file = program.newSession();
  const opening = program.append(file, OPENING);
  assertAgree(program, file);
  const [, , question = "", call = "", , answer = ""] = opening;

  // A user message moves to its parent: the next append is its sibling.
  program.run(["switch", question, "-s", file]);
  assertAgree(program, file);
  const [other = ""] = program.append(file, [
    message(user("写测试")),
    message(assistant([text("好的。")])),
  ]);
  assertAgree(program, file);
  assert.ok(!program.path(file).includes(answer));

  program.run(["switch", answer, "-s", file]);
  assertAgree(program, file);
  assert.ok(program.path(file).includes(answer));
  program.run(["undo", "-s", file]);
  assertAgree(program, file);
  assert.ok(program.path(file).includes(other));
  program.run(["redo", "-s", file]);
  assertAgree(program, file);

  program.run(["label", call, "the call", "-s", file]);
  assertAgree(program, file);
  assert.equal(SessionManager.open(file).getLabel(call), "the call");
  program.run(["branch", "plan-b", other, "-s", file]);
  assertAgree(program, file);
  program.run(["hide", question, "-s", file]);
  assertAgree(program, file);
  program.append(file, [
    {
      type: "compaction",
      summary: "用户读取了配置。",
      firstKeptEntryId: answer,
      tokensBefore: 100,
    },
    message(user("继续")),
  ]);
  assertAgree(program, file);
});

test("we read what Pi adds to our file, and Pi what we add to that", () => {
  using program = new BranchlineProgram();
  const file = program.newSession();
  const ours = program.append(file, OPENING);
  const pi = SessionManager.open(file);
  const theirs = [
    pi.appendMessage(user("Pi goes on")),
    pi.appendModelChange("anthropic", "some-model"),
    pi.appendLabelChange(ours[2] ?? "", "from Pi"),
    pi.appendMessage(user("and on")),
  ];
  assertAgree(program, file);
  assert.deepEqual(program.path(file), [...ours, ...theirs]);
  const [last = ""] = program.append(file, [message(user("back to us"))]);
  assertAgree(program, file);
  assert.deepEqual(program.path(file), [...ours, ...theirs, last]);
  assert.deepEqual(program.fsck(file).problems, []);
});

test("Pi branches in our file: we are on its branch", () => {
  using program = new BranchlineProgram();
  const file = program.newSession();
  const ours = program.append(file, OPENING);
  const pi = SessionManager.open(file);
  pi.branch(ours[2] ?? "");
  const sibling = pi.appendMessage(user("another way"));
  assertAgree(program, file);
  assert.deepEqual(program.path(file), [...ours.slice(0, 3), sibling]);
});

test("forks that Pi makes of our file open in ours", () => {
  using program = new BranchlineProgram();
  const file = program.newSession();
  const ours = program.append(file, OPENING);
  program.run(["label", ours[2] ?? "", "start", "-s", file]);
  program.append(file, [message(user("after the label"))]);

  const whole = SessionManager.forkFrom(file, program.folder, path.join(program.folder, "pi"));
  const wholeFile = whole.getSessionFile() ?? "";
  assertAgree(program, wholeFile);
  assert.deepEqual(program.rawContext(wholeFile).messages, program.rawContext(file).messages);

  // This fork leaves labels out and re-chains what hung under them, so a crc no longer fits: reported, never hidden.
  const part = SessionManager.open(file, path.join(program.folder, "pi"));
  const partFile = part.createBranchedSession(part.getLeafId() ?? "") ?? "";
  assertAgree(program, partFile);
  assert.deepEqual(program.rawContext(partFile).messages, program.rawContext(file).messages);
});

for (const name of [
  "format-sample.jsonl",
  "v3-all-entry-types.jsonl",
  "v3-forked-child.jsonl",
  "v3-tui-branches.jsonl",
]) {
  test(`both read ${name} alike, also after we moved and appended`, () => {
    using program = new BranchlineProgram();
    const file = program.copySample(name);
    assertAgree(program, file);
    program.append(file, [message(user("one more"))]);
    assertAgree(program, file);
    const [target = ""] = program.path(file).slice(2);
    program.run(["switch", target, "-s", file]);
    assertAgree(program, file);
  });
}

test("both follow our marker in a file of pi-agent-core 0.80, whose leaf entry Pi does not follow", () => {
  using program = new BranchlineProgram();
  const file = program.copySample("v3-core-0.80.10-leaf.jsonl");
  assert.notEqual(program.rawContext(file).position, SessionManager.open(file).getLeafId());
  program.append(file, [message(user("one more"))]);
  assertAgree(program, file);
});
