import type { Entry } from "../../entry/entry.ts";
import { newEntryId, type RandomBytes } from "../../entry/ids.ts";
import { encodeEntry } from "../../entry/line-encode.ts";

/** Options of {@link encodeCommit}. */
export interface EncodeOptions {
  readonly key: string | undefined;
  readonly random: RandomBytes;
}

/** The lines of planned entries, marked as a group where there are several (design.md §2). Throws as `encodeEntry` does. */
export function encodeCommit(
  planned: readonly Entry[],
  options: EncodeOptions,
): readonly Uint8Array[] {
  const { key, random } = options;
  const n = planned.length;
  const id = n > 1 ? newEntryId(random) : "";
  return planned.map((entry, index) =>
    encodeEntry(entry, {
      ...(key === undefined ? {} : { key }),
      ...(n > 1 ? { commit: { id, i: index + 1, n } } : {}),
    }),
  );
}
