/** One message of an event stream. */
export interface SseMessage {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** Reads an event stream (text/event-stream) piece by piece; pieces may end anywhere. */
export class SseParser {
  #rest = "";
  #id: string | null = null;
  #event = "message";
  #data: string[] = [];

  /** The messages that are whole after this piece. */
  *push(text: string): IterableIterator<SseMessage> {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (message !== null) yield message;
    }
  }

  #line(line: string): SseMessage | null {
    if (line === "") return this.#end();
    const at = line.indexOf(":");
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
    else if (name === "event") this.#event = value;
    return null;
  }

  #end(): SseMessage | null {
    const message = { id: this.#id, event: this.#event, data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#event = "message";
    this.#data = [];
    return isEmpty ? null : message;
  }
}
