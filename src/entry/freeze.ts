/**
 * Freezes JSON data through and through and returns it (P8: what is handed out cannot drift from what
 * is on disk). Iterative, so depth does not matter; what is frozen already is not entered again.
 */
export function freezeDeep<T>(data: T): T {
  const stack: unknown[] = [data];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const member of Object.values(value)) stack.push(member);
  }
  return data;
}
