/** Wire types of changes, searches, comparisons, numbers and health. */

/** One line of the operation log. */
export interface OperationRow {
  readonly op: string;
  readonly kind: string;
  readonly summary: string;
  readonly timestamp: string;
  readonly undoes: string | null;
  readonly undone: boolean;
  readonly entries: readonly string[];
}

/** The answer to POST /api/branch and to every change that may move the leaf. */
export interface MoveAnswer {
  readonly leafId: string | null;
  readonly position: string | null;
  readonly branch: string;
  readonly previousLeafId: string | null;
  readonly op: string | null;
  /** Text of the user message that was picked, for the composer. */
  readonly editorText: string | null;
}

/** One hit of a search. */
export interface HitRow {
  readonly session: string;
  readonly title: string | null;
  readonly path: string | null;
  readonly entry: string;
  readonly type: string;
  readonly role: string | null;
  readonly timestamp: string;
  readonly excerpt: string;
  /** Places of the matches in the excerpt, as [start, end) in UTF-16 units. */
  readonly marks: readonly (readonly [number, number])[];
  readonly onActivePath: boolean;
}

/** One aligned turn of a comparison. */
export interface DiffRow {
  readonly kind: "same" | "changed" | "left" | "right";
  readonly left: DiffSide | null;
  readonly right: DiffSide | null;
}

/** One side of a row. */
export interface DiffSide {
  readonly entry: string;
  readonly role: string;
  readonly text: string;
  readonly tokens: number;
}

/** Numbers of one column: of everything below the meeting point, also where not all of it is laid out. */
export interface DiffTotals {
  readonly leaf: string;
  readonly turns: number;
  readonly entries: number;
  readonly tokens: number;
  readonly cost: number | null;
  readonly stopReason: string | null;
  readonly files: readonly string[];
  readonly labels: readonly string[];
  readonly durationMs: number | null;
  /** Rows that are laid out, the newest of `entries`. */
  readonly shown?: number | undefined;
  /** True: so much lies below the meeting point that only the newest part was searched for files. */
  readonly filesTruncated?: true | undefined;
}

/** GET /api/sessions/:s/diff?a&b&mode=turns|context. */
export interface DiffView {
  readonly mode: "turns" | "context";
  readonly meeting: string | null;
  /** Entries above the meeting point. */
  readonly shared: number;
  readonly rows: readonly DiffRow[];
  readonly a: DiffTotals;
  readonly b: DiffTotals;
  /** In context mode: index of the first message that differs (the provider's cache breaks there), -1 = none. */
  readonly cacheBreak: number;
  /** True: a side has more rows than are laid out; `shown` of its totals says how many are. */
  readonly truncated?: true | undefined;
}

/** GET /api/stats?by=day|model|project|tool. */
export interface StatsView {
  readonly by: string;
  readonly rows: readonly {
    readonly key: string;
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly cost: number | null;
    readonly calls: number;
    readonly sessions: number;
  }[];
}

/** GET /api/sessions/:s/fsck. */
export interface HealthView {
  readonly ok: boolean;
  readonly entries: number;
  readonly problems: readonly {
    readonly reason: string;
    readonly line: number | null;
    readonly start: number | null;
    readonly end: number | null;
    readonly text: string;
  }[];
  readonly bytes: number;
  readonly byKind: readonly {
    readonly kind: string;
    readonly entries: number;
    readonly bytes: number;
  }[];
  readonly largest: readonly {
    readonly entry: string;
    readonly bytes: number;
    readonly text: string;
  }[];
  readonly secrets: readonly {
    readonly entry: string;
    readonly kind: string;
    readonly masked: string;
  }[];
}

/** Body of every answer that is not 2xx. */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string | null;
    readonly fields: unknown;
  };
}
