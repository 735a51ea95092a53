import type { Entry } from "../entry/entry.ts";
import { EMPTY_FOLD, type Fold, foldEntry, type UsageTotals } from "./fold.ts";
import { floatColumn, intColumn } from "./growing-column.ts";

/** What changes seldom along a path; entries that have the same share it. */
type Part = Omit<Fold, "depth" | "messages" | "usage">;

/**
 * The folds of many entries in columns: an entry costs four numbers, and what it has in common with the
 * one above it nothing. Folds are put together again when they are asked for.
 */
export class FoldColumns {
  readonly #session: string;
  readonly #depth = intColumn();
  readonly #messages = intColumn();
  readonly #part = intColumn();
  readonly #usage = intColumn();
  readonly #parts: Part[] = [partOf(EMPTY_FOLD)];
  readonly #totals = floatColumn();
  /** The fold that was made last, which is most often that of the next entry's parent. */
  #last: { readonly ordinal: number; readonly fold: Fold } = { ordinal: -1, fold: EMPTY_FOLD };

  /** `session` is the session's id, which decides which own state counts. */
  constructor(session: string) {
    this.#session = session;
    this.#pushTotals(EMPTY_FOLD.usage);
  }

  /** Adds the fold of the next entry; `parent` is the ordinal of its parent, -1 = none. Gives the fold. */
  add(parent: number, entry: Entry): Fold {
    const above = this.at(parent);
    const fold = foldEntry(above, entry, this.#session);
    const ordinal = this.#depth.length;
    this.#part.push(this.#partIndex(parent, above, fold));
    this.#usage.push(this.#usageIndex(parent, above, fold));
    this.#depth.push(fold.depth);
    this.#messages.push(fold.messages);
    this.#last = { ordinal, fold };
    return fold;
  }

  /** The fold of an entry; of -1 the empty one. */
  at(ordinal: number): Fold {
    if (ordinal < 0) return EMPTY_FOLD;
    if (this.#last.ordinal === ordinal) return this.#last.fold;
    return {
      depth: this.#depth.at(ordinal),
      messages: this.#messages.at(ordinal),
      usage: this.#totalsAt(this.#usage.at(ordinal)),
      ...(this.#parts[this.#part.at(ordinal)] as Part),
    };
  }

  #partIndex(parent: number, above: Fold, fold: Fold): number {
    const index = parent < 0 ? 0 : this.#part.at(parent);
    if (isSamePart(above, fold)) return index;
    this.#parts.push(partOf(fold));
    return this.#parts.length - 1;
  }

  #usageIndex(parent: number, above: Fold, fold: Fold): number {
    if (fold.usage === above.usage) return parent < 0 ? 0 : this.#usage.at(parent);
    return this.#pushTotals(fold.usage);
  }

  #pushTotals({ input, output, cacheRead, cacheWrite, cost }: UsageTotals): number {
    const index = this.#totals.length / TOTALS;
    for (const value of [input, output, cacheRead, cacheWrite, cost]) this.#totals.push(value);
    return index;
  }

  #totalsAt(index: number): UsageTotals {
    const from = index * TOTALS;
    return {
      input: this.#totals.at(from),
      output: this.#totals.at(from + 1),
      cacheRead: this.#totals.at(from + 2),
      cacheWrite: this.#totals.at(from + 3),
      cost: this.#totals.at(from + 4),
    };
  }
}

/** Numbers of one {@link UsageTotals}. */
const TOTALS = 5;

function partOf(fold: Fold): Part {
  const { branch, model, thinkingLevel, activeTools, system, compactions, uncompacted } = fold;
  return { branch, model, thinkingLevel, activeTools, system, compactions, uncompacted };
}

/** The model is stated anew by every answer, so its members are compared. */
function isSamePart(a: Fold, b: Fold): boolean {
  const isSameModel =
    a.model === b.model ||
    (a.model?.provider === b.model?.provider && a.model?.modelId === b.model?.modelId);
  return (
    isSameModel &&
    a.branch === b.branch &&
    a.thinkingLevel === b.thinkingLevel &&
    a.activeTools === b.activeTools &&
    a.system === b.system &&
    a.compactions === b.compactions &&
    a.uncompacted === b.uncompacted
  );
}
