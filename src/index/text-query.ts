import type { Entry } from "../entry/entry.ts";
import type { LinePlace } from "../entry/problem.ts";
import type { EntryField } from "./entry-text.ts";

/**
 * One term: found where the tokens of `phrase` stand one after the other in the words or in the parts
 * of identifiers, or those of `parts` in the latter (a query word that is an identifier itself).
 */
export interface TextTerm {
  readonly phrase: readonly string[];
  /** Empty where the term is no identifier. */
  readonly parts: readonly string[];
}

/** A condition on what the entry itself names: any of the values, each as words in a row. */
export interface FieldFilter {
  readonly field: EntryField;
  readonly values: readonly string[];
  readonly negated: boolean;
}

/** A condition on the entry's place. All values as the person gave them. */
export type PlaceFilter =
  /** The entry bears a label that holds this text. */
  | { readonly kind: "label"; readonly values: readonly string[]; readonly negated: boolean }
  /** Beginning of a session's id, or its exact name. */
  | { readonly kind: "session"; readonly values: readonly string[]; readonly negated: boolean }
  /** Folder of the session, or one above it; absolute. */
  | { readonly kind: "cwd"; readonly values: readonly string[]; readonly negated: boolean }
  /** "active": on the path to the session's stored leaf; "left": not on it. */
  | { readonly kind: "branch"; readonly values: readonly string[]; readonly negated: boolean }
  /** ISO times, `from` ≤ timestamp < `to`; "" = no bound. */
  | {
      readonly kind: "date";
      readonly from: string;
      readonly to: string;
      readonly negated: boolean;
    };

/** What an index is asked for. Everything must hold. */
export interface TextQuery {
  readonly terms: readonly TextTerm[];
  /** None of them may be found. */
  readonly without: readonly TextTerm[];
  readonly fields: readonly FieldFilter[];
  readonly places: readonly PlaceFilter[];
  /** Real paths of folders to look below; undefined = every file that the index knows. */
  readonly roots?: readonly string[];
  /** Hits on the active path come before the others. */
  readonly activeFirst: boolean;
  /** Largest number of hits. */
  readonly limit: number;
}

/** An entry that was found, without its payload. */
export interface TextHit {
  /** Id of the session. */
  readonly session: string;
  /** Name or first words of the session, or null. */
  readonly title: string | null;
  /** Real path of the session's file. */
  readonly path: string;
  /** Id of the entry. */
  readonly entry: string;
  readonly timestamp: string;
  readonly onActivePath: boolean;
  /** How well it fits: more is better, 0 where nothing was asked for but filters. */
  readonly score: number;
  readonly place: LinePlace;
  /** Place in file order, from 0. */
  readonly ordinal: number;
  /** True where the line alone tells the entry; else the file has to be read as a whole. */
  readonly sound: boolean;
}

/** What full-text search needs of an index. */
export interface TextSearcher {
  /** The best hits, best first, of equal ones the newest; null where the index is in trouble. */
  search(query: TextQuery): Promise<readonly TextHit[] | null>;
  /** Payload of a hit, or null where the file is not any more what the index knows. */
  read(hit: TextHit): Promise<Entry | null>;
}

/** How far the full text may be brought in one call. */
export interface TextUpdateOptions {
  readonly signal?: AbortSignal;
  /** Ms after which to stop between two batches; default: until all is in. */
  readonly budgetMs?: number;
  /** Bytes of session files in the text so far, and all that are known. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number) => void;
  /** Only files below these folders (real paths). */
  readonly roots?: readonly string[];
}

/** What an update came to. */
export interface TextReport {
  /** Entries that were put in by this call. */
  readonly entries: number;
  /** Bytes of session files that were read by this call. */
  readonly bytes: number;
  /** True where every known entry is in the text now. */
  readonly complete: boolean;
}

/** True for a path below one of the folders; for every path where none are given. */
export function isBelowRoots(path: string, roots: readonly string[] | undefined): boolean {
  if (roots === undefined) return true;
  return roots.some((root) => {
    if (!path.startsWith(root)) return false;
    return (
      path.length === root.length ||
      /[/\\]$/.test(root) ||
      /[/\\]/.test(path[root.length] as string)
    );
  });
}
