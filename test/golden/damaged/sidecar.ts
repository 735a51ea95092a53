import type { DamagedCase } from "./damaged-case.ts";

/** A problem as it stands in a sidecar. */
export interface ExpectedProblem {
  readonly code: string;
  readonly line: number;
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly entryId: string | null;
}

/** What stands beside each damaged file. */
export interface Sidecar {
  readonly title: string;
  readonly row: number | null;
  readonly note: string;
  readonly error: string | null;
  readonly id: string;
  readonly readOnly: boolean;
  readonly problems: readonly ExpectedProblem[];
  readonly entries: number;
  readonly leaf: string | null;
  readonly contextTexts: readonly string[];
  readonly roots: readonly string[];
}

/** Where each line begins and ends, counted once more and without the engine. */
function lineRanges(bytes: Buffer): readonly (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = [];
  let start = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== 0x0a) continue;
    ranges.push([start, at]);
    start = at + 1;
  }
  return ranges;
}

function problemOf(text: string, ranges: readonly (readonly [number, number])[]): ExpectedProblem {
  const [code, place, id] = text.split(" ") as [string, string, string | undefined];
  if (place === "@") return { code, line: 1, byteStart: 0, byteEnd: 0, entryId: null };
  const [first, last = first] = place.split("-").map(Number) as [number, number | undefined];
  const [byteStart] = ranges[first - 1] as readonly [number, number];
  const [, byteEnd] = ranges[last - 1] as readonly [number, number];
  const entryId = id === undefined ? null : id === '""' ? "" : id;
  return { code, line: first, byteStart, byteEnd, entryId };
}

/** The sidecar of a case. */
export function sidecarOf(given: DamagedCase): Sidecar {
  const ranges = lineRanges(given.bytes);
  return {
    title: given.title,
    row: given.row,
    note: given.note,
    error: given.error ?? null,
    id: given.id ?? "damaged",
    readOnly: given.readOnly ?? false,
    problems: given.problems.map((each) => problemOf(each, ranges)),
    entries: given.entries,
    leaf: given.leaf,
    contextTexts: given.context,
    roots: given.roots,
  };
}

/** Name and content of every file of the corpus, sidecars included. */
export function corpusFiles(cases: readonly DamagedCase[]): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const each of cases) {
    files.set(`${each.name}.jsonl`, each.bytes);
    const sidecar = JSON.stringify(sidecarOf(each), null, 1);
    files.set(`${each.name}.expected.json`, Buffer.from(`${sidecar}\n`));
  }
  return files;
}
