/** Numbers of one kind, one for each entry: a typed array that doubles when it is full. */
export class GrowingColumn<A extends Int32Array | Float64Array> {
  #values: A;
  #length = 0;
  readonly #make: (length: number) => A;

  constructor(make: (length: number) => A) {
    this.#make = make;
    this.#values = make(FIRST_LENGTH);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = this.#make(this.#length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#length++] = value;
  }

  /** The value at a place that there is. */
  at(index: number): number {
    return this.#values[index] as number;
  }
}

/** A power of two, so that growing stays aligned to pages. */
const FIRST_LENGTH = 1024;

/** A column of whole numbers below 2^31. */
export function intColumn(): GrowingColumn<Int32Array> {
  return new GrowingColumn((length) => new Int32Array(length));
}

/** A column of numbers of any kind, such as byte offsets and times. */
export function floatColumn(): GrowingColumn<Float64Array> {
  return new GrowingColumn((length) => new Float64Array(length));
}
