import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { GAP_TYPE } from "../entry/own-state.ts";
import { UNREADABLE_PARENT } from "../entry/session-decoder.ts";
import type { Gap } from "../tree/tree-entry.ts";
import { type Context, project } from "./context.ts";
import type { PathStep } from "./cut.ts";
import { NO_RESULT_TEXT } from "./paired-line.ts";

type Body = Record<string, unknown> & { readonly gap?: Gap };

const START = Date.parse("2026-10-30T09:00:00.000Z");
const GAP: Gap = { reason: "missing-parent", missingId: "lost" };

/** A path of entries e0, e1, …, one second apart. */
function chain(...bodies: readonly Body[]): readonly PathStep[] {
  return bodies.map(({ gap = null, ...body }, index) => {
    const parentId = index === 0 ? null : `e${index - 1}`;
    const timestamp = new Date(START + index * 1000).toISOString();
    return { gap, entry: { id: `e${index}`, parentId, timestamp, ...body } as Entry };
  });
}

function context(...bodies: readonly Body[]): Context {
  return project(chain(...bodies), "s-1");
}

const message = (body: Record<string, unknown>): Body => ({ type: "message", message: body });
const user = (content: unknown): Body => message({ role: "user", content });
const call = (...ids: readonly string[]): Body =>
  message({
    role: "assistant",
    content: ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: {} })),
    provider: "p",
    model: "m",
    timestamp: 5,
  });
const result = (toolCallId: unknown): Body =>
  message({ role: "toolResult", toolCallId, toolName: "read", content: [], isError: false });
const compaction = (firstKeptEntryId: unknown, more: Record<string, unknown> = {}): Body => ({
  type: "compaction",
  summary: "so far",
  firstKeptEntryId,
  tokensBefore: 9,
  ...more,
});
const edit = (targetId: string, replacement: unknown): Body => ({
  type: "context_edit",
  targetId,
  replacement,
});
const uncompact = (id: string, more: Record<string, unknown> = {}): Body => ({
  type: "custom",
  customType: "branchline.uncompact",
  data: { session: "s-1", compaction: id, ...more },
});

/** Each message in one word: role and, for pairs, ids; `!` = a made result. */
function outline({ messages }: Context): string[] {
  return messages.map((m) => {
    const { role, content, toolCallId, details, customType } = m as Record<string, unknown>;
    if (customType === GAP_TYPE) return "gap";
    if (role === "toolResult") {
      const made = (details as { branchline?: { reason: string } } | undefined)?.branchline;
      return made ? `!${toolCallId}:${made.reason}` : `=${toolCallId}`;
    }
    const ids = Array.isArray(content) ? content.map((b: { id?: string }) => b.id ?? "") : [];
    return ids.length > 0 ? `${role}(${ids.join()})` : String(role);
  });
}

test("F060, F068: a call without result is completed, marked, at the time of its message", () => {
  const { messages, sources } = context(user("go"), call("a"), user("stop"));
  assert.deepEqual(messages[2], {
    role: "toolResult",
    toolCallId: "a",
    toolName: "read",
    content: [{ type: "text", text: NO_RESULT_TEXT }],
    isError: true,
    details: { branchline: { synthetic: true, reason: "missing" } },
    timestamp: 5,
  });
  assert.deepEqual(sources, ["e0", "e1", "e1", "e2"]);
});

test("P28: made results follow the recorded ones of their message, in the order of the calls", () => {
  const made = context(
    call("a", "b", "c"),
    result("b"),
    { type: "label", targetId: "e0" },
    user("x"),
  );
  assert.deepEqual(outline(made), ["assistant(a,b,c)", "=b", "!a:missing", "!c:missing", "user"]);
});

test("F060: a call without any time of its own gets that of its entry", () => {
  const { type, message: body } = call("a");
  const made = context({ type, message: { ...(body as object), timestamp: "soon" } });
  assert.equal((made.messages[1] as { timestamp?: number }).timestamp, START);
});

test("results that are paired but not adjacent stay where they are", () => {
  const made = context(call("a"), user("meanwhile"), result("a"));
  assert.deepEqual(outline(made), ["assistant(a)", "user", "=a"]);
});

test("M14: a result whose call is hidden or replaced away is left out, its entry stays listed", () => {
  for (const replacement of [null, { content: "gone" }]) {
    const made = context(call("a"), result("a"), edit("e0", replacement), user("x"));
    assert.deepEqual(
      outline(made).filter((word) => word.startsWith("=")),
      [],
    );
    assert.deepEqual(made.entries, ["e0", "e1", "e2", "e3"]);
  }
});

