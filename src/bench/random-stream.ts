/** A repeatable stream of random numbers: the same seed gives the same stream on every machine. */
export class RandomStream {
  readonly #state: Uint32Array;

  /** @param seed any whole number */
  constructor(seed: number) {
    this.#state = Uint32Array.of(0x9e3779b9, 0x243f6a88, seed, 1);
    // The first numbers of near seeds resemble each other.
    for (let index = 0; index < 16; index++) this.word();
  }

  /** 32 random bits (sfc32). */
  word(): number {
    const [a = 0, b = 0, c = 0, count = 0] = this.#state;
    const sum = (a + b + count) >>> 0;
    const rotated = (c << 21) | (c >>> 11);
    this.#state.set([b ^ (b >>> 9), c + (c << 3), rotated + sum, count + 1]);
    return sum;
  }

  /** At least 0, below 1. */
  fraction(): number {
    return this.word() / 2 ** 32;
  }

  /** A whole number, both ends included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.whole(0, list.length - 1)] as T;
  }

  /** Evenly spread over the orders of magnitude between the two. */
  logUniform(low: number, high: number): number {
    return Math.round(low * (high / low) ** this.fraction());
  }

  /** Normally distributed around 0 with deviation 1. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.fraction()));
    return radius * Math.cos(2 * Math.PI * this.fraction());
  }
}
