import type { IndexedSession } from "../index/session-index.ts";
import type { SessionRow } from "../protocol/session.ts";
import type { TreeBase } from "../tree/tree-base.ts";

/** What a row of the library shows besides the summary. */
export interface RowDetails {
  /** `provider/model` at the leaf. */
  readonly model: string | null;
  readonly glyph: SessionRow["glyph"];
}

/** Branches that a glyph draws. */
const DRAWN = 12;

/** From the index alone, no file is read; nothing for sessions that it cannot vouch for. */
export function rowDetails({ base, summary }: IndexedSession): RowDetails {
  if (base === null || base.size === 0) return { model: null, glyph: [] };
  const model = base.at(base.size - 1)?.fold.model ?? null;
  return {
    model: model === null ? null : `${model.provider}/${model.modelId}`,
    glyph: glyphOf(base, summary.leaf),
  };
}

function glyphOf(base: TreeBase, leaf: string | null): SessionRow["glyph"] {
  const whole = Math.max(1, base.size - 1);
  const active = leaf === null ? "main" : base.get(leaf)?.fold.branch;
  const share = (place: number): number => Math.round((place / whole) * 1000) / 1000;
  const lines = base.branches.map(({ id, head }) => ({
    from: id === "main" ? 0 : share(base.get(id)?.parent?.ordinal ?? 0),
    to: head === null ? 0 : share(base.get(head)?.ordinal ?? 0),
    active: id === active,
  }));
  const tips = base.tips().filter(({ id }) => !base.branches.some(({ head }) => head === id));
  const further = tips.map(({ id, ordinal }) => ({
    from: share(forkAbove(base, id)),
    to: share(ordinal),
    active: id === leaf,
  }));
  return [...lines, ...further].slice(0, DRAWN);
}

/** Entries that are looked at upwards for the fork of a tip. */
const LOOKED_UP = 64;

function forkAbove(base: TreeBase, tip: string): number {
  let at = base.get(tip);
  for (let steps = 0; at?.parent != null && steps < LOOKED_UP; steps++) {
    at = at.parent as typeof at;
    if (base.children(at.id).length > 1) break;
  }
  return at?.ordinal ?? 0;
}
