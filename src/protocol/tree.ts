/** Wire types of the tree, the transcript and the context (product.md §3b, §4). */

/**
 * Kinds of entries, one character each, so that a column of kinds is one string: u user, a assistant, t tool
 * result, s system, b bash, c compaction, m branch summary, x context edit, o model change, k thinking level,
 * l label, n session name, g gap, q custom message, v leaf marker, ? a message of an unknown role, . anything else.
 */
export type KindCode = string;

/**
 * The skeleton of a session as columns: entry i of the file stands at place i. Ids are long and random,
 * so only knots carry theirs (forks, tips, starts of branches, labelled, compactions, user messages are asked for
 * by place); any entry can be named by its place as `~i`.
 */
export interface TreeColumns {
  readonly revision: string;
  /** Entries in the file. */
  readonly size: number;
  /** First place that the columns hold, 0 unless asked with `from`. */
  readonly from: number;
  /** Distance to the parent's place; 0 = a root. */
  readonly parents: readonly number[];
  readonly kinds: string;
  /**
   * Estimated tokens of each entry; of lines from 256 KiB on from their ends, and in sessions of more than
   * 20,000 entries bytes / 4 of its line.
   */
  readonly tokens: readonly number[];
  /** Place of the leaf and of the position; -1 = before the first entry. */
  readonly leaf: number;
  readonly position: number;
  readonly knots: readonly (readonly [place: number, id: string])[];
  readonly labels: readonly (readonly [place: number, text: string])[];
  readonly branches: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly start: number;
    readonly head: number;
    readonly archived: boolean;
  }[];
}

/** A short view of one entry: enough for a row. */
export interface EntryPreview {
  readonly place: number;
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: KindCode;
  readonly type: string;
  readonly role: string | null;
  readonly timestamp: string;
  /** First text of at most 200 characters, on one line. */
  readonly text: string;
  readonly tokens: number;
  readonly cost: number | null;
  readonly model: string | null;
  readonly tool: string | null;
  readonly isError: boolean;
  readonly label: string | null;
}

/** One entry of the transcript as it is shown. */
export interface TranscriptRow extends EntryPreview {
  /** The entry itself; texts longer than 20,000 characters are cut, `cut` says so; whole by GET …/entries/:id. */
  readonly entry: unknown;
  readonly cut: boolean;
  /** Where the entry is so large that only its beginning was read: the bytes of its line. */
  readonly more?: { readonly bytes: number } | undefined;
  /** Entries that hang beside this one under the same parent (this one included), when there are several; user-visible ones only. */
  readonly siblings: readonly {
    readonly id: string;
    readonly text: string;
    readonly leaf: string;
  }[];
  /** Index in siblings. */
  readonly sibling: number;
  /** Whether the context at the leaf holds it: "yes", or why not. */
  readonly sent: "yes" | "compacted" | "hidden" | "replaced" | "no";
}

/** A window of the path root → leaf. */
export interface PathWindow {
  readonly revision: string;
  readonly leaf: string | null;
  /** Entries on the whole path that have a row. */
  readonly total: number;
  /** Index of the first row in the whole path. */
  readonly start: number;
  readonly rows: readonly TranscriptRow[];
}

/** One message of the context. */
export interface ContextPart {
  readonly entry: string;
  readonly role: string;
  /** "system", "tools", "summary", "kept", "new". */
  readonly part: "system" | "tools" | "summary" | "kept" | "new";
  readonly tokens: number;
  readonly text: string;
  /** Hash over the messages from the beginning to this one (16 hex digits): where two requests differ, the provider's cache breaks. */
  readonly prefix: string;
  /** True: instructions of the session that nobody here agreed to, so runs leave them out. Else missing. */
  readonly held?: true | undefined;
  /** True: instructions of the session that are sent because a person agreed to them. Else missing. */
  readonly agreed?: true | undefined;
}

/** Instructions of the session that nobody here agreed to: what a person reads before saying yes. */
export interface HeldText {
  readonly entry: string;
  /** What kind of entry they stand in. */
  readonly kind: "message" | "compaction" | "other";
  /** The text with its sections; of a longer one the first 20,000 characters. */
  readonly text: string;
  /** Characters of the whole text. */
  readonly length: number;
  readonly tokens: number;
  /** Names of tools that they bring or take away. */
  readonly tools: { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly from: {
    /** Which program made the session. */
    readonly agent: string;
    readonly timestamp: string;
    readonly line: number | null;
    readonly file: string | null;
    readonly parentSession: string | null;
  };
}

/** What the model sees at an entry. */
export interface ContextView {
  readonly at: string | null;
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly contextWindow: number | null;
  readonly reserve: number;
  readonly thinkingLevel: string;
  readonly activeTools: readonly string[] | null;
  readonly tokens: number;
  readonly parts: readonly ContextPart[];
  /** The messages whole, one for each part; empty unless asked for with `messages=1`. */
  readonly messages: readonly unknown[];
  /** The body of a provider's request; only where `as` asks for it. */
  readonly body?: unknown;
  /** Entries of the path that are not sent (the newest 1,000), in path order with the index of the part they stand before, and why. */
  readonly unsent: readonly {
    readonly entry: string;
    readonly before: number;
    readonly why: "compacted" | "hidden" | "replaced" | "state";
    readonly text: string;
    readonly tokens: number;
  }[];
  readonly gaps: number;
  /** Instructions that are held, in sending order; missing = there are none. */
  readonly held?: readonly HeldText[] | undefined;
  readonly compaction: {
    readonly entry: string;
    readonly tokensBefore: number;
    readonly summary: string;
    readonly loss: unknown;
  } | null;
}

/**
 * The context's size along the path, for the scrubber: one point for each row of the path; of more than
 * 5,000 every n-th, and every compaction.
 */
export interface ContextCurve {
  readonly points: readonly {
    readonly entry: string;
    readonly tokens: number;
    readonly kind: KindCode;
  }[];
}
