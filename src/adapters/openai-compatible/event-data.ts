import { ProviderFailure } from "../../model/failure-text.ts";

/** Characters of one event: more is no event but a fault, and memory is bounded. */
const LONGEST_EVENT = 32 * 1024 * 1024;

/** Lines of a body that arrives in pieces: ended by LF, CR or CRLF, also where the piece ends between the two. */
class LineBuffer {
  /** The pieces of the line that is not whole yet: put together once, at its end. */
  #pieces: string[] = [];
  #length = 0;

  /** The lines that the piece completes. Throws ProviderFailure for a line without end. */
  push(piece: string): readonly string[] {
    // A CR at the very end may be half of a CRLF: it is looked at together with what comes next.
    const last = this.#pieces.at(-1) ?? "";
    const isHalf = last.endsWith("\r");
    const text = isHalf ? `\r${piece}` : piece;
    if (isHalf) this.#replaceLast(last.slice(0, -1));
    const lines: string[] = [];
    const end = /\r\n|\n|\r(?!$)/g;
    let start = 0;
    for (let found = end.exec(text); found !== null; found = end.exec(text)) {
      lines.push(this.#take(text.slice(start, found.index)));
      start = end.lastIndex;
    }
    this.#keep(text.slice(start));
    return lines;
  }

  /** What is left at the end of the body. */
  end(): string {
    return this.#take("").replace(/\r$/, "");
  }

  #keep(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length > LONGEST_EVENT) throw new ProviderFailure("a line of the answer has no end");
  }

  #replaceLast(text: string): void {
    this.#pieces[this.#pieces.length - 1] = text;
    this.#length--;
  }

  #take(text: string): string {
    const line = this.#pieces.join("") + text;
    this.#pieces = [];
    this.#length = 0;
    return line;
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
  let length = 0;
  for await (const piece of body) {
    for (const line of lines.push(decoder.decode(piece, { stream: true }))) {
      const value = dataOf(line);
      if (value !== null) data.push(value);
      length += value?.length ?? 0;
      if (length > LONGEST_EVENT) throw new ProviderFailure("an event of the answer has no end");
      if (line !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
      length = 0;
    }
  }
  const value = dataOf(lines.end());
  if (value !== null) data.push(value);
  if (data.length > 0) yield data.join("\n");
}
