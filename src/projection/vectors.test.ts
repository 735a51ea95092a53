import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { goldenVectors, Loaded, type Query } from "../../test/builders/golden-vectors.ts";
import {
  anyStep,
  buildPath as build,
  PATH_SESSION as SESSION,
} from "../../test/builders/random-path.ts";
import type { Entry } from "../entry/entry.ts";
import { isEntry, isMalformed } from "../entry/entry-check.ts";
import { activeCompaction, EMPTY_FOLD, type Fold, foldEntry } from "../tree/fold.ts";
import { type Context, project } from "./context.ts";
import type { PathStep } from "./cut.ts";
import { projectRaw, type RawProjection } from "./raw.ts";

interface Part {
  readonly kind: "call" | "result";
  readonly callId: unknown;
  readonly at: number;
  readonly visible: boolean;
  partner: Part | null;
}

type Blocks = readonly { type?: unknown; id?: unknown; name?: unknown; text?: unknown }[];

function callIds(message: object): unknown[] {
  const { content } = message as { content?: unknown };
  if (!Array.isArray(content)) return [];
  return (content as Blocks).filter((b) => b?.type === "toolCall").map((b) => b.id);
}

/** Finds pairs the slow way: each result looks back for the nearest free call with its id. */
function pairs(
  entries: readonly Entry[],
  shownOf: (entry: Entry) => readonly object[],
): readonly Part[] {
  const parts: Part[] = [];
  for (const [at, entry] of entries.entries()) {
    if (!isEntry(entry, "message")) continue;
    const shown = shownOf(entry);
    if (entry.message.role === "toolResult") {
      const { toolCallId: callId } = entry.message as { toolCallId?: unknown };
      const result: Part = { kind: "result", callId, at, visible: shown.length > 0, partner: null };
      result.partner =
        parts.findLast((p) => p.kind === "call" && p.callId === callId && p.partner === null) ??
        null;
      if (result.partner) result.partner.partner = result;
      parts.push(result);
    }
    if (entry.message.role !== "assistant") continue;
    const visible = shown.flatMap(callIds);
    const gone = callIds(entry.message).filter((id) => !visible.includes(id));
    for (const callId of visible)
      parts.push({ kind: "call", callId, at, visible: true, partner: null });
    for (const callId of gone)
      parts.push({ kind: "call", callId, at, visible: false, partner: null });
  }
  return parts;
}

/** Whether the raw projection has nothing that a context must mend; knows nothing of `project`. */
function isSound(steps: readonly PathStep[], raw: RawProjection): boolean {
  const entries = steps.map(({ entry }) => entry);
  if (steps.some(({ gap }) => gap !== null) || entries.some(isMalformed)) return false;
  if (entries.some((e) => isEntry(e, "custom") && e.customType === "branchline.uncompact"))
    return false;
  const at = entries.findLastIndex((entry) => entry.type === "compaction");
  const compaction = entries[at];
  if (compaction !== undefined && isEntry(compaction, "compaction")) {
    const kept = entries.findIndex(({ id }) => id === compaction.firstKeptEntryId);
    if (kept === -1 || kept > at) return false;
  }
  const speaking = ["system", "user", "assistant", "toolResult", "custom"];
  const isFit = raw.messages.every((message) => {
    const { role, content } = message as { role: string; content?: unknown };
    if (!speaking.includes(role) || typeof content === "string") return true;
    if (!Array.isArray(content) || content.some((b) => typeof b !== "object" || b === null))
      return false;
    if ((content as Blocks).some((b) => typeof b.type !== "string")) return false;
    const isText = (b: object) => "text" in b && typeof b.text === "string";
    if (!(content as Blocks).filter((b) => b.type === "text").every(isText)) return false;
    const calls = (content as Blocks).filter((b) => b.type === "toolCall");
    return calls.every((b) => typeof b.id === "string" && typeof b.name === "string");
  });
  if (!isFit) return false;
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const shown = (entry: Entry) => raw.messages.filter((_, i) => raw.sources[i] === entry.id);
  return pairs(
    raw.entries.map((id) => byId.get(id)!),
    shown,
  ).every((part) => !part.visible || part.partner?.visible === true);
}

/** P9 on finished messages: every call is answered once and nothing else is answered. */
function assertPaired(messages: readonly unknown[]): void {
  const open: unknown[] = [];
  for (const message of messages as { role: string; toolCallId?: unknown }[]) {
    if (message.role === "assistant") open.push(...callIds(message));
    if (message.role !== "toolResult") continue;
    const at = open.lastIndexOf(message.toolCallId);
    assert.notEqual(at, -1, `result without call ${String(message.toolCallId)}`);
    open.splice(at, 1);
  }
  assert.deepEqual(open, [], "calls without result");
}

function roundTrip<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function answersOf(raw: RawProjection): Omit<Query, "leafId"> {
  const { entries: context, messages, model, thinkingLevel } = raw;
  return roundTrip({ context, messages, model, thinkingLevel });
}

const all = goldenVectors();

test("raw equals Pi 1.6.0 on all golden vectors and the format sample", (t) => {
  let queries = 0;
  for (const vector of all) {
    const loaded = new Loaded(vector.lines);
    for (const { leafId, ...expected } of vector.queries) {
      const raw = projectRaw(loaded.rawPath(leafId));
      assert.deepEqual(answersOf(raw), expected, `${vector.name} at ${leafId}`);
      assert.equal(raw.sources.length, raw.messages.length);
      queries++;
    }
  }
  t.diagnostic(`${all.length} files, ${queries} queries`);
  assert.ok(all.length >= 121 && queries >= 121);
});

