/** Deepest nesting that a reader accepts (reliability.md §3 row 31): deeper data breaks `JSON.stringify`. */
export const MAX_DEPTH = 1000;

/** True when JSON data nests deeper than {@link MAX_DEPTH}. Walks level by level, without recursion. */
export function isTooDeep(data: unknown): boolean {
  let level: unknown[] = [data];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      for (const member of Object.values(value)) {
        if (typeof member === "object" && member !== null) next.push(member);
      }
    }
    level = next;
  }
  return false;
}
