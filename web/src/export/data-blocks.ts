import { EXPORT_HEAD, type ExportHead, exportBlock } from "branchline/protocol/export.ts";
import type { EntryPreview } from "branchline/protocol/tree.ts";

/** Blocks of whole entries that are held decoded; previews stay, they are small. */
const HELD = 12;

/** The JSON of an element of the page: base64 of compressed text. Throws where there is none. */
async function decode<T>(id: string): Promise<T> {
  const bytes = bytesOf(document.getElementById(id)?.textContent ?? "");
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  // Written by our own export: the shape is that of the protocol.
  return (await new Response(stream).json()) as T;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const made = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (made.fromBase64 !== undefined) return made.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The head of the session in this page. */
export const readHead = (): Promise<ExportHead> => decode(EXPORT_HEAD);

/** Previews and entries of the session in this page; a block is decoded when something in it is asked for. */
export class DataBlocks {
  readonly #head: ExportHead;
  readonly #previews = new Map<number, Promise<readonly EntryPreview[]>>();
  readonly #entries = new Map<number, Promise<readonly unknown[]>>();

  constructor(head: ExportHead) {
    this.#head = head;
  }

  async preview(place: number): Promise<EntryPreview | undefined> {
    const { previews } = this.#head;
    const block = blockAt(previews, place);
    return (await this.#previewBlock(block))[place - (previews[block] ?? 0)];
  }

  /** All previews in order; decodes everything. */
  async *allPreviews(): AsyncIterable<EntryPreview> {
    for (const block of this.#head.previews.keys()) yield* await this.#previewBlock(block);
  }

  async entry(place: number): Promise<unknown> {
    const { entries } = this.#head;
    const block = blockAt(entries, place);
    const known = this.#entries.get(block) ?? decode(exportBlock("entries", block));
    this.#entries.delete(block);
    this.#entries.set(block, known);
    for (const old of this.#entries.keys()) {
      if (this.#entries.size <= HELD) break;
      this.#entries.delete(old);
    }
    return (await known)[place - (entries[block] ?? 0)];
  }

  #previewBlock(block: number): Promise<readonly EntryPreview[]> {
    const known = this.#previews.get(block) ?? decode(exportBlock("previews", block));
    this.#previews.set(block, known);
    return known;
  }
}

/** Index of the last block that begins at or before a place. */
function blockAt(starts: readonly number[], place: number): number {
  let low = 0;
  let high = Math.max(0, starts.length - 1);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
