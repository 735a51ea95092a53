import type { ContextPart, ContextView } from "branchline/protocol/tree.ts";

type Unsent = ContextView["unsent"][number];

/** A line of the list: something that is sent, or a run of entries that are not, for one reason. */
export type ContextLine =
  | { readonly kind: "part"; readonly part: ContextPart; readonly index: number }
  | { readonly kind: "unsent"; readonly why: Unsent["why"]; readonly entries: readonly Unsent[] };

/** Parts in sending order with what is not sent between them; neighbours with one reason are one line. */
export function contextLines({ parts, unsent }: ContextView): readonly ContextLine[] {
  const lines: ContextLine[] = [];
  let next = 0;
  for (let index = 0; index <= parts.length; index++) {
    let run: Unsent[] = [];
    for (; next < unsent.length && (unsent[next]?.before ?? 0) <= index; next++) {
      const entry = unsent[next] as Unsent;
      if (run.length > 0 && run[0]?.why !== entry.why) {
        lines.push({ kind: "unsent", why: run[0]?.why ?? "state", entries: run });
        run = [];
      }
      run.push(entry);
    }
    if (run.length > 0) lines.push({ kind: "unsent", why: run[0]?.why ?? "state", entries: run });
    const part = parts[index];
    if (part !== undefined) lines.push({ kind: "part", part, index });
  }
  return lines;
}

/** Tokens by segment of the bar, in sending order. */
export interface Segment {
  readonly part: ContextPart["part"] | "reserve" | "free";
  readonly tokens: number;
  /** Index of its first part; -1 = none. */
  readonly first: number;
}

const ORDER: readonly ContextPart["part"][] = ["system", "tools", "summary", "kept", "new"];

/** Segments of the bar; without a known window there is no reserve and no free room. */
export function contextSegments(view: ContextView): readonly Segment[] {
  const sums = new Map<string, { tokens: number; first: number }>();
  for (const [index, { part, tokens }] of view.parts.entries()) {
    const sum = sums.get(part) ?? { tokens: 0, first: index };
    sums.set(part, { tokens: sum.tokens + tokens, first: sum.first });
  }
  const segments: Segment[] = ORDER.flatMap((part) => {
    const sum = sums.get(part);
    return sum === undefined ? [] : [{ part, ...sum }];
  });
  if (view.contextWindow === null) return segments;
  const free = view.contextWindow - view.reserve - view.tokens;
  return [
    ...segments,
    { part: "free", tokens: Math.max(0, free), first: -1 },
    { part: "reserve", tokens: view.reserve, first: -1 },
  ];
}
