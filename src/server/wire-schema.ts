import { z } from "@hono/zod-openapi";
import type * as operation from "../protocol/operation.ts";
import type * as session from "../protocol/session.ts";
import type * as tree from "../protocol/tree.ts";

/**
 * The wire types of `src/protocol` once more as schemas, for the OpenAPI document. The annotations make
 * the compiler compare the two: a member that is missing here or has another type does not compile.
 */

const id = z.string();
const idOrNull = z.string().nullable();
const count = z.number().int();
const free = z.unknown();

/** `ErrorBody` as a schema. */
export const ERROR_BODY: z.ZodType<operation.ErrorBody> = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), hint: idOrNull, fields: free }),
  })
  .openapi("ErrorBody");

const USAGE: z.ZodType<session.WireUsage> = z
  .object({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    cost: z.number().nullable(),
  })
  .openapi("Usage");

const GLYPH_LINE = z.object({ from: z.number(), to: z.number(), active: z.boolean() });

/** `SessionRow` as a schema. */
export const SESSION_ROW: z.ZodType<session.SessionRow> = z
  .object({
    ...{ id, path: idOrNull, agent: z.string(), cwd: z.string() },
    ...{ name: idOrNull, title: idOrNull, entries: count, messages: count, branches: count },
    ...{ created: z.string(), modified: z.string(), bytes: count, usage: USAGE, model: idOrNull },
    ...{ pinned: z.boolean(), archived: z.boolean(), sample: z.boolean(), readOnly: idOrNull },
    glyph: z.array(GLYPH_LINE),
    ...{ labels: z.array(z.string()).optional(), diverged: z.boolean().optional() },
    secrets: count.nullable().optional(),
    running: z.enum(["here", "elsewhere"]).nullable().optional(),
    unread: count.nullable().optional(),
  })
  .openapi("SessionRow");

const FACET = z.object({ value: z.string(), count });

/** `SessionPage` as a schema. */
export const SESSION_PAGE: z.ZodType<session.SessionPage> = z
  .object({
    sessions: z.array(SESSION_ROW),
    cursor: idOrNull,
    total: count,
    facets: z.object({
      projects: z.array(FACET),
      agents: z.array(FACET),
      models: z.array(FACET),
      labels: z.array(FACET).optional(),
      flags: z
        .object({ diverged: count, secrets: count, running: count, unread: count })
        .optional(),
    }),
  })
  .openapi("SessionPage");

/** `WireModel` as a schema. */
export const MODEL: z.ZodType<session.WireModel> = z
  .object({
    provider: z.string(),
    modelId: z.string(),
    name: z.string(),
    contextWindow: count.nullable(),
    isOffline: z.boolean(),
  })
  .openapi("Model");

const BRANCH_ROW: z.ZodType<session.BranchRow> = z
  .object({
    ...{ id, name: idOrNull, head: idOrNull, entries: count },
    ...{ archived: z.boolean(), foreign: z.boolean(), active: z.boolean() },
  })
  .openapi("Branch");

const RUN_STATE: z.ZodType<session.RunState> = z
  .object({
    id,
    branch: z.string(),
    state: z.enum(["running", "compacting", "navigating"]),
    started: z.string(),
  })
  .openapi("Run");

/** `QueueRow` as a schema. */
export const QUEUE_ROW: z.ZodType<session.QueueRow> = z
  .object({
    id,
    queue: z.enum(["steer", "followUp", "nextTurn"]),
    content: free,
    timestamp: z.string(),
  })
  .openapi("QueueRow");

/** `SessionState` as a schema. */
export const SESSION_STATE: z.ZodType<session.SessionState> = z
  .object({
    row: SESSION_ROW,
    revision: z.string(),
    ...{ leaf: idOrNull, position: idOrNull, branch: z.string() },
    branches: z.array(BRANCH_ROW),
    labels: z.array(z.object({ entry: id, text: z.string(), timestamp: z.string() })),
    ...{
      model: MODEL.nullable(),
      insteadOf: idOrNull,
      models: z.array(MODEL),
      thinkingLevel: z.string(),
    },
    activeTools: z.array(z.string()).nullable(),
    ...{ tokens: count, verified: z.boolean(), readOnly: idOrNull },
    ...{ run: RUN_STATE.nullable(), queue: z.array(QUEUE_ROW), parentSession: idOrNull },
    problems: count,
    permissions: z.array(
      z.object({ callId: id, name: z.string(), arguments: free, question: z.string() }),
    ),
    seen: count.nullable().optional(),
  })
  .openapi("SessionState");

