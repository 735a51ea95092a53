import type { ContextPart, ContextView, EntryPreview } from "branchline/protocol/tree.ts";
import { fieldsOf, jsonText, plainText, textOf } from "../transcript/entry-content.ts";
import type { TreeShape } from "../tree/tree-shape.ts";
import type { DataBlocks } from "./data-blocks.ts";
import { type EmbeddedPath, sentOf } from "./embedded-path.ts";

/** Entries that are not sent, of which the view tells: the newest. */
const MOST_UNSENT = 1000;
/** Characters of a part's text. */
const SHOWN = 200;

/** What a view is made from. */
export interface ContextSource {
  readonly blocks: DataBlocks;
  readonly shape: TreeShape;
  readonly path: EmbeddedPath;
}

type Unsent = ContextView["unsent"][number];

/**
 * What the model would see at the end of a path, as far as an exported page can tell: the same rules for what
 * a compaction leaves out and what context edits do, with the estimates of the export. What is repaired on the
 * way to a model (calls without results, gaps) is shown as it stands in the session.
 */
export async function embeddedContext(source: ContextSource, at: number): Promise<ContextView> {
  const { blocks, path } = source;
  const parts: ContextPart[] = [];
  const unsent: Unsent[] = [];
  const compaction = path.compaction < 0 ? null : await compactionOf(source, parts);
  const previews = await Promise.all(path.rows.map((place) => blocks.preview(place)));
  for (const [index, place] of path.rows.entries()) {
    const preview = previews[index];
    if (preview === undefined || place === path.compaction) continue;
    const why = whyNot(source, place);
    if (why === null) parts.push(await partOf(source, place, preview));
    // What a summary stands for is told above it.
    else unsent.push(unsentOf(preview, why, place < path.keeps ? 0 : parts.length));
  }
  return {
    at: (await blocks.preview(at))?.id ?? null,
    ...{ model: null, contextWindow: null, reserve: 0, thinkingLevel: "off", activeTools: null },
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    parts,
    messages: [],
    unsent: unsent.slice(-MOST_UNSENT),
    gaps: 0,
    compaction,
  };
}

function whyNot({ path, shape }: ContextSource, place: number): Unsent["why"] | null {
  const sent = sentOf(path, shape, place);
  if (sent === "yes" || sent === "replaced") return null;
  if (sent === "no") return shape.kinds[place] === "c" ? "compacted" : "state";
  return sent;
}

function unsentOf({ id, text, tokens }: EntryPreview, why: Unsent["why"], before: number): Unsent {
  return { entry: id, before, why, text: text.slice(0, 120), tokens };
}

async function partOf(
  { blocks, path, shape }: ContextSource,
  place: number,
  { id, kind, role, text, tokens }: EntryPreview,
): Promise<ContextPart> {
  const edit = path.edits.get(place);
  const isSummary = kind === "m";
  const spoken = kind === "s" ? "system" : place < path.compaction ? "kept" : "new";
  return {
    entry: id,
    role: isSummary ? "branchSummary" : kind === "q" ? "custom" : (role ?? ""),
    part: isSummary ? "summary" : spoken,
    tokens: edit?.tokens ?? shape.tokens[place] ?? tokens,
    text: edit === undefined ? text : replacedText(await blocks.entry(edit.place)),
    prefix: "",
  };
}

function replacedText(edit: unknown): string {
  return short(plainText(fieldsOf(fieldsOf(edit).replacement).content));
}

/** Adds the parts of the compaction in force: the instructions that it took along, and its summary. */
async function compactionOf(
  { blocks, path, shape }: ContextSource,
  parts: ContextPart[],
): Promise<ContextView["compaction"]> {
  const [preview, whole] = await Promise.all([
    blocks.preview(path.compaction),
    blocks.entry(path.compaction),
  ]);
  const id = preview?.id ?? "";
  const entry = fieldsOf(whole);
  const summary = textOf(entry.summary);
  const system = fieldsOf(entry.systemMessage);
  const instructions = plainText(system.content);
  const tokens = shape.tokens[path.compaction] ?? 0;
  const size = Object.keys(system).length === 0 ? 0 : jsonText(system).length;
  // One estimate stands for both; it is shared out by length.
  const own = Math.round((tokens * size) / Math.max(1, size + summary.length));
  const part = { entry: id, prefix: "" };
  if (size > 0) {
    parts.push({ ...part, role: "system", part: "system", tokens: own, text: short(instructions) });
  }
  parts.push({
    ...{ ...part, role: "compactionSummary", part: "summary" },
    ...{ tokens: tokens - own, text: short(summary) },
  });
  const before = entry.tokensBefore;
  return {
    entry: id,
    tokensBefore: typeof before === "number" ? before : 0,
    summary,
    loss: fieldsOf(fieldsOf(entry.details).branchline).loss ?? null,
  };
}

function short(text: string): string {
  const line = text
    .slice(0, SHOWN * 4)
    .replace(/\s+/gu, " ")
    .trim();
  const letters = [...line];
  return letters.length <= SHOWN ? line : `${letters.slice(0, SHOWN - 1).join("")}…`;
}
