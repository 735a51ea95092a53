import type { Entry, SessionHeader } from "../../entry/entry.ts";
import type { EntriesBelow } from "./linked-base.ts";

/** An entry that was just appended, and the length of its line in bytes, newline included. */
export interface WrittenEntry {
  readonly entry: Entry;
  readonly bytes: number;
  readonly key: string | undefined;
}

/** What is known of a linked session that was just made. `bytes` is the length of the header's line. */
export interface MadeFile {
  readonly header: SessionHeader;
  readonly bytes: number;
  readonly below: EntriesBelow;
  /** What stands behind the header. */
  readonly written: readonly WrittenEntry[];
}