test("M14: a result of a hidden call does not answer an older call with the same id", () => {
  const made = context(call("a"), call("a"), edit("e1", null), result("a"));
  assert.deepEqual(outline(made), ["assistant(a)", "!a:missing"]);
});

test("P29: a truncated call is left out and its result with it", () => {
  const content = [{ type: "toolCall", id: "a" }, { type: "toolCall", name: "read" }, "torn", null];
  const made = context(message({ role: "assistant", content }), result("a"), user("x"));
  assert.deepEqual(outline(made), ["assistant", "user"]);
});

test("a hidden result is completed as hidden", () => {
  const made = context(call("a"), result("a"), edit("e1", null));
  assert.deepEqual(outline(made), ["assistant(a)", "!a:hidden"]);
});

test("P28: a result made for a hidden one follows the recorded ones too", () => {
  const made = context(call("a", "b"), result("a"), result("b"), edit("e1", null));
  assert.deepEqual(outline(made), ["assistant(a,b)", "=b", "!a:hidden"]);
});

test("F061: results without call, without id, or for an answered call are left out", () => {
  const made = context(result("a"), call("b"), result("b"), result("b"), result(7), user("x"));
  assert.deepEqual(outline(made), ["assistant(b)", "=b", "user"]);
});

test("ids that are used again: each result answers the nearest open call", () => {
  const made = context(
    call("a"),
    result("a"),
    call("a"),
    result("a"),
    call("a"),
    call("a"),
    result("a"),
  );
  const words = ["assistant(a)", "=a", "assistant(a)", "=a", "assistant(a)", "!a:missing"];
  assert.deepEqual(outline(made), [...words, "assistant(a)", "=a"]);
});

test("M15, F063: a kept range that begins inside a pair is widened back to the call", () => {
  const made = context(user("old"), call("a"), result("a"), user("x"), compaction("e2"), user("y"));
  assert.deepEqual(made.entries, ["e4", "e1", "e2", "e3", "e5"]);
  assert.deepEqual(outline(made).slice(0, 3), ["compactionSummary", "assistant(a)", "=a"]);
});

test("M15: a compaction that keeps nothing between a call and its result keeps the call", () => {
  const made = context(user("old"), call("a"), compaction("e2"), result("a"));
  assert.deepEqual(made.entries, ["e2", "e1", "e3"]);
});

test("M15: widening goes on until no pair is torn", () => {
  const steps = [user("old"), call("b"), call("a"), result("b"), user("x"), result("a")];
  const made = context(...steps, compaction("e5"));
  assert.deepEqual(made.entries, ["e6", "e1", "e2", "e3", "e4", "e5"]);
});

test("M15: nothing is widened for hidden calls, hidden results, or results without a call", () => {
  const hiddenCall = [user("old"), call("a"), user("x"), result("a"), edit("e1", null)];
  assert.deepEqual(context(...hiddenCall, compaction("e3")).entries, ["e5", "e3", "e4"]);
  const hiddenResult = [user("old"), call("a"), user("x"), result("a"), edit("e3", null)];
  assert.deepEqual(context(...hiddenResult, compaction("e3")).entries, ["e5", "e3", "e4"]);
  const pairBefore = [call("a"), result("a"), user("x"), result("b")];
  assert.deepEqual(context(...pairBefore, compaction("e3")).entries, ["e4", "e3"]);
});

test("M15: the newest edit of a call decides whether its result brings it in", () => {
  const blocks = [{ type: "toolCall", id: "a", name: "read", arguments: {} }];
  const start = [user("old"), call("a"), user("x"), result("a")];
  const shown = [...start, edit("e1", null), edit("e1", { content: blocks })];
  assert.equal(context(...shown, compaction("e3")).entries[1], "e1");
  const hidden = [...start, edit("e1", { content: blocks }), edit("e1", null)];
  assert.equal(context(...hidden, compaction("e3")).entries[1], "e3");
});

test("system messages before the compaction are dropped, its checkpoint speaks", () => {
  const system = message({ role: "system", content: "old" });
  const checkpoint = { systemMessage: { role: "system", content: "now" } };
  const made = context(user("a"), system, compaction("e0", checkpoint), system);
  assert.deepEqual(outline(made), ["system", "compactionSummary", "user", "system"]);
  assert.deepEqual(made.entries, ["e2", "e0", "e3"]);
});

