import { promisify } from "node:util";
import { constants, deflateRaw } from "node:zlib";
import { EXPORT_HEAD, type ExportHead, exportBlock } from "../protocol/export.ts";

const compress = promisify(deflateRaw);

/** Bytes of JSON in a block: large enough to compress well, small enough to be read in ms. */
const BLOCK_CHARACTERS = 256 * 1024;
/** Items in a block at most. */
const BLOCK_ITEMS = 1000;

/**
 * An element that holds data: base64 has no character that could end it or begin another, so nothing in a
 * session can break out (S5). A browser does not run a script of this type.
 */
async function element(id: string, json: string): Promise<string> {
  const bytes = await compress(json, { level: constants.Z_BEST_COMPRESSION });
  return `<script type="application/octet-stream" id="${id}">${bytes.toString("base64")}</script>\n`;
}

/** The element of the head. */
export function headElement(head: ExportHead): Promise<string> {
  return element(EXPORT_HEAD, JSON.stringify(head));
}

/** Collects items of one kind and gives an element whenever a block is full. */
export class BlockWriter {
  readonly #kind: "previews" | "entries";
  readonly #starts: number[] = [];
  #items: string[] = [];
  #characters = 0;
  #next = 0;

  constructor(kind: "previews" | "entries") {
    this.#kind = kind;
  }

  /** First place of each block that was given. */
  get starts(): readonly number[] {
    return this.#starts;
  }

  /** Takes the JSON of the next item; gives the element of the block that it filled, else null. */
  async add(json: string): Promise<string | null> {
    this.#items.push(json);
    this.#characters += json.length;
    const isFull = this.#characters >= BLOCK_CHARACTERS || this.#items.length >= BLOCK_ITEMS;
    return isFull ? await this.#flush() : null;
  }

  /** The last block, null where nothing is left. */
  async end(): Promise<string | null> {
    return this.#items.length === 0 ? null : await this.#flush();
  }

  async #flush(): Promise<string> {
    const id = exportBlock(this.#kind, this.#starts.length);
    this.#starts.push(this.#next);
    this.#next += this.#items.length;
    const json = `[${this.#items.join(",")}]`;
    this.#items = [];
    this.#characters = 0;
    return await element(id, json);
  }
}