/** `TreeColumns` as a schema. */
export const TREE_COLUMNS: z.ZodType<tree.TreeColumns> = z
  .object({
    ...{ revision: z.string(), size: count, from: count },
    ...{ parents: z.array(count), kinds: z.string(), tokens: z.array(count) },
    ...{ leaf: count, position: count },
    knots: z.array(z.tuple([count, id])),
    labels: z.array(z.tuple([count, z.string()])),
    branches: z.array(
      z.object({ id, name: idOrNull, start: count, head: count, archived: z.boolean() }),
    ),
  })
  .openapi("TreeColumns");

const PREVIEW_SHAPE = {
  ...{ place: count, id, parentId: idOrNull, kind: z.string(), type: z.string() },
  ...{ role: idOrNull, timestamp: z.string(), text: z.string(), tokens: count },
  ...{ cost: z.number().nullable(), model: idOrNull, tool: idOrNull, isError: z.boolean() },
  label: idOrNull,
};

/** `EntryPreview` as a schema. */
export const ENTRY_PREVIEW: z.ZodType<tree.EntryPreview> = z
  .object(PREVIEW_SHAPE)
  .openapi("EntryPreview");

const TRANSCRIPT_ROW: z.ZodType<tree.TranscriptRow> = z
  .object({
    ...PREVIEW_SHAPE,
    ...{ entry: free, cut: z.boolean(), sibling: count },
    more: z.object({ bytes: count }).optional(),
    siblings: z.array(z.object({ id, text: z.string(), leaf: id })),
    sent: z.enum(["yes", "compacted", "hidden", "replaced", "no"]),
  })
  .openapi("TranscriptRow");

/** `PathWindow` as a schema. */
export const PATH_WINDOW: z.ZodType<tree.PathWindow> = z
  .object({
    ...{ revision: z.string(), leaf: idOrNull, total: count, start: count },
    rows: z.array(TRANSCRIPT_ROW),
  })
  .openapi("PathWindow");

/** One entry whole. */
export const ENTRY_VIEW: z.ZodType = z
  .object({
    entry: free,
    preview: ENTRY_PREVIEW,
    parents: z.array(ENTRY_PREVIEW),
    children: z.array(ENTRY_PREVIEW),
    where: z.object({ line: count, start: count, end: count, file: idOrNull }).nullable(),
    gap: free,
  })
  .openapi("EntryView");

const CONTEXT_PART: z.ZodType<tree.ContextPart> = z.object({
  entry: id,
  role: z.string(),
  part: z.enum(["system", "tools", "summary", "kept", "new"]),
  tokens: count,
  text: z.string(),
  prefix: z.string(),
  held: z.literal(true).optional(),
  agreed: z.literal(true).optional(),
});

const HELD_TEXT: z.ZodType<tree.HeldText> = z
  .object({
    entry: id,
    kind: z.enum(["message", "compaction", "other"]),
    ...{ text: z.string(), length: count, tokens: count },
    tools: z.object({ added: z.array(z.string()), removed: z.array(z.string()) }),
    from: z.object({
      ...{ agent: z.string(), timestamp: z.string(), line: count.nullable() },
      ...{ file: idOrNull, parentSession: idOrNull },
    }),
  })
  .openapi("HeldText");

/** `ContextView` as a schema. */
export const CONTEXT_VIEW: z.ZodType<tree.ContextView> = z
  .object({
    at: idOrNull,
    model: z.object({ provider: z.string(), modelId: z.string() }).nullable(),
    ...{ contextWindow: count.nullable(), reserve: count, thinkingLevel: z.string() },
    activeTools: z.array(z.string()).nullable(),
    ...{ tokens: count, parts: z.array(CONTEXT_PART), messages: z.array(free), gaps: count },
    held: z.array(HELD_TEXT).optional(),
    body: free.optional(),
    unsent: z.array(
      z.object({
        ...{ entry: id, before: count, text: z.string(), tokens: count },
        why: z.enum(["compacted", "hidden", "replaced", "state"]),
      }),
    ),
    compaction: z
      .object({ entry: id, tokensBefore: count, summary: z.string(), loss: free })
      .nullable(),
  })
  .openapi("ContextView");

