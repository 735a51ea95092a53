import type { FileKind, FileStat } from "../file-system.ts";

/** One file, directory or link of the {@link MemoryFileSystem}, apart from its names. */
export class MemoryFile {
  readonly kind: FileKind;
  readonly ino: bigint;
  /** What a link points to; empty for the others. */
  readonly target: string;
  mode: number;
  mtimeMs: number;
  links = 1;
  #data: Uint8Array = new Uint8Array(0);
  #size = 0;

  constructor(options: {
    readonly kind: FileKind;
    readonly ino: bigint;
    readonly mtimeMs: number;
    readonly target?: string;
  }) {
    this.kind = options.kind;
    this.ino = options.ino;
    this.target = options.target ?? "";
    this.mtimeMs = options.mtimeMs;
    this.mode = options.kind === "directory" ? 0o700 : 0o600;
  }

  get size(): number {
    return this.#size;
  }

  /** A copy of the content. */
  contents(): Uint8Array {
    return this.#data.slice(0, this.#size);
  }

  /** Copies from `position` into `buffer`; gives the number of bytes. */
  readInto(buffer: Uint8Array, position: number): number {
    const end = Math.min(this.#size, position + buffer.byteLength);
    const part = this.#data.subarray(position, Math.max(position, end));
    buffer.set(part);
    return part.byteLength;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(this.#size + bytes.byteLength);
    this.#data.set(bytes, this.#size);
    this.#size += bytes.byteLength;
  }

  /** Cuts, or extends with NUL bytes. */
  resize(length: number): void {
    this.#reserve(length);
    this.#data.fill(0, Math.min(length, this.#size));
    this.#size = length;
  }

  stat(): FileStat {
    const { kind, ino, mtimeMs, mode, links } = this;
    return { kind, dev: 1n, ino, size: this.#size, mtimeMs, mode, links };
  }

  /** Doubles the room, so that many small appends stay linear. */
  #reserve(size: number): void {
    if (size <= this.#data.byteLength) return;
    const grown = new Uint8Array(Math.max(size, this.#data.byteLength * 2, 256));
    grown.set(this.#data.subarray(0, this.#size));
    this.#data = grown;
  }
}
