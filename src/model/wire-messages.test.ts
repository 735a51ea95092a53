import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../entry/message.ts";
import { messagesForModel, type WireMessage, type WireOptions } from "./wire-messages.ts";

const text = (value: string) => ({ type: "text", text: value });
const call = (id: string) => ({ type: "toolCall", id, name: "read", arguments: {} });
const user = (content: unknown): Message => ({ role: "user", content, timestamp: 1 });
const answer = (...content: readonly unknown[]): Message => ({
  role: "assistant",
  content,
  provider: "p",
  model: "m",
  stopReason: "stop",
  timestamp: 2,
});
const result = (toolCallId: string): Message => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [text(`result of ${toolCallId}`)],
  isError: false,
  timestamp: 3,
});

const wire = (messages: readonly Message[], options?: WireOptions): readonly WireMessage[] =>
  messagesForModel(messages, options);
function shown(message: WireMessage | undefined): string {
  if (message === undefined) return "";
  if (message.role === "system") return message.content;
  return message.content.map((block) => ("text" in block ? block.text : block.type)).join("|");
}
const outline = (messages: readonly Message[]): readonly string[] =>
  wire(messages).map((message) => `${message.role} ${shown(message)}`);

test("F070: what machines wrote is sent as what it is, in a user message of its own", () => {
  const messages: readonly Message[] = [
    { role: "compactionSummary", summary: "the SUMMARY", tokensBefore: 9, timestamp: 4 },
    { role: "branchSummary", summary: "the BRANCH", fromId: "e1", timestamp: 5 },
    { role: "custom", customType: "x", content: "a NOTE" },
  ];
  const sent = wire(messages);
  assert.deepEqual(
    sent.map(({ role, timestamp }) => `${role} ${timestamp}`),
    ["user 4", "user 5", "user 0"],
  );
  assert.match(shown(sent[0]), /compacted.*\n\n<summary>\nthe SUMMARY\n<\/summary>/s);
  assert.match(shown(sent[1]), /another branch.*the BRANCH/s);
  assert.equal(shown(sent[2]), "a NOTE");
});

test("shell commands say what was run, how it ended and where the rest is", () => {
  const bash = (members: object): Message => ({ role: "bashExecution", command: "ls", ...members });
  const [ran, failed, silent, ...rest] = wire([
    bash({ output: "a.txt", exitCode: 0 }),
    bash({ output: "no", exitCode: 2, truncated: true, fullOutputPath: "/tmp/out" }),
    bash({ output: " ", cancelled: true, exitCode: null }),
    bash({ output: "secret", excludeFromContext: true }),
  ]);
  assert.match(shown(ran), /shell: ls\nIts output:\n~~~\na\.txt\n~~~$/);
  assert.match(shown(failed), /Exit code: 2\n.*\/tmp\/out$/);
  assert.match(shown(silent), /printed nothing.*\n.*cancelled/);
  assert.deepEqual(rest, []);
});

test("system messages become one text each, sections included; empty ones are left out", () => {
  const sent = wire([
    { role: "system", content: "rules", sections: { a: "<a>1</a>", b: null }, toolsAdded: [{}] },
    { role: "system", content: [text("more"), text(" "), { type: "image" }] },
    { role: "system", content: "" },
  ]);
  assert.deepEqual(sent, [
    { role: "system", content: "rules\n\n<a>1</a>", timestamp: 0 },
    { role: "system", content: "more", timestamp: 0 },
  ]);
});

test("failed and aborted answers are left out with their results; empty ones too", () => {
  const cut = (stopReason: string) => ({ ...answer(text("half"), call("x")), stopReason });
  assert.deepEqual(
    outline([user("a"), cut("error"), result("x"), cut("aborted"), answer(), answer(text(" "))]),
    ["user a"],
  );
});

test("blocks and roles that providers do not know are left out, nothing is sent empty", () => {
  const strange = { type: "toolCall", id: "x", name: "read", arguments: "text" };
  const signed = { type: "thinking", thinking: "", thinkingSignature: "s" };
  const blank = { type: "thinking", thinking: "" };
  const sent = wire([
    { role: "notice", content: "hi" },
    user([{ type: "video" }, text(""), null]),
    user(7),
    answer({ type: "server", text: "x" }, strange, signed, blank, call("c")),
    { ...result("c"), content: "plain" },
  ]);
  assert.deepEqual(sent.map(shown), ["(no text)", "(no text)", "thinking|toolCall", "plain"]);
  const silent = wire([answer(call("c")), { ...result("c"), content: [] }]);
  assert.equal(shown(silent[1]), "(no output)");
  const hostile: readonly unknown[] = [null, 5, "x", []];
  assert.deepEqual(messagesForModel(hostile as readonly Message[]), []);
});

test("images are sent, or named where the model takes none", () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const broken = { type: "image", data: 5 };
  assert.deepEqual(wire([user([text("see"), image, broken])])[0]?.content, [text("see"), image]);
  const [sent] = wire([user([image])], { takesImages: false });
  assert.match(shown(sent), /image left out/);
});

test("P9: results come right behind their calls, what came between them after", () => {
  assert.deepEqual(
    outline([
      answer(call("a"), call("b")),
      user("wait"),
      result("a"),
      { role: "system", content: "rule" },
      result("b"),
      result("b"),
      user("next"),
    ]),
    [
      "assistant toolCall|toolCall",
      "toolResult result of a",
      "toolResult result of b",
      "user wait",
      "system rule",
      "user next",
    ],
  );
  // A call that stays open does not swallow what came after it.
  assert.deepEqual(outline([answer(call("a")), user("b"), answer(text("c")), result("a")]), [
    "assistant toolCall",
    "user b",
    "assistant c",
  ]);
  assert.deepEqual(outline([answer(call("a")), user("b")]), ["assistant toolCall", "user b"]);
});

test("P33: an id that an answer uses twice is sent once; each result answers the call of its place", () => {
  const messages = [
    answer(call("a"), call("a"), call("a-2"), call("a")),
    ...["a", "a", "a-2", "a", "a"].map(result),
    answer(call("a")),
    result("a"),
  ];
  const ids = wire(messages).map((message) => {
    if (message.role === "toolResult") return message.toolCallId;
    if (message.role !== "assistant") return "";
    return message.content.map((block) => ("id" in block ? block.id : "")).join(" ");
  });
  assert.deepEqual(ids, ["a a-3 a-2 a-4", "a", "a-3", "a-2", "a-4", "a", "a"]);
});
