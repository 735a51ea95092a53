import { randomFillSync, randomInt } from "node:crypto";

/** Randomness as a parameter, so that a seed can stand in for it. */
export interface Random {
  /** `length` fresh random bytes. */
  bytes(length: number): Uint8Array;
  /** A number from 0 (included) to 1 (excluded). */
  float(): number;
}

const STEPS = 2 ** 32;

/** Bytes that are drawn at a time: a call costs more than what it brings for an id. */
const pool = new Uint8Array(4096);
let used: number = pool.length;

/** Every byte of the pool is given out once. */
function draw(length: number): Uint8Array {
  if (length > pool.length) return randomFillSync(new Uint8Array(length));
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return pool.slice(used - length, used);
}

/** Randomness of the operating system. */
export const systemRandom: Random = {
  bytes: draw,
  float: () => randomInt(STEPS) / STEPS,
};
