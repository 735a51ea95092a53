import type { Entry } from "../entry/entry.ts";
import { readEntryLine } from "../entry/session-decoder.ts";
import type { EntryPreview } from "../protocol/tree.ts";
import type { StoreSession } from "../store/store.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { cutEntry, entryTokens, previewOf } from "../view/entry-view.ts";
import { spliceLine } from "./line-ends.ts";

/** Lines from this size on are read at their ends, in bytes. */
export const LARGE_BYTES: number = 256 * 1024;
/** What is read of them, in bytes: a text of 20,000 characters, Chinese too, and what stands around it. */
const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 16 * 1024;

/** An entry as far as rows and previews show it. */
export interface ReadEntry {
  /** Of a large one its long text is cut. */
  readonly entry: Entry;
  /** Where it is cut: bytes of the whole line, and the estimated tokens of all of it. */
  readonly large: { readonly bytes: number; readonly tokens: number } | null;
}

/**
 * Reads entries of one open session for being shown: what is larger than a screen is read at its ends only,
 * so that a window costs what it shows and not what its tools gave back. Whatever is unusual is read whole.
 */
export class EntryReader {
  readonly #store: StoreSession;

  constructor(store: StoreSession) {
    this.#store = store;
  }

  /** Bytes of an entry's line; 0 where it has none of its own. */
  bytesOf(id: string): number {
    const place = this.#store.placeOf(id);
    return place === null ? 0 : place.byteEnd - place.byteStart;
  }

  /** The entries in the given order. Throws what `getAll` of the store throws. */
  async read(ids: readonly string[]): Promise<readonly ReadEntry[]> {
    const cut = new Map<string, ReadEntry>();
    for (const id of ids) {
      if (this.bytesOf(id) < LARGE_BYTES) continue;
      const ends = await this.#readEnds(id);
      if (ends !== null) cut.set(id, ends);
    }
    const rest = ids.filter((id) => !cut.has(id));
    const whole = new Map<string, Entry>();
    for (const entry of await this.#store.getAll(rest)) whole.set(entry.id, entry);
    return ids.map((id) => cut.get(id) ?? { entry: whole.get(id) as Entry, large: null });
  }

  async #readEnds(id: string): Promise<ReadEntry | null> {
    const { lines } = this.#store;
    const place = this.#store.placeOf(id);
    if (lines === undefined || place === null) return null;
    const { byteStart, byteEnd } = place;
    const head = new Uint8Array(HEAD_BYTES);
    const tail = new Uint8Array(TAIL_BYTES);
    await lines.readInto(head, byteStart);
    await lines.readInto(tail, byteEnd - TAIL_BYTES);
    const bytes = byteEnd - byteStart;
    const spliced = spliceLine(head, tail, bytes);
    const entry = spliced === null ? null : readEntryLine(spliced.line);
    if (spliced === null || entry === null || entry.id !== id) return null;
    return { entry, large: { bytes, tokens: tokensOf(entry, spliced) } };
  }
}

/** As many tokens a byte in the part that was left out as in the part that was read; images have a fixed number. */
function tokensOf(
  entry: Entry,
  { member, kept, left }: { readonly member: string; readonly kept: number; readonly left: number },
): number {
  const tokens = entryTokens(entry);
  return member === "data" ? tokens : Math.round(tokens * (1 + left / Math.max(1, kept)));
}

/** The preview of an entry that was read so. */
export function readPreview(
  at: TreeEntry,
  { entry, large }: ReadEntry,
  label: string | null,
): EntryPreview {
  const preview = previewOf(at, entry, label);
  return large === null ? preview : { ...preview, tokens: large.tokens };
}

/** The entry of a row, with its long texts cut, and how large it is where it was not even read whole. */
export function shownEntry({ entry, large }: ReadEntry): {
  readonly entry: unknown;
  readonly cut: boolean;
  readonly more?: { readonly bytes: number };
} {
  const shown = cutEntry(entry);
  return large === null ? shown : { ...shown, cut: true, more: { bytes: large.bytes } };
}
