import type { Entry } from "../../entry/entry.ts";
import type { RandomBytes } from "../../entry/ids.ts";
import type { TreeEntry } from "../../tree/tree-entry.ts";
import { prepareEntries } from "../commit-request.ts";
import { encodeCommit } from "./encoded-commit.ts";
import type { EntriesBelow } from "./linked-base.ts";
import type { WrittenEntry } from "./written-entry.ts";

/** The entries that a new session starts with, and their lines. */
export interface FirstEntries {
  readonly written: readonly WrittenEntry[];
  readonly lines: readonly Uint8Array[];
}

/**
 * Makes the lines that stand behind the header of a new session; each is a line of its own, not one
 * group, since the file appears as a whole anyway. In a linked session they hang under `below`. Throws as
 * `prepareEntries` and `encodeEntry` do.
 */
export function firstEntries(
  given: readonly Entry[],
  { below, random }: { readonly below: EntriesBelow | undefined; readonly random: RandomBytes },
): FirstEntries {
  const entries = prepareEntries(below ? hung(given, below) : given);
  const lines = entries.flatMap((entry) => encodeCommit([entry], { key: undefined, random }));
  const written = entries.map((entry, at) => {
    return { entry, bytes: (lines[at] as Uint8Array).length, key: undefined };
  });
  return { written, lines };
}

/** The first of the entries hangs under what a linked session begins with, unless it says under what. */
function hung(entries: readonly Entry[], below: EntriesBelow): readonly Entry[] {
  const [first, ...rest] = entries;
  // Then nobody has to walk the path.
  if (first === undefined || first.parentId !== null) return entries;
  const { tree } = below;
  // A link names an entry, so something is there, be it the mark of a gap.
  const { id } = tree.at(tree.size - 1) as TreeEntry;
  return [{ ...first, parentId: id }, ...rest];
}
