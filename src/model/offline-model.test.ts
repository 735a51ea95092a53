import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject } from "../entry/entry-check.ts";
import type { AssistantMessage, Message } from "../entry/message.ts";
import { failureKind } from "./failure.ts";
import type { ModelEvent, ModelInfo, ModelProvider, StreamOptions, ToolSpec } from "./model.ts";
import { createOfflineModel } from "./offline-model.ts";

const tool = (name: string, ...members: readonly string[]): ToolSpec => ({
  name,
  description: name,
  parameters: {
    type: "object",
    properties: Object.fromEntries(members.map((member) => [member, { type: "string" }])),
  },
});

const TOOLS: readonly ToolSpec[] = [
  tool("list_files", "path"),
  tool("read_file", "path", "offset"),
  tool("search_files", "text", "path"),
  tool("write_note", "path", "text"),
  tool("recall", "query", "entry"),
];

const FILES = "docs/\nREADME.md (12 bytes)\nsrc/a.ts (5 bytes)";
const OUTPUTS: Readonly<Record<string, string>> = {
  list_files: FILES,
  read_file: "# Title\nText of the file",
  search_files: "a.md:1: leaf",
  write_note: "Wrote 10 characters to note.md.",
  recall: "[e1] user: the port is 4317",
};

const models = createOfflineModel({ now: () => 1000 });
const offline = async (from: ModelProvider = models): Promise<ModelInfo> =>
  (await from.list())[0] ?? assert.fail();

