import type { CliIo } from "./cli-io.ts";
import { type InputLine, stdinLines } from "./stdin-lines.ts";

/** Standard input, line by line, for whoever asks next. Close it, or an open pipe keeps the process alive. */
export class LineReader {
  readonly #io: CliIo;
  #lines: AsyncIterator<InputLine> | null = null;
  #wanted: ((line: string | null) => void) | null = null;
  #isReading = false;

  constructor(io: CliIo) {
    this.#io = io;
  }

  /** The next line that is no answer to a question, null at the end. */
  async next(): Promise<string | null> {
    this.#lines ??= stdinLines(this.#io)[Symbol.asyncIterator]();
    this.#isReading = true;
    try {
      for (;;) {
        const read = await this.#lines.next();
        const line = read.done === true ? null : read.value.text;
        const wanted = this.#wanted;
        if (wanted === null) return line;
        this.#wanted = null;
        wanted(line);
        if (line === null) return null;
      }
    } finally {
      this.#isReading = false;
    }
  }

  /** The line that comes next as the answer to a question, also while somebody waits in `next`. */
  answer(): Promise<string | null> {
    if (!this.#isReading) return this.next();
    const { promise, resolve } = Promise.withResolvers<string | null>();
    this.#wanted = resolve;
    return promise;
  }

  /** Gives a question up that waits for its answer. */
  release(): void {
    this.#wanted?.(null);
    this.#wanted = null;
  }

  close(): void {
    this.release();
    if (this.#lines !== null) this.#io.closeStdin();
  }
}

/** All of standard input as one text, without the line end at its end. */
export async function stdinText(io: CliIo): Promise<string> {
  const lines: string[] = [];
  for await (const { text } of stdinLines(io)) lines.push(text);
  return lines.join("\n").trim();
}
