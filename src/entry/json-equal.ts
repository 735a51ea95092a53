type Pair = readonly [unknown, unknown];

function children(a: object, b: object): readonly Pair[] | null {
  if (Array.isArray(a) !== Array.isArray(b)) return null;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return null;
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  return names.every((name) => Object.hasOwn(right, name))
    ? names.map((name): Pair => [left[name], right[name]])
    : null;
}

/** True where two values are the same JSON data; the order of members does not matter. Iterative. */
export function isJsonEqual(a: unknown, b: unknown): boolean {
  const stack: Pair[] = [[a, b]];
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (typeof left !== "object" || typeof right !== "object") return false;
    if (left === null || right === null) return false;
    const pairs = children(left, right);
    if (pairs === null) return false;
    for (const one of pairs) stack.push(one);
  }
  return true;
}