/** `ContextCurve` as a schema. */
export const CONTEXT_CURVE: z.ZodType<tree.ContextCurve> = z
  .object({ points: z.array(z.object({ entry: id, tokens: count, kind: z.string() })) })
  .openapi("ContextCurve");

/** `OperationRow` as a schema. */
export const OPERATION_ROW: z.ZodType<operation.OperationRow> = z
  .object({
    ...{ op: id, kind: z.string(), summary: z.string(), timestamp: z.string() },
    ...{ undoes: idOrNull, undone: z.boolean(), entries: z.array(id) },
  })
  .openapi("OperationRow");

/** `MoveAnswer` as a schema. */
export const MOVE_ANSWER: z.ZodType<operation.MoveAnswer> = z
  .object({
    ...{ leafId: idOrNull, position: idOrNull, branch: z.string(), previousLeafId: idOrNull },
    ...{ op: idOrNull, editorText: idOrNull },
  })
  .openapi("MoveAnswer");

/** `HitRow` as a schema. */
export const HIT_ROW: z.ZodType<operation.HitRow> = z
  .object({
    ...{ session: id, title: idOrNull, path: idOrNull, entry: id, type: z.string() },
    ...{ role: idOrNull, timestamp: z.string(), excerpt: z.string() },
    marks: z.array(z.tuple([count, count])),
    onActivePath: z.boolean(),
  })
  .openapi("HitRow");

const DIFF_SIDE = z.object({
  ...{ entry: id, role: z.string(), text: z.string(), tokens: count },
});

const TOTALS_SHAPE = {
  ...{ leaf: id, turns: count, entries: count, tokens: count, cost: z.number().nullable() },
  ...{ stopReason: idOrNull, files: z.array(z.string()), labels: z.array(z.string()) },
  durationMs: z.number().nullable(),
  shown: count.optional(),
  filesTruncated: z.literal(true).optional(),
};

const DIFF_TOTALS: z.ZodType<operation.DiffTotals> = z.object(TOTALS_SHAPE).openapi("DiffTotals");

/** `DiffView` as a schema. */
export const DIFF_VIEW: z.ZodType<operation.DiffView> = z
  .object({
    mode: z.enum(["turns", "context"]),
    ...{ meeting: idOrNull, shared: count },
    rows: z.array(
      z.object({
        kind: z.enum(["same", "changed", "left", "right"]),
        ...{ left: DIFF_SIDE.nullable(), right: DIFF_SIDE.nullable() },
      }),
    ),
    ...{ a: DIFF_TOTALS, b: DIFF_TOTALS, cacheBreak: count },
    truncated: z.literal(true).optional(),
  })
  .openapi("DiffView");

/** `StatsView` as a schema. */
export const STATS_VIEW: z.ZodType<operation.StatsView> = z
  .object({
    by: z.string(),
    rows: z.array(
      z.object({
        ...{ key: z.string(), input: z.number(), output: z.number(), cacheRead: z.number() },
        ...{ cacheWrite: z.number(), cost: z.number().nullable(), calls: count, sessions: count },
      }),
    ),
  })
  .openapi("StatsView");

/** `HealthView` as a schema. */
export const HEALTH_VIEW: z.ZodType<operation.HealthView> = z
  .object({
    ...{ ok: z.boolean(), entries: count, bytes: count },
    problems: z.array(
      z.object({
        ...{ reason: z.string(), line: count.nullable(), start: count.nullable() },
        ...{ end: count.nullable(), text: z.string() },
      }),
    ),
    byKind: z.array(z.object({ kind: z.string(), entries: count, bytes: count })),
    largest: z.array(z.object({ entry: id, bytes: count, text: z.string() })),
    secrets: z.array(z.object({ entry: id, kind: z.string(), masked: z.string() })),
  })
  .openapi("HealthView");
