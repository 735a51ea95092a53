import { ProviderFailure } from "../../model/failure-text.ts";

/** Characters of one line: more is no event but a fault, and memory is bounded. */
const LONGEST_LINE = 32 * 1024 * 1024;

/** Lines of a body that arrives in pieces: ended by LF, CR or CRLF, also where the piece ends between the two. */
class LineBuffer {
  #rest = "";
  /** Where the next look for an end begins: what was looked at is not looked at again. */
  #from = 0;

  /** The lines that the piece completes. Throws ProviderFailure for a line without end. */
  push(piece: string): readonly string[] {
    this.#rest += piece;
    const lines: string[] = [];
    const end = /\r\n|\n|\r(?!$)/g;
    end.lastIndex = this.#from;
    let start = 0;
    for (let found = end.exec(this.#rest); found !== null; found = end.exec(this.#rest)) {
      lines.push(this.#rest.slice(start, found.index));
      start = end.lastIndex;
    }
    this.#rest = this.#rest.slice(start);
    // A CR at the very end may be half of a CRLF.
    this.#from = this.#rest.endsWith("\r") ? this.#rest.length - 1 : this.#rest.length;
    if (this.#rest.length > LONGEST_LINE)
      throw new ProviderFailure("a line of the answer has no end");
    return lines;
  }

  /** What is left at the end of the body. */
  end(): string {
    return this.#rest.replace(/\r$/, "");
  }
}

function dataOf(line: string): string | null {
  if (line !== "data" && !line.startsWith("data:")) return null;
  return line.slice("data:".length).replace(/^ /, "");
}

/**
 * The `data` of each event of a text/event-stream body, in order; comments, names and ids of events are
 * passed over, and an event without its empty line at the end of the body counts, since servers forget it.
 * Rejects as the body does. The body is cancelled when the reader stops.
 */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const lines = new LineBuffer();
  const decoder = new TextDecoder();
  let data: string[] = [];
  for await (const piece of body) {
    for (const line of lines.push(decoder.decode(piece, { stream: true }))) {
      const value = dataOf(line);
      if (value !== null) data.push(value);
      if (line !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
  }
  const value = dataOf(lines.end());
  if (value !== null) data.push(value);
  if (data.length > 0) yield data.join("\n");
}
