import { randomBytes, randomInt } from "node:crypto";

/** Randomness as a parameter, so that a seed can stand in for it. */
export interface Random {
  /** `length` fresh random bytes. */
  bytes(length: number): Uint8Array;
  /** A number from 0 (included) to 1 (excluded). */
  float(): number;
}

const STEPS = 2 ** 32;

/** Randomness of the operating system. */
export const systemRandom: Random = {
  bytes: (length) => new Uint8Array(randomBytes(length)),
  float: () => randomInt(STEPS) / STEPS,
};
