/**
 * What can be wrong with a session file. A problem is a finding, not an error: the session opens all
 * the same (P7). `fsck` lists them; strict mode refuses them.
 */
export type ProblemCode =
  | "BASE_MISSING" // the session that this one is linked to is not there, or not as far as it was
  | "BLOB_MISSING" // the payload was moved to a blob that is not there: the stub is shown
  | "COMMIT_INCOMPLETE" // lines of a group whose other lines are missing
  | "CRC_MISMATCH" // the line was changed after we wrote it; still readable
  | "ENTRY_MALFORMED" // known type, wrong shape: kept, ignored
  | "FIRST_KEPT_MISSING" // a compaction keeps from an entry that is not on its path
  | "HEADER_DUPLICATE" // a second header inside the file
  | "HEADER_INVALID" // a header with members of wrong types or an unsafe id
  | "HEADER_MISSING" // no readable header: one was made up, the session is read-only
  | "ID_DUPLICATE" // an id for the second time: the first entry stands
  | "LINE_BOM" // a byte order mark before the record
  | "LINE_CR_ONLY" // records separated by CR alone
  | "LINE_GLUED" // several records on one line, or one behind a torn one: they were split
  | "LINE_INVALID_UTF8" // bytes that are no UTF-8: shown as U+FFFD, kept on disk
  | "LINE_NOT_ENTRY" // JSON, but no entry (no object, no id, no type, no message)
  | "LINE_NOT_JSON" // no JSON and nothing to recover
  | "LINE_NUL" // a run of NUL bytes
  | "LINE_TOO_DEEP" // nested deeper than 1,000 levels
  | "LINE_TOO_LONG" // longer than the reader's limit in bytes
  | "PARENT_CYCLE" // the chain of parents runs in a circle: cut
  | "PARENT_MISSING" // the parent cannot be read: bridged with a gap
  | "SEQUENCE_BROKEN" // a v4 write whose number does not grow
  | "TAIL_TORN" // the last line is unfinished
  | "TARGET_MISSING" // a label, edit or leaf names an entry that is not there
  | "TOOL_RESULT_ORPHAN" // a tool result without its call on the path
  | "VERSION_NEWER"; // a newer format than ours: read-only

/** One finding and its exact place. Lines count from 1; bytes from 0, the end is exclusive. */
export interface Problem {
  readonly code: ProblemCode;
  readonly line: number;
  readonly byteStart: number;
  readonly byteEnd: number;
  /** The entry concerned, where one could be read. */
  readonly entryId: string | null;
  /** One sentence for people. */
  readonly message: string;
}

/** The place of one line in its file. Lines count from 1; `byteEnd` excludes the newline. */
export interface LinePlace {
  readonly line: number;
  readonly byteStart: number;
  readonly byteEnd: number;
}
