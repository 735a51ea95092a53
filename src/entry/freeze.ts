/**
 * Freezes JSON data through and through and returns it (P8: what is handed out cannot drift from what
 * is on disk). Iterative, so depth does not matter. What this function froze before is not entered
 * again; what somebody else froze is, since that may be frozen on its surface only.
 */
export function freezeDeep<T>(data: T): T {
  const stack: unknown[] = [data];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null || frozen.has(value)) continue;
    frozen.add(Object.freeze(value));
    const members: unknown[] = Object.values(value);
    // Text is most of what there is. No iterators: this runs before it is compiled (T1).
    for (let at = 0; at < members.length; at++)
      if (typeof members[at] === "object") stack.push(members[at]);
  }
  return data;
}

const frozen = new WeakSet<object>();

/**
 * As {@link freezeDeep}, for what `JSON.parse` has just made: nothing in it stands twice or is frozen.
 * It is not remembered either, which costs more than the freezing itself, so that a later `freezeDeep`
 * goes through it once.
 */
export function freezeParsed<T>(data: T): T {
  const stack: unknown[] = [data];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null) continue;
    Object.freeze(value);
    for (const member of Object.values(value)) {
      if (typeof member === "object") stack.push(member);
    }
  }
  return data;
}
