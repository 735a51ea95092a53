/** Deepest nesting that a reader accepts (reliability.md §3 row 31): deeper data breaks `JSON.stringify`. */
export const MAX_DEPTH = 1000;

/**
 * True when JSON data nests deeper than {@link MAX_DEPTH} objects and arrays, the outermost included.
 * Walks level by level, without recursion. Not for data with circles.
 */
export function isTooDeep(data: unknown): boolean {
  let level: object[] = typeof data === "object" && data !== null ? [data] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    const next: object[] = [];
    // No iterators: most lines of an open come by here before this is compiled (T1).
    for (let at = 0; at < level.length; at++) pushObjects(level[at] as object, next);
    level = next;
  }
  return false;
}

function pushObjects(from: object, into: object[]): void {
  const members: unknown[] = Object.values(from);
  for (let at = 0; at < members.length; at++) {
    const member = members[at];
    if (typeof member === "object" && member !== null) into.push(member);
  }
}