for (const [what, kept] of [
  ["missing", undefined],
  ["dangling", "gone"],
  ["after it", "e3"],
  ["no id", 7],
] as const) {
  test(`row 25, M8, F088, F089: a first kept entry that is ${what} drops no history`, () => {
    const made = context(user("a"), user("b"), compaction(kept), user("c"));
    assert.deepEqual(outline(made), ["compactionSummary", "gap", "user", "user", "user"]);
    const missingId = typeof kept === "string" ? kept : null;
    assert.deepEqual(made.gaps, [{ entryId: "e2", reason: "first-kept-missing", missingId }]);
    const marker = made.messages[1] as { details?: unknown; timestamp?: unknown };
    assert.deepEqual(marker.details, { reason: "first-kept-missing", missingId });
    assert.equal(marker.timestamp, START);
    assert.equal(made.sources[1], "e2");
  });
}

test("M8: a missing first kept entry keeps to what older compactions left", () => {
  const older = (kept: unknown) =>
    context(user("a"), user("b"), compaction(kept), user("c"), compaction("gone")).entries;
  assert.deepEqual(older("e1"), ["e4", "e1", "e2", "e3"]);
  assert.deepEqual(older("e2"), ["e4", "e2", "e3"]);
  assert.deepEqual(older("e3"), ["e4", "e0", "e1", "e2", "e3"]);
  assert.deepEqual(older("gone"), ["e4", "e0", "e1", "e2", "e3"]);
});

test("M8: a compaction with nothing before it still says that what it kept is not there", () => {
  const made = context({ ...compaction("gone"), gap: GAP }, user("a"));
  assert.deepEqual(outline(made), ["compactionSummary", "gap", "user"]);
  assert.equal(made.gaps.length, 1);
});

test("rows 1 and 6, P7: a gap is marked in place, the first entry's too", () => {
  const made = context({ ...user("a"), gap: GAP }, user("b"), {
    ...user("c"),
    gap: { reason: "cycle", missingId: "e9" },
  });
  assert.deepEqual(outline(made), ["gap", "user", "user", "gap", "user"]);
  assert.deepEqual(made.gaps, [
    { entryId: "e0", reason: "missing-parent", missingId: "lost" },
    { entryId: "e2", reason: "cycle", missingId: "e9" },
  ]);
  assert.equal((made.messages[3] as { timestamp?: number }).timestamp, START + 2000);
  assert.deepEqual(made.sources, ["e0", "e0", "e1", "e2", "e2"]);
});

test("P7: a parent that is no id is a gap without an id", () => {
  const gap: Gap = { reason: "missing-parent", missingId: UNREADABLE_PARENT };
  assert.equal(context({ ...user("a"), gap }).gaps[0]?.missingId, null);
});

test("P7: gaps in the compacted part give no marker, gaps in the kept part do", () => {
  const compacted = context({ ...user("a"), gap: GAP }, user("b"), compaction("e1"));
  assert.deepEqual(outline(compacted), ["compactionSummary", "user"]);
  const nothingKept = context(user("a"), { ...compaction("e1"), gap: GAP }, user("b"));
  assert.deepEqual(outline(nothingKept), ["compactionSummary", "user"]);
  const inside = context(user("a"), { ...compaction("e0"), gap: GAP }, user("b"));
  assert.deepEqual(outline(inside), ["compactionSummary", "user", "gap", "user"]);
});

test("F060: a call whose result lies in a gap is completed before the marker", () => {
  const made = context(call("a"), { ...user("x"), gap: GAP });
  assert.deepEqual(outline(made), ["assistant(a)", "!a:missing", "gap", "user"]);
});

test("an uncompacted compaction is skipped, the older one speaks again, and off takes that back", () => {
  const base = [user("a"), compaction("e1"), user("b"), compaction("e2"), user("c")];
  assert.deepEqual(context(...base).entries, ["e3", "e2", "e4"]);
  const older = context(...base, uncompact("e3"));
  assert.deepEqual(older.entries, ["e1", "e2", "e3", "e4", "e5"]);
  assert.deepEqual(outline(older), ["compactionSummary", "user", "user"]);
  const none = context(...base, uncompact("e3"), uncompact("e1"));
  assert.deepEqual(outline(none), ["user", "user", "user"]);
  const again = context(...base, uncompact("e3"), uncompact("e3", { off: true }));
  assert.deepEqual(again.entries, ["e3", "e2", "e4", "e5", "e6"]);
  const foreign = context(...base, uncompact("e3", { session: "other" }));
  assert.equal(foreign.entries[0], "e3");
});

test("an uncompacted compaction at the root gives no message", () => {
  assert.deepEqual(outline(context(compaction("e0"), user("a"), uncompact("e0"))), ["user"]);
});

