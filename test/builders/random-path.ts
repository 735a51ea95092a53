import fc from "fast-check";
import type { Entry } from "../../src/entry/entry.ts";
import type { PathStep } from "../../src/projection/cut.ts";

/** The session id of these paths. */
export const PATH_SESSION = "s-1";

/** The members of an entry, given its id and the entries before it. */
export type Make = (id: string, earlier: readonly Entry[]) => Record<string, unknown>;

const callId = fc.constantFrom("a", "b", "c");
const picked = fc.nat({ max: 30 });
const block: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 4,
    arbitrary: callId.map((id) => ({ type: "toolCall", id, name: "read", arguments: {} })),
  },
  { weight: 3, arbitrary: fc.constant({ type: "text", text: "hi" }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(null, 7, "x", { type: "toolCall", id: "a" }, { odd: 1 }),
  },
);
const blocks = fc.array(block, { maxLength: 3 });
const message =
  (body: Record<string, unknown>): Make =>
  () => ({ type: "message", message: body });
const idAt = (earlier: readonly Entry[], pick: number): string =>
  earlier.length === 0 ? "none" : earlier[pick % earlier.length]!.id;

const anyEntry: fc.Arbitrary<Make> = fc.oneof(
  {
    weight: 4,
    arbitrary: blocks.map((content) =>
      message({ role: "assistant", content, provider: "p", model: "m", timestamp: 5 }),
    ),
  },
  {
    weight: 5,
    arbitrary: callId.map((id) =>
      message({
        role: "toolResult",
        toolCallId: id,
        toolName: "read",
        content: [],
        isError: false,
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<unknown>("hi", null, 5, [3])
      .map((content) => message({ role: "user", content })),
  },
  { weight: 1, arbitrary: fc.constant(message({ role: "system", content: "you are" })) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom("near", "own", "gone", "none", "near"), picked).map(
      ([kind, pick]): Make =>
        (id, earlier) => {
          const kept = { near: idAt(earlier, pick), own: id, gone: "gone", none: undefined }[kind];
          return { type: "compaction", summary: "s", firstKeptEntryId: kept, tokensBefore: 1 };
        },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.option(fc.oneof(fc.constant("new"), blocks)), picked).map(
      ([content, pick]): Make =>
        (_id, earlier) => ({
          type: "context_edit",
          targetId: idAt(earlier, pick),
          replacement: content === null ? null : { content },
        }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.boolean(), picked).map(
      ([off, pick]): Make =>
        (_id, earlier) => {
          const compactions = earlier.filter(({ type }) => type === "compaction");
          const compaction = idAt(compactions, pick);
          const data = { session: PATH_SESSION, compaction, off };
          return { type: "custom", customType: "branchline.uncompact", data };
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<Record<string, unknown>>(
        { type: "thinking_level_change", thinkingLevel: "high" },
        { type: "thinking_level_change", thinkingLevel: "low" },
        { type: "active_tools_change", activeToolNames: ["read"] },
        { type: "model_change", provider: "q", modelId: "n" },
        { type: "custom_message", customType: "note", content: "c", display: true },
        { type: "branch_summary", summary: "b", fromId: "root" },
        { type: "compaction", summary: 3 },
        { type: "thinking_level_change" },
        { type: "novel", x: 1 },
      )
      .map(
        (body): Make =>
          () =>
            body,
      ),
  },
);
/** One step of any kind, sound or not; `true` = a gap before it. */
export const anyStep: fc.Arbitrary<readonly [Make, boolean]> = fc.tuple(
  anyEntry,
  fc.nat({ max: 24 }).map((n) => n === 0),
);

/** As {@link anyStep}, and edits that stand before their target, which only a crafted file has. */
export const craftedStep: fc.Arbitrary<readonly [Make, boolean]> = fc.oneof(
  { weight: 12, arbitrary: anyStep },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.option(blocks), fc.nat(4)).map(([content, ahead]) => {
      const make: Make = (_id, earlier) => ({
        type: "context_edit",
        targetId: `e${earlier.length + ahead}`,
        replacement: content === null ? null : { content },
      });
      return [make, false] as const;
    }),
  },
);

/** The path that these steps make; ids are e0, e1, … */
export function buildPath(steps: readonly (readonly [Make, boolean])[]): readonly PathStep[] {
  const entries: Entry[] = [];
  return steps.map(([make, hasGap], index) => {
    const id = `e${index}`;
    const parentId = entries.at(-1)?.id ?? null;
    const timestamp = new Date(1_790_000_000_000 + index * 1000).toISOString();
    const entry = { ...make(id, entries), id, parentId, timestamp } as Entry;
    entries.push(entry);
    const gap = hasGap ? ({ reason: "missing-parent", missingId: "lost" } as const) : null;
    return { entry, gap };
  });
}
