/** Thrown where a row is not what was written: the database is damaged and has to be built anew. */
export class DamagedRow extends Error {}

const scratch = new Float64Array(1);
const halves = new Int32Array(scratch.buffer);
const FACTOR = 0x9e3779b1;

/**
 * Check sum of what a row says. SQLite notices pages that are broken, not bytes that changed inside a
 * value; an index that answered with those would change what a session is. Each step can be turned
 * back, so a single value that changed is always noticed. Not a CRC: it is made for every row of a
 * first index, and the text that a CRC would be taken of costs ten times as much.
 */
export function sealOf(values: readonly unknown[]): number {
  const { length } = values;
  let sum = length;
  for (let at = 0; at < length; at++) {
    const value = values[at];
    if (typeof value === "number") {
      scratch[0] = value;
      sum = mixed(mixed(sum, halves[0] as number), halves[1] as number);
    } else if (value === null) sum = mixed(sum, -1);
    else sum = mixedText(sum, String(value));
  }
  return sum >>> 0;
}

/**
 * Without a call for each character, as {@link sealOf} goes without an iterator: an open checks its seals
 * before any of this is compiled (T1).
 */
function mixedText(start: number, text: string): number {
  const { length } = text;
  let sum = mixed(start, length);
  for (let at = 0; at < length; at++) {
    const product = Math.imul(sum ^ text.charCodeAt(at), FACTOR);
    sum = product ^ (product >>> 15);
  }
  return sum;
}

function mixed(sum: number, word: number): number {
  const product = Math.imul(sum ^ word, FACTOR);
  return product ^ (product >>> 15);
}

/** Throws {@link DamagedRow} where the values are not those that the seal was made of. */
export function checkSeal(seal: unknown, values: readonly unknown[]): void {
  if (seal !== sealOf(values)) throw new DamagedRow("a row of the index was changed");
}
