/** A piece of a comparison. */
export interface DiffPiece {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Edits that are searched for; further apart texts count as wholly different. */
const MOST_EDITS = 400;

/** Differences of two texts by lines. */
export function diffLines(left: string, right: string): readonly DiffPiece[] {
  return diffParts(left.split(/(?<=\n)/), right.split(/(?<=\n)/));
}

/** Differences of two texts by words; Chinese characters count as words of their own. */
export function diffWords(left: string, right: string): readonly DiffPiece[] {
  const words = /[\p{Script=Han}]|[\p{L}\p{N}_]+|\s+|./gu;
  return diffParts(left.match(words) ?? [], right.match(words) ?? []);
}

/** Shortest edit script (greedy, by furthest reaching paths); O((n + m) · edits). */
function diffParts(left: readonly string[], right: readonly string[]): readonly DiffPiece[] {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let tail = 0;
  while (
    tail < left.length - start &&
    tail < right.length - start &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  ) {
    tail++;
  }
  const middleLeft = left.slice(start, left.length - tail);
  const middleRight = right.slice(start, right.length - tail);
  return joined([
    ...pieces("same", left.slice(0, start)),
    ...middle(middleLeft, middleRight),
    ...pieces("same", left.slice(left.length - tail)),
  ]);
}

const pieces = (kind: DiffPiece["kind"], parts: readonly string[]): DiffPiece[] =>
  parts.length === 0 ? [] : [{ kind, text: parts.join("") }];

function middle(left: readonly string[], right: readonly string[]): DiffPiece[] {
  if (left.length === 0 || right.length === 0) {
    return [...pieces("removed", left), ...pieces("added", right)];
  }
  const trace = reach(left, right);
  return trace === undefined
    ? [...pieces("removed", left), ...pieces("added", right)]
    : walkBack(trace, left, right);
}

/** For each number of edits the furthest x on every diagonal; undefined = too far apart. */
function reach(left: readonly string[], right: readonly string[]): Int32Array[] | undefined {
  const most = Math.min(MOST_EDITS, left.length + right.length);
  const furthest = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(furthest.slice());
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = diagonal + most + 1;
      const down =
        diagonal === -edits ||
        (diagonal !== edits && (furthest[at - 1] ?? 0) < (furthest[at + 1] ?? 0));
      let x = down ? (furthest[at + 1] ?? 0) : (furthest[at - 1] ?? 0) + 1;
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x++;
      furthest[at] = x;
      if (x >= left.length && x - diagonal >= right.length) return trace;
    }
  }
  return undefined;
}

function walkBack(
  trace: readonly Int32Array[],
  left: readonly string[],
  right: readonly string[],
): DiffPiece[] {
  const most = Math.min(MOST_EDITS, left.length + right.length);
  const found: DiffPiece[] = [];
  let x = left.length;
  let y = right.length;
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const furthest = trace[edits] ?? new Int32Array();
    const diagonal = x - y;
    const at = diagonal + most + 1;
    const down =
      diagonal === -edits ||
      (diagonal !== edits && (furthest[at - 1] ?? 0) < (furthest[at + 1] ?? 0));
    const before = down ? diagonal + 1 : diagonal - 1;
    const fromX = furthest[before + most + 1] ?? 0;
    const fromY = fromX - before;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x--;
      y--;
      found.push({ kind: "same", text: left[x] ?? "" });
    }
    if (down) found.push({ kind: "added", text: right[--y] ?? "" });
    else found.push({ kind: "removed", text: left[--x] ?? "" });
  }
  while (x > 0) found.push({ kind: "same", text: left[--x] ?? "" });
  return found.reverse();
}

function joined(all: readonly DiffPiece[]): readonly DiffPiece[] {
  const result: { kind: DiffPiece["kind"]; text: string }[] = [];
  for (const { kind, text } of all) {
    const last = result.at(-1);
    if (last?.kind === kind) last.text += text;
    else result.push({ kind, text });
  }
  return result;
}