test("P9: on all vectors the context equals raw wherever nothing is damaged or unpaired", (t) => {
  let equal = 0;
  let mended = 0;
  for (const vector of all) {
    const loaded = new Loaded(vector.lines);
    for (const { leafId } of vector.queries) {
      const steps = loaded.steps(leafId);
      const raw = projectRaw(loaded.rawPath(leafId));
      const context = project(steps, loaded.tree.session);
      assertPaired(context.messages);
      if (isSound(steps, raw)) {
        equal++;
        assert.deepEqual(context.entries, raw.entries);
        assert.deepEqual(context.messages, raw.messages, `${vector.name} at ${leafId}`);
        assert.deepEqual(context.sources, raw.sources);
        assert.deepEqual(context.gaps, []);
      } else {
        mended++;
        assert.notDeepEqual(context.messages, raw.messages, `${vector.name} at ${leafId}`);
      }
    }
  }
  t.diagnostic(`${equal} contexts equal raw, ${mended} mended`);
  assert.ok(equal > 0 && mended > 0);
});

function foldOf(steps: readonly PathStep[]): Fold {
  return steps.reduce((fold, { entry }) => foldEntry(fold, entry, SESSION), EMPTY_FOLD);
}

/** Where the kept range must begin, worked out the slow way from the fold. */
function expectedStart(steps: readonly PathStep[], fold: Fold): number {
  const entries = steps.map(({ entry }) => entry);
  const index = (id: string | null) => entries.findIndex((entry) => entry.id === id);
  const active = activeCompaction(fold)!;
  let start = index(active.firstKeptEntryId);
  let bound = index(active.id);
  for (let link = active.previous; (start === -1 || start > bound) && link; link = link.previous) {
    const rest = { ...fold, compactions: link };
    const older = activeCompaction(rest);
    if (older === null) break;
    link = older;
    start = index(older.firstKeptEntryId);
    bound = index(older.id);
  }
  if (start === -1 || start > bound) start = 0;
  const edits = entries.filter((entry) => isEntry(entry, "context_edit"));
  const parts = pairs(entries, (entry) => {
    const edit = edits.findLast(({ targetId }) => targetId === entry.id);
    if (edit?.replacement === null) return [];
    const { content, ...rest } = (entry as { message: { content?: unknown } }).message;
    const shown = edit ? edit.replacement?.content : content;
    const fit = Array.isArray(shown)
      ? (shown as Blocks).filter((b) => b?.type !== "toolCall" || typeof b.name === "string")
      : shown;
    return [{ ...rest, content: fit }];
  });
  for (let moved = true; moved; ) {
    moved = false;
    for (const { kind, visible, at, partner } of parts) {
      if (kind !== "result" || !visible || at < start || !partner?.visible) continue;
      if (partner.at < start) {
        start = partner.at;
        moved = true;
      }
    }
  }
  return start;
}

function checkRange(steps: readonly PathStep[], context: Context): void {
  const fold = foldOf(steps);
  const active = activeCompaction(fold);
  const ids = steps.map(({ entry }) => entry.id);
  if (active === null) {
    assert.deepEqual(context.entries, ids);
    return;
  }
  const at = ids.indexOf(active.id);
  const range = steps.slice(expectedStart(steps, fold)).map(({ entry }) => entry);
  const selected = range.filter((entry) => {
    const isSystem = isEntry(entry, "message") && entry.message.role === "system";
    return entry.id !== active.id && !(isSystem && ids.indexOf(entry.id) < at);
  });
  assert.deepEqual(context.entries, [active.id, ...selected.map(({ id }) => id)]);
}

test("P7, P8, P9 on random paths: paired, nothing lost, equal to raw where sound, same bytes", (t) => {
  const seed = Number(process.env.SEED ?? Date.now() % 0x7fffffff);
  const counts = { runs: 0, sound: 0, compacted: 0, synthetic: 0 };
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 25 }), (made) => {
      const steps = build(made);
      const context = project(steps, SESSION);
      const text = JSON.stringify(context);
      counts.runs++;
      assertPaired(context.messages);
      checkRange(steps, context);
      assert.equal(JSON.stringify(project(roundTrip(steps), SESSION)), text);
      assert.equal(context.sources.length, context.messages.length);
      const markers = context.messages.filter(
        (m) => m.role === "custom" && "customType" in m && m.customType === "branchline.gap",
      );
      assert.equal(markers.length, context.gaps.length);
      const { model, thinkingLevel, activeTools } = foldOf(steps);
      assert.deepEqual(
        [context.model, context.thinkingLevel, context.activeTools],
        [model, thinkingLevel, activeTools],
      );
      if (context.entries[0] !== "e0") counts.compacted++;
      if (text.includes('"synthetic":true')) counts.synthetic++;
      const raw = projectRaw(steps.map(({ entry }) => entry));
      if (!isSound(steps, raw)) return;
      counts.sound++;
      assert.deepEqual(context.messages, raw.messages);
      assert.deepEqual(context.entries, raw.entries);
    }),
    { seed, numRuns: 3000 },
  );
  t.diagnostic(`seed ${seed} ${JSON.stringify(counts)}`);
  for (const count of Object.values(counts)) assert.ok(count > 50, JSON.stringify(counts));
});
