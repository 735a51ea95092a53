import {
  answer,
  call,
  type DamagedCase,
  damaged,
  FOUR,
  file,
  four,
  line,
  result,
  user,
} from "../damaged-case.ts";

const IGNORED = "P7: of a wrong shape, kept and ignored";

/** Members of wrong types: the third message of the session is replaced. */
export function typeCases(): DamagedCase[] {
  const malformed: readonly (readonly [string, string, object])[] = [
    ["model-change", "model_change", { provider: 5, modelId: "m" }],
    ["thinking-level", "thinking_level_change", { thinkingLevel: null }],
    ["active-tools", "active_tools_change", { activeToolNames: "read" }],
    ["usage", "usage", { usage: "much" }],
    ["compaction", "compaction", { summary: 5, firstKeptEntryId: "a" }],
    ["branch-summary", "branch_summary", { fromId: "a" }],
    ["context-edit", "context_edit", { targetId: "a", replacement: "x" }],
    ["custom", "custom", { customType: 5 }],
    ["custom-message", "custom_message", { content: "x" }],
    ["label", "label", { targetId: 5, label: "x" }],
    ["session-info", "session_info", { name: 5 }],
  ];
  return [
    ...malformed.map(([name, type, members]) =>
      damaged(`shape-${name}`, `${type} with ${JSON.stringify(members)}`, {
        bytes: four({ 4: line(type, "c", "b", members as never) }),
        problems: ["ENTRY_MALFORMED 4 c"],
        context: ["one", "two", "four"],
        note: IGNORED,
      }),
    ),
    ...contentCases(),
    ...messageCases(),
  ];
}

function contentCases(): DamagedCase[] {
  const contents: readonly (readonly [string, unknown, readonly string[]])[] = [
    ["null", null, [""]],
    ["number", 5, [""]],
    ["object", { text: "x" }, [""]],
    ["empty-list", [], [""]],
    ["list-of-wrong-types", [5, null, "x", [1], { type: "text", text: "three" }], ["three"]],
    ["block-without-type", [{ text: "x" }, { type: "text", text: 7 }, { type: "text", text: "three" }], ["three"]],
    [
      "unknown-block",
      [
        { type: "hologram", beam: 1 },
        { type: "text", text: "three" },
      ],
      ["<hologram> three"],
    ],
    [
      "image-not-base64",
      [{ type: "image", data: "<svg onload=alert(1)>", mimeType: "image/svg+xml" }],
      ["<image>"],
    ],
  ];
  return contents.map(([name, content, shown]) =>
    damaged(`content-${name}`, `content ${JSON.stringify(content).slice(0, 40)}`, {
      bytes: four({ 4: user("c", "b", content) }),
      context: ["one", "two", ...shown, "four"],
      note: "what is no block is left out of the context; blocks of unknown kinds are passed on",
    }),
  );
}

function messageCases(): DamagedCase[] {
  const message = (members: object): string =>
    line("message", "c", "b", { message: { role: "user", content: "three", ...members } });
  return [
    damaged("role-number", "a role that is a number", {
      bytes: four({ 4: message({ role: 5 }) }),
      problems: ["LINE_NOT_ENTRY 4 c", "PARENT_MISSING 5 d"],
      entries: 3,
      context: ["one", "two", "<gap>", "four"],
      note: "no message; quarantined",
    }),
    damaged("role-unknown", "an unknown role", {
      bytes: four({ 4: message({ role: "oracle" }) }),
      note: "kept exactly",
    }),
    damaged("usage-odd", "usage negative, text, 1e400", {
      bytes: four({
        5: FOUR[4].replace(
          '"stopReason"',
          '"usage":{"input":-5,"output":"9","cacheRead":1e400,"cost":{"total":[]}},"stopReason"',
        ),
      }),
      note: "what is no number counts as 0",
    }),
    damaged("timestamp-number", "an entry timestamp that is a number", {
      bytes: four({ 4: FOUR[3].replace(/"timestamp":"[^"]*"/, '"timestamp":5') }),
      note: "order is file order, never time",
    }),
    damaged("result-without-call", "a tool result that answers nothing", {
      bytes: four({ 4: result("c", "b", "t9") }),
      problems: ["TOOL_RESULT_ORPHAN 4 c"],
      context: ["one", "two", "four"],
      note: "P9: left out",
    }),
    damaged("call-without-result", "a call that was never answered", {
      bytes: four({ 3: answer("b", "a", [call("t1")]) }),
      context: ["one", "<call t1>", "<no result t1>", "three", "four"],
      note: "P9: completed and marked; an abort is no damage",
    }),
    damaged("result-twice", "two results for one call", {
      bytes: file([
        ...FOUR.slice(0, 2),
        answer("b", "a", [call("t1")]),
        result("c", "b", "t1"),
        result("d", "c", "t1"),
      ]),
      context: ["one", "<call t1>", "result of t1"],
      note: "P9: one result a call; its call is on the path, so the second is no orphan",
    }),
    damaged("call-in-user-message", "a call inside a user message", {
      bytes: four({ 4: user("c", "b", [call("t1"), { type: "text", text: "three" }]) }),
      note: "only the model calls tools: no result is made up",
      context: ["one", "two", "<call t1> three", "four"],
    }),
    damaged("call-with-wrong-id", "a call whose id is a number", {
      bytes: four({
        3: answer("b", "a", [
          { ...call("t1"), id: 5 },
          { type: "text", text: "two" },
        ]),
      }),
      note: "no pair can be made of it; it is left out",
    }),
  ];
}
