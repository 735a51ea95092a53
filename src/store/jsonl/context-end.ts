import type { Entry } from "../../entry/entry.ts";
import { isEntry } from "../../entry/entry-check.ts";
import { uncompactMark } from "../../entry/own-state.ts";

/**
 * Tells, from the leaf upwards, where the context of a path begins: at the first kept entry of the newest
 * compaction that no uncompact mark takes out, as `activeCompaction` of the fold says.
 */
export class ContextEnd {
  readonly #session: string;
  /** By compaction, what the newest mark says: true = it is skipped. */
  readonly #skipped = new Map<string, boolean>();
  #active: string | null = null;
  #firstKept: string | null = null;
  #isKept = false;

  constructor(session: string) {
    this.#session = session;
  }

  /**
   * Takes the next entry up the path. True where the context needs nothing above it; null where a mark
   * stands above the compaction that it names, so that the end was not seen rightly.
   */
  add(entry: Entry): boolean | null {
    const mark = uncompactMark(entry, this.#session);
    if (mark !== null && mark.compaction === this.#active) return null;
    if (mark !== null && !this.#skipped.has(mark.compaction)) {
      this.#skipped.set(mark.compaction, mark.off !== true);
    }
    if (this.#active === null && isEntry(entry, "compaction") && !this.#isSkipped(entry.id)) {
      const kept: unknown = entry.firstKeptEntryId;
      this.#active = entry.id;
      this.#firstKept = typeof kept === "string" ? kept : null;
    }
    this.#isKept ||= this.#active !== null && entry.id === this.#firstKept;
    // A result speaks only with the call above it (P9).
    return this.#isKept && !isResult(entry);
  }

  #isSkipped(compaction: string): boolean {
    return this.#skipped.get(compaction) === true;
  }
}

function isResult(entry: Entry): boolean {
  return isEntry(entry, "message") && entry.message.role === "toolResult";
}
