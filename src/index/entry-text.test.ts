import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { entryText, entryTokens, fieldTokens, MAX_ENTRY_TEXT } from "./entry-text.ts";
import { hasPhrase } from "./tokens.ts";

const FRAME = { id: "a", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };
const entry = (members: object): Entry => ({ ...FRAME, ...members }) as Entry;
const message = (members: object): Entry => entry({ type: "message", message: members });
const pieces = (one: Entry): readonly string[] => entryText(one).pieces;

test("F101: everything that was said, called and answered is found", () => {
  const said = message({
    role: "assistant",
    provider: "anthropic",
    model: "claude-x",
    content: [
      { type: "thinking", thinking: "why" },
      { type: "text", text: "because" },
      {
        type: "toolCall",
        id: "1",
        name: "bash",
        arguments: { command: "ls", deep: [{ a: "x" }, 5] },
      },
    ],
    errorMessage: "overloaded",
  });
  assert.deepEqual(pieces(said), ["why", "because", "bash", "ls", "x", "overloaded"]);
  const { role, type, tools, model } = entryText(said);
  assert.deepEqual(
    [role, type, tools, model],
    ["assistant", "message", ["bash"], "anthropic/claude-x"],
  );
  const result = message({
    role: "toolResult",
    toolName: "read",
    content: [{ type: "text", text: "r" }],
  });
  assert.deepEqual([pieces(result), entryText(result).tools], [["r"], ["read"]]);
  assert.deepEqual(pieces(message({ role: "user", content: "plain" })), ["plain"]);
  const bash = { role: "bashExecution", command: "make", output: "done" };
  assert.deepEqual(pieces(message(bash)), ["make", "done"]);
  const system = { role: "system", content: "be", sections: { a: { text: "kind" } } };
  assert.deepEqual(pieces(message(system)), ["be", "kind"]);
});

test("F101: summaries, custom messages, labels, names, edits", () => {
  const compaction = { summary: "s", systemMessage: { role: "system", content: "sys" } };
  assert.deepEqual(pieces(entry({ type: "compaction", ...compaction })), ["s", "sys"]);
  assert.deepEqual(pieces(entry({ type: "compaction", summary: "s" })), ["s"]);
  assert.deepEqual(pieces(entry({ type: "branch_summary", summary: "b" })), ["b"]);
  const custom = { customType: "x", content: [{ type: "text", text: "c" }] };
  assert.deepEqual(pieces(entry({ type: "custom_message", ...custom })), ["c"]);
  assert.deepEqual(pieces(entry({ type: "label", targetId: "a", label: "l" })), ["l"]);
  assert.deepEqual(pieces(entry({ type: "session_info", name: "n" })), ["n"]);
  const edit = { targetId: "a", replacement: { content: "new" } };
  assert.deepEqual(pieces(entry({ type: "context_edit", ...edit })), ["new"]);
  assert.deepEqual(pieces(entry({ type: "context_edit", targetId: "a", replacement: null })), []);
  assert.deepEqual(pieces(entry({ type: "custom", customType: "x", data: { a: "no" } })), []);
  const change = entry({ type: "model_change", provider: "p", modelId: "m" });
  assert.deepEqual([pieces(change), entryText(change).model], [[], "p/m"]);
});

test("no base64: images give nothing; shapes that nobody expects do not throw (P7)", () => {
  const image = { type: "image", data: "aGVsbG8=", mimeType: "image/png" };
  assert.deepEqual(
    pieces(message({ role: "user", content: [image, null, 5, { type: "text" }] })),
    [],
  );
  assert.deepEqual(pieces(message({ role: "user", content: 7 })), []);
  assert.deepEqual(pieces(entry({ type: "compaction", summary: 5 })), []);
  const odd = message({ role: "assistant", model: 5, content: [{ type: "toolCall", name: 5 }] });
  assert.deepEqual([entryText(odd).model, entryText(odd).tools], [null, []]);
  assert.equal(entryText(message({ role: "assistant", model: "m", content: [] })).model, "m");
});

test("P13: text is bounded and cut at a code point", () => {
  const long = `${"x".repeat(MAX_ENTRY_TEXT - 1)}😀`;
  const [cut] = pieces(message({ role: "user", content: long }));
  assert.equal(cut, "x".repeat(MAX_ENTRY_TEXT - 1));
  const many = {
    role: "assistant",
    content: [{ type: "toolCall", name: "t", arguments: [long, "y"] }],
  };
  const total = pieces(message(many)).reduce((sum, piece) => sum + piece.length, 0);
  assert.ok(total <= MAX_ENTRY_TEXT);
});

test("tokens: no phrase crosses two pieces; fields are tokens of their own", () => {
  const said = message({
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [
      { type: "text", text: "one two" },
      { type: "text", text: "。" },
      { type: "text", text: "three getLeaf" },
      { type: "toolCall", name: "readFile", arguments: {} },
    ],
  });
  const tokens = entryTokens(entryText(said));
  assert.equal(tokens.words, " one two ¶ three getleaf ¶ readfile ");
  assert.equal(tokens.parts, " get leaf ¶ read file ");
  assert.equal(hasPhrase(tokens.words, ["two", "three"]), false);
  assert.equal(hasPhrase(tokens.fields, fieldTokens("model", "sonnet 4")), true);
  assert.equal(hasPhrase(tokens.fields, fieldTokens("tool", "ReadFile")), true);
  assert.equal(hasPhrase(tokens.fields, fieldTokens("role", "user")), false);
  const bare = entryTokens({ pieces: [], type: "?", role: null, tools: [], model: null });
  assert.deepEqual(bare, { words: " ", parts: " ", fields: " " });
});
