/** One secret, name or folder that was found, however often it stands there. */
export interface Finding {
  readonly kind: string;
  /** Enough to recognise it, never enough to use it. */
  readonly masked: string;
  /** How often it was replaced, and in how many entries. */
  readonly count: number;
  readonly entries: number;
  /** Where it stands first: id of the entry (null = the session's header or a name) and the way to the text in it. */
  readonly entry: string | null;
  readonly place: string;
  /** What is written instead. */
  readonly placeholder: string;
}

/** What a redaction finds. */
export interface RedactionReview {
  /** Entries that were looked at, and those that hold anything. */
  readonly entries: number;
  readonly changed: number;
  /** Replacements in all. */
  readonly total: number;
  /** By kind, most frequent first. */
  readonly kinds: readonly {
    readonly kind: string;
    readonly count: number;
    readonly distinct: number;
  }[];
  /** In the order in which they stand in the session. */
  readonly findings: readonly Finding[];
}

interface Known {
  readonly kind: string;
  readonly masked: string;
  readonly entry: string | null;
  readonly place: string;
  readonly placeholder: string;
  count: number;
  entries: number;
  last: string | null | undefined;
}

/** Where a text was found. */
export interface TextPlace {
  readonly entry: string | null;
  readonly place: string;
}

/** Counts findings; the same secret gets the same placeholder wherever it stands. */
export class FindingTable {
  readonly #known = new Map<string, Known>();
  readonly #numbers = new Map<string, number>();
  #total = 0;

  /** The placeholder of a secret that was found; `fixed` = of kinds that are not numbered. */
  note(
    found: { readonly kind: string; readonly secret: string },
    at: TextPlace,
    fixed?: string,
  ): string {
    const key = `${found.kind}\0${found.secret}`;
    const known = this.#known.get(key) ?? this.#add(key, found, { ...at, fixed });
    known.count++;
    this.#total++;
    if (known.last !== at.entry) known.entries++;
    known.last = at.entry;
    return known.placeholder;
  }

  /** What was found so far. */
  review(seen: { readonly entries: number; readonly changed: number }): RedactionReview {
    const kinds = new Map<string, { count: number; distinct: number }>();
    for (const { kind, count } of this.#known.values()) {
      const sum = kinds.get(kind) ?? { count: 0, distinct: 0 };
      kinds.set(kind, { count: sum.count + count, distinct: sum.distinct + 1 });
    }
    return {
      ...seen,
      total: this.#total,
      kinds: [...kinds]
        .map(([kind, sum]) => ({ kind, ...sum }))
        .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1)),
      findings: [...this.#known.values()].map(({ last: _last, ...finding }) => finding),
    };
  }

  #add(
    key: string,
    found: { readonly kind: string; readonly secret: string },
    at: TextPlace & { readonly fixed: string | undefined },
  ): Known {
    const { kind, secret } = found;
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    this.#numbers.set(kind, number);
    const known: Known = {
      ...{ kind, entry: at.entry, place: at.place, count: 0, entries: 0, last: undefined },
      masked: at.fixed === undefined ? masked(secret) : secret.slice(0, 80),
      placeholder: at.fixed ?? `[redacted: ${kind} #${number}]`,
    };
    this.#known.set(key, known);
    return known;
  }
}

/** A long secret shows its first four and last two characters, a short one none. */
function masked(secret: string): string {
  const line = secret.replace(/[^\x21-\x7e]+/g, " ").trim();
  const size = `(${secret.length})`;
  return line.length < 20 ? `•••• ${size}` : `${line.slice(0, 4)}••••${line.slice(-2)} ${size}`;
}
