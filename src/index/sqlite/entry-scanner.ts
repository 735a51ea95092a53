import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { isEntry } from "../../entry/entry-check.ts";
import { decodeLine } from "../../entry/line-decode.ts";
import { byteTools } from "../../io/byte-tools.ts";
import type { LineSink } from "../../io/chunk-lines.ts";
import { promptTitle } from "../../store/summary.ts";
import { type ScannedLine, StructureScanner, type TakeLine } from "../../tree/structure-scanner.ts";
import type { IndexCounters } from "../session-index.ts";

/** An entry as the index takes it in: without payload, with its place. */
export type ScannedEntry = ScannedLine;

/** Where a scan begins and what is known there. */
export interface ScanStart {
  readonly header: SessionHeader | null;
  readonly known: number;
  readonly line: number;
  /** True while no user message with text was seen. */
  readonly wantsPrompt: boolean;
}

/** Entries of one batch at most, which is one transaction. */
const BATCH_ENTRIES = 20_000;

/** Takes the lines of a sound file in batches; see {@link StructureScanner}, which looks at them. */
export class EntryScanner implements LineSink {
  /** Complete entries of this batch. */
  readonly batch: ScannedEntry[] = [];
  /** The session's first prompt, as a title, where it stands in this batch. */
  prompt: string | null = null;
  readonly #counters: IndexCounters;
  readonly #scanner: StructureScanner;
  #wantsPrompt: boolean;
  #odd: string | null = null;

  constructor({ header, known, line, wantsPrompt }: ScanStart, counters: IndexCounters) {
    this.#counters = counters;
    this.#wantsPrompt = wantsPrompt;
    this.#scanner = new StructureScanner(byteTools, (found) => this.#begin(found), {
      ...(header === null ? {} : { start: { header, known, line } }),
      wantsWhole: (role) => this.#wantsPrompt && role === "user",
      counters,
    });
  }

  /** Why the file needs the whole reader, or null. */
  get odd(): string | null {
    return this.#odd ?? this.#scanner.odd;
  }

  get header(): SessionHeader | null {
    return this.#scanner.header;
  }

  /** Behind the last line that counts. */
  get known(): number {
    return this.#scanner.known;
  }

  /** Number of the line that begins at `known`. */
  get nextLine(): number {
    return this.#scanner.nextLine;
  }

  range(bytes: Buffer): void {
    this.#scanner.range(bytes);
  }

  line(bytes: Buffer, start: number): void {
    this.#scanner.line(bytes, start);
  }

  chunkEnd(): boolean {
    // The buffer is used again, and what comes next may not hang under this line.
    return this.#scanner.pause() && this.#odd === null && this.batch.length < BATCH_ENTRIES;
  }

  /** Ends the input. A complete record without a newline counts for readers, so it is no torn tail. */
  finish(rest: Buffer): void {
    if (!this.#scanner.pause() || rest.length === 0) return;
    const { parts } = decodeLine(rest);
    this.#counters.linesParsed++;
    if (parts.some(({ kind }) => kind === "record")) this.#odd = "the last line has no newline";
  }

  #begin(header: SessionHeader): TakeLine {
    if (!isStorable(header)) this.#odd = "the header cannot be stored";
    return (scanned, whole) => this.#take(scanned, whole);
  }

  #take(scanned: ScannedEntry, whole: Entry | null): boolean {
    if (whole !== null) {
      const { entry, targetId, key } = scanned;
      if (!isStorable({ entry, targetId, key })) return false;
      if (this.#wantsPrompt && isEntry(whole, "message") && whole.message.role === "user") {
        this.prompt = promptTitle(whole);
        this.#wantsPrompt = this.prompt === null;
        if (!isStorable(this.prompt)) return false;
      }
    }
    this.batch.push(scanned);
    return true;
  }
}

/** Half a surrogate pair and NUL do not come back from SQLite as they went in. */
function isStorable(value: unknown): boolean {
  return !/\\u(?:0000|d[89a-f])/.test(JSON.stringify(value));
}