test("P7: wrong types are left out, unknown roles and blocks are passed on", () => {
  const odd = { type: "novel", x: 1 };
  const made = context(
    message({ role: "system", content: 1 }),
    message({ role: "user", content: { no: "list" } }),
    message({ role: "custom", content: 3 }),
    message({ role: "user", content: [odd, null, [], "text", { type: "toolCall" }] }),
    message({ role: "novel", content: 4 }),
    message({ role: "user", content: [odd] }),
    { type: "custom_message", customType: 5, content: "x" },
    { type: "branch_summary", summary: 5 },
    { type: "compaction", firstKeptEntryId: "e0" },
    edit("e5", { content: 5 }),
  );
  const contents = made.messages.map((m) => (m as { content?: unknown }).content);
  assert.deepEqual(contents, ["", [], [], [odd, { type: "toolCall" }], 4, [odd]]);
  assert.equal(made.entries.length, 10);
});

test("row 20, P7: a message entry without a message gives none and stops nothing", () => {
  const made = context({ type: "message", message: 7 }, user("a"));
  assert.deepEqual([made.entries, made.sources], [["e0", "e1"], ["e1"]]);
});

test("P7: a checkpoint that is no system message is left out", () => {
  for (const systemMessage of ["text", { role: "toolResult", toolCallId: "a" }]) {
    assert.deepEqual(outline(context(compaction("e0", { systemMessage }))), ["compactionSummary"]);
  }
});

test("an edit of a compaction can hide it", () => {
  assert.deepEqual(outline(context(compaction("e0"), edit("e0", null), user("a"))), ["user"]);
});

test("P8: untouched messages are those of the entries; the context is frozen", () => {
  const steps = chain(user("a"), call("a"), user("b"));
  const made = project(steps, "s-1");
  assert.equal(made.messages[0], (steps[0]!.entry as { message?: unknown }).message);
  assert.ok(Object.isFrozen(made) && Object.isFrozen(made.messages) && Object.isFrozen(made.gaps));
  assert.ok(Object.isFrozen((made.messages[2] as { content?: unknown }).content));
});

test("settings come from the whole path, the compacted part included", () => {
  const made = context(
    { type: "active_tools_change", activeToolNames: ["write"] },
    { type: "thinking_level_change", thinkingLevel: "low" },
    { type: "model_change", provider: "old", modelId: "old" },
    { type: "active_tools_change", activeToolNames: ["read"] },
    { type: "thinking_level_change", thinkingLevel: "high" },
    { type: "model_change", provider: "p", modelId: "m" },
    message({ role: "assistant", content: [] }),
    compaction("e7"),
  );
  const { model, thinkingLevel, activeTools, tokens } = made;
  assert.deepEqual(
    { model, thinkingLevel, activeTools, tokens },
    {
      model: { provider: "p", modelId: "m" },
      thinkingLevel: "high",
      activeTools: ["read"],
      tokens: 2,
    },
  );
});

test("any size: a path of 1,000,000 entries is projected, also with an orphan and dangling cuts", () => {
  const size = 1_000_000;
  const steps: PathStep[] = [];
  for (let index = 0; index < size; index++) {
    const kind = index % 4;
    const body =
      kind === 0
        ? user("x")
        : kind === 1
          ? call("a")
          : kind === 2
            ? result("a")
            : compaction("gone");
    const at = { id: `e${index}`, parentId: null, timestamp: "" };
    steps.push({ gap: null, entry: { ...at, ...body } as Entry });
  }
  const started = process.cpuUsage();
  assert.equal(project(steps, "s-1").entries.length, size);
  const { user: own, system } = process.cpuUsage(started);
  assert.ok((own + system) / 1000 < 30_000);
});

test("a gap that a repair recorded stays visible, whatever session it names (R8)", () => {
  const recorded = (data: unknown): Body => ({ type: "custom", customType: GAP_TYPE, data });
  const lost = context(
    user("a"),
    recorded({ session: "other", reason: "missing-parent" }),
    user("b"),
  );
  assert.deepEqual(outline(lost), ["user", "gap", "user"]);
  assert.deepEqual(lost.gaps, [{ entryId: "e1", reason: "missing-parent", missingId: "e1" }]);
  assert.equal(context(recorded({ reason: "cycle" })).gaps[0]?.reason, "cycle");
  for (const missingId of ["lost", null]) {
    assert.equal(context(recorded({ missingId })).gaps[0]?.missingId, missingId);
  }
  assert.equal(context(recorded(7)).gaps[0]?.reason, "missing-parent");
});