async function answer(
  messages: readonly Message[],
  tools: readonly ToolSpec[] = TOOLS,
  options?: StreamOptions,
): Promise<AssistantMessage> {
  let last: ModelEvent | undefined;
  for await (const event of models.stream(await offline(), { messages, tools }, options)) {
    last = event;
  }
  return last?.type === "done" ? last.message : assert.fail("no end");
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const callsOf = (message: AssistantMessage): readonly Call[] =>
  message.content.filter((block) => block.type === "toolCall") as readonly unknown[] as Call[];
const textOf = (message: AssistantMessage): string =>
  message.content.map((block) => ("text" in block ? block.text : "")).join("");

/** Runs the loop as a harness does: the batches of calls, and the last text. */
async function run(
  request: string,
  before: readonly Message[] = [],
): Promise<{ readonly batches: readonly (readonly Call[])[]; readonly text: string }> {
  const messages: Message[] = [...before, { role: "user", content: request }];
  const batches: (readonly Call[])[] = [];
  for (let turn = 0; turn < 10; turn++) {
    const message = await answer(messages);
    messages.push(message);
    const calls = callsOf(message);
    assert.equal(message.stopReason, calls.length > 0 ? "toolUse" : "stop");
    if (calls.length === 0) return { batches, text: textOf(message) };
    batches.push(calls);
    for (const { id, name } of calls) {
      const content = [{ type: "text", text: OUTPUTS[name] ?? "" }];
      messages.push({
        role: "toolResult",
        toolCallId: id,
        toolName: name,
        content,
        isError: false,
      });
    }
  }
  return assert.fail("no end");
}

const outline = (batches: readonly (readonly Call[])[]): readonly string[] =>
  batches.map((calls) =>
    calls
      .map((call) => `${call.name} ${Object.values(call.arguments).join(" ")}`.trim())
      .join(" + "),
  );

test("lists, reads and notes step by step, in Chinese, and says that it is offline", async () => {
  const { batches, text } = await run("列出文件，然后读取 README.md，写一条笔记：今天很好");
  assert.deepEqual(outline(batches), [
    "list_files .",
    "read_file README.md",
    "write_note note.md 今天很好",
  ]);
  assert.match(text, /^（离线模型）/);
  assert.match(text, /README\.md \(12 bytes\)[\s\S]*Text of the file[\s\S]*Wrote 10/);
  const ids = batches.flat().map(({ id }) => id);
  assert.equal(new Set(ids).size, 3);
});

test("a file without a name: the names come first; two files are read together", async () => {
  assert.deepEqual(outline((await run("open the first file")).batches), [
    "list_files .",
    "read_file README.md",
  ]);
  assert.deepEqual(outline((await run("read a.md and b.md")).batches), [
    "read_file a.md + read_file b.md",
  ]);
});

test("searches, recalls, and notes what it found", async () => {
  const { batches, text } = await run('search for "leaf", then take a note');
  assert.deepEqual(
    batches.map(([call]) => call?.name),
    ["search_files", "write_note"],
  );
  assert.match(String(batches[1]?.[0]?.arguments.text), /# Note[\s\S]*a\.md:1: leaf/);
  assert.match(text, /^\(offline model\)/);
  const recalled = await run("What did we say about the port number?");
  assert.deepEqual(outline(recalled.batches), ["recall port number"]);
  assert.match(recalled.text, /4317/);
});

test("without a word for a tool it says what it is and what it sees", async () => {
  const { batches, text } = await run("Explain branches to me", [{ role: "user", content: "hi" }]);
  assert.deepEqual(batches, []);
  assert.match(text, /offline model.*keywords/);
  assert.match(text, /2 messages; the first one says “hi”/);
  assert.match((await run("解释一下分支")).text, /关键词/);
  assert.match(textOf(await answer([], [])), /No tools are on/);
});

test("tools that are off are named; tools of other names and members are used", async () => {
  const messages: readonly Message[] = [{ role: "user", content: "list the files, search for x" }];
  assert.match(textOf(await answer(messages, [])), /No tool is on that could list files or search/);
  const other = [tool("ls", "dir"), tool("grep", "pattern"), tool("write", "fileName", "content")];
  const listed = callsOf(await answer(messages, other));
  assert.deepEqual(listed[0]?.arguments, { dir: "." });
  const note: readonly Message[] = [{ role: "user", content: "take a note: hello" }];
  const written = callsOf(await answer(note, other));
  assert.deepEqual(written[0]?.arguments, { fileName: "note.md", content: "hello" });
  const bare = callsOf(await answer(note, [{ ...tool("write"), parameters: {} }]));
  assert.deepEqual(bare[0]?.arguments, {});
  const lacks = await answer([{ role: "user", content: "搜索 x" }], other.slice(0, 1));
  assert.match(textOf(lacks), /没有可用的工具来搜索/);
});

test("a failed call is told as such; a long result is cut", async () => {
  const call = { type: "toolCall", id: "c", name: "read_file", arguments: {} };
  const messages: readonly Message[] = [
    { role: "user", content: "read a.md" },
    { role: "assistant", content: [call], provider: "offline", model: "offline-1" },
    {
      role: "toolResult",
      toolCallId: "c",
      toolName: "read_file",
      content: "x".repeat(5000),
      isError: true,
    },
  ];
  const text = textOf(await answer(messages));
  assert.match(text, /read_file failed:\nx{700}… \(5000 characters in all\)/);
});

test("the same context gives the same answer; thinking only where it is asked for", async () => {
  const messages: readonly Message[] = [{ role: "user", content: "list the files" }];
  const first = await answer(messages);
  assert.deepEqual(await answer(structuredClone(messages)), first);
  assert.deepEqual(
    [first.provider, first.model, first.api, first.usage?.cost?.total],
    ["offline", "offline-1", "offline", 0],
  );
  const thought = await answer(messages, TOOLS, { thinkingLevel: "high" });
  assert.match(JSON.stringify(thought.content[0]), /ask for list_files/);
  assert.equal(callsOf(thought).length, 1);
});

test("the words of a summary ask for nothing", async () => {
  const summary: Message = {
    role: "compactionSummary",
    summary: "The person said: list the files",
    tokensBefore: 1,
    timestamp: 1,
  };
  assert.deepEqual(callsOf(await answer([summary])), []);
});

test("summarises a transcript, shorter than it, under the headings", async () => {
  const turn =
    "[user]\nPlease always use port 4317 in src/server.ts\n\n[assistant]\nWe decided to use port 4317.\n[calls read_file {}]\n\n[result of read_file]\nlong text";
  const transcript = Array.from({ length: 40 }, () => turn).join("\n\n");
  const request = `<transcript>\n${transcript}\n</transcript>\n\n<memory>\n## Goal\n- older\n## Next Steps\n- last\n</memory>\n\nUse exactly these headings:\n## Goal`;
  const text = textOf(await answer([{ role: "user", content: request }], []));
  for (const part of [
    "## Goal",
    "### Done",
    "## Key Decisions",
    "port 4317",
    "src/server.ts",
    "older",
  ]) {
    assert.ok(text.includes(part), part);
  }
  assert.ok(text.length < transcript.length / 2);
  const plain = request.replace("Use exactly", "Plain lines, no headings.");
  assert.doesNotMatch(textOf(await answer([{ role: "user", content: plain }], [])), /##/);
  const bare = "<transcript>\nno label\n</transcript>";
  assert.match(textOf(await answer([{ role: "user", content: bare }], [])), /## Goal/);
});

test("streams word by word, Chinese and emoji too, and stops where it is aborted", async () => {
  const info = await offline();
  const controller = new AbortController();
  let words = 0;
  const paced = createOfflineModel({
    pace: async () => {
      words++;
      if (words === 5) controller.abort();
    },
  });
  const context = { messages: [{ role: "user", content: "你好 👋🏽" }], tools: [] };
  const texts: string[] = [];
  for await (const event of models.stream(info, context)) {
    if (event.type === "text_delta") texts.push(event.delta);
    if (event.type === "done") assert.equal(textOf(event.message), texts.join(""));
  }
  assert.ok(texts.length > 20);
  let last: ModelEvent | undefined;
  for await (const event of paced.stream(info, context, { signal: controller.signal }))
    last = event;
  assert.equal(last?.type === "done" && last.message.stopReason, "aborted");
  assert.equal(last?.type === "done" && textOf(last.message), texts.slice(0, 4).join(""));
});

test("a context that does not fit fails as at a provider", async () => {
  const small = createOfflineModel({ contextWindow: 100 });
  const info = await offline(small);
  const context = { messages: [{ role: "user", content: "x ".repeat(1000) }], tools: [] };
  let last: ModelEvent | undefined;
  for await (const event of small.stream(info, context)) last = event;
  assert.equal(last?.type === "done" && failureKind(last.message, info), "overflow");
  const unknown = { ...info, contextWindow: null };
  for await (const event of small.stream(unknown, context)) last = event;
  assert.equal(last?.type === "done" && last.message.stopReason, "stop");
});

test("it names one model and says that it is offline", async () => {
  const info = await offline();
  assert.deepEqual([info.isOffline, info.contextWindow, info.prices?.input], [true, 32_000, 0]);
  assert.match(info.name, /Offline/);
  assert.equal(await models.find({ provider: "offline", modelId: "offline-1" }), info);
  assert.equal(await models.find({ provider: "offline", modelId: "x" }), null);
  assert.ok(isObject(info));
});
