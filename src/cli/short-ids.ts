/** Ids cut to what is needed to tell them apart, for people. */
export interface ShortIds {
  /** The shortest unique beginning, at least 8 characters; an unknown id stays whole. */
  short(id: string): string;
  /** Longest short id. */
  readonly width: number;
}

const MINIMUM = 8;

function commonLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) if (a[at] !== b[at]) return at;
  return end;
}

/** Works out the short forms of a set of ids. */
export function shortIds(ids: Iterable<string>): ShortIds {
  const sorted = [...new Set(ids)].sort();
  const lengths = new Map<string, number>();
  let width = 0;
  let before = 0;
  for (const [index, id] of sorted.entries()) {
    const next = sorted[index + 1];
    const after = next === undefined ? 0 : commonLength(id, next);
    const length = Math.max(MINIMUM, before + 1, after + 1);
    lengths.set(id, length);
    width = Math.max(width, Math.min(length, id.length));
    before = after;
  }
  return { short: (id) => id.slice(0, lengths.get(id) ?? id.length), width };
}
