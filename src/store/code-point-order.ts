/**
 * Compares texts by code points, for `sort`. The plain comparison goes by UTF-16 units and puts
 * characters beyond U+FFFF before those from U+E000 on.
 */
export function compareCodePoints(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let index = 0;
  while (index < end && a.charCodeAt(index) === b.charCodeAt(index)) index++;
  if (index === end) return a.length - b.length;
  return rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
}

/** Moves the surrogates behind all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
