import type { Random } from "../random.ts";

/** Repeatable randomness: the same seed gives the same sequence (a 32-bit xorshift). */
export function seededRandom(seed: number): Random {
  // Zero would stay zero for ever; spreading the seed keeps small seeds from looking alike.
  let state = Math.imul(seed, 0x9e3779b1) | 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return {
    bytes: (length) => Uint8Array.from({ length }, () => next() >>> 24),
    float: () => next() / 2 ** 32,
  };
}
