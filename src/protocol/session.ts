/** Wire types about sessions (product.md §3b). Everything is JSON; times are ISO 8601, costs US dollars. */

/** Tokens and cost; `cost` null = a price is not known. */
export interface WireUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number | null;
}

/** One row of the library. */
export interface SessionRow {
  readonly id: string;
  /** Path of the file; null for stores without files. */
  readonly path: string | null;
  /** Which program made it: "branchline", "pi", … */
  readonly agent: string;
  readonly cwd: string;
  readonly name: string | null;
  readonly title: string | null;
  readonly entries: number;
  readonly messages: number;
  readonly branches: number;
  readonly created: string;
  readonly modified: string;
  readonly bytes: number;
  readonly usage: WireUsage;
  readonly model: string | null;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** True for shipped samples: read-only until copied. */
  readonly sample: boolean;
  readonly readOnly: string | null;
  /** Shape of the tree for the row's glyph: for each of at most 12 branches where it leaves and ends, 0…1 of the session. */
  readonly glyph: readonly {
    readonly from: number;
    readonly to: number;
    readonly active: boolean;
  }[];
  /** Texts of its labels, newest first, at most 8; missing = the server has no index. */
  readonly labels?: readonly string[] | undefined;
  /** Two writers met in it and went on beside each other; missing = not known. */
  readonly diverged?: boolean | undefined;
  /** Secrets that stand in it in the clear; null or missing = nobody looked for them yet. */
  readonly secrets?: number | null | undefined;
  /** A run is active: in this server, or in another process of this machine that holds its run lock. */
  readonly running?: "here" | "elsewhere" | null | undefined;
  /** Entries that came since a person looked at it last; null = nobody ever looked at it. */
  readonly unread?: number | null | undefined;
}

/** Which sessions a flag of the library fits. */
export interface FlagCounts {
  readonly diverged: number;
  readonly secrets: number;
  readonly running: number;
  readonly unread: number;
}

/** One page of the library. */
export interface SessionPage {
  readonly sessions: readonly SessionRow[];
  /** For the next page, or null. */
  readonly cursor: string | null;
  /** Sessions that fit the filter, in all pages. */
  readonly total: number;
  readonly facets: {
    readonly projects: readonly Facet[];
    readonly agents: readonly Facet[];
    readonly models: readonly Facet[];
    readonly labels?: readonly Facet[] | undefined;
    readonly flags?: FlagCounts | undefined;
  };
}

/** One value of a filter and how many sessions have it. */
export interface Facet {
  readonly value: string;
  readonly count: number;
}

/** The model in force. */
export interface WireModel {
  readonly provider: string;
  readonly modelId: string;
  readonly name: string;
  readonly contextWindow: number | null;
  readonly isOffline: boolean;
}

/** A branch of one session. */
export interface BranchRow {
  readonly id: string;
  readonly name: string | null;
  readonly head: string | null;
  readonly entries: number;
  readonly archived: boolean;
  /** True for tips that other programs made. */
  readonly foreign: boolean;
  readonly active: boolean;
}

/** A label. */
export interface LabelRow {
  readonly entry: string;
  readonly text: string;
  readonly timestamp: string;
}

/** The run that is active, if any. */
export interface RunState {
  readonly id: string;
  readonly branch: string;
  readonly state: "running" | "compacting" | "navigating";
  readonly started: string;
}

/** A message that waits in a queue. */
export interface QueueRow {
  readonly id: string;
  readonly queue: "steer" | "followUp" | "nextTurn";
  readonly content: unknown;
  readonly timestamp: string;
}

/** Everything small about one open session. */
export interface SessionState {
  readonly row: SessionRow;
  /** Changes whenever an entry was added. */
  readonly revision: string;
  readonly leaf: string | null;
  readonly position: string | null;
  readonly branch: string;
  readonly branches: readonly BranchRow[];
  readonly labels: readonly LabelRow[];
  /** The model that answers the next question; null = the server has none. */
  readonly model: WireModel | null;
  /** `provider/model` that the path uses, where nobody here has it and `model` stands in for it; else null. */
  readonly insteadOf: string | null;
  readonly models: readonly WireModel[];
  readonly thinkingLevel: string;
  readonly activeTools: readonly string[] | null;
  /** Estimated tokens of the context at the leaf. */
  readonly tokens: number;
  /** False until the whole file was checked. */
  readonly verified: boolean;
  readonly readOnly: string | null;
  readonly run: RunState | null;
  readonly queue: readonly QueueRow[];
  readonly parentSession: string | null;
  /** Problems that the reader found; details by fsck. */
  readonly problems: number;
  /** Calls that wait for a person's decision. */
  readonly permissions: readonly {
    readonly callId: string;
    readonly name: string;
    readonly arguments: unknown;
    readonly question: string;
  }[];
  /** Entries that a person had seen when the session was last on a screen; null = never. */
  readonly seen?: number | null | undefined;
}
