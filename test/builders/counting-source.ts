import type { Entry } from "../../src/entry/entry.ts";
import { SessionTree } from "../../src/tree/session-tree.ts";

/** A session in memory that counts the payloads which are read. */
export class CountingSource {
  readonly id: string;
  readonly tree: SessionTree;
  readonly #entries = new Map<string, Entry>();
  read = 0;

  constructor(id: string, entries: Iterable<Entry>) {
    this.id = id;
    this.tree = new SessionTree(id);
    for (const entry of entries) this.add(entry);
  }

  add(entry: Entry): void {
    if (this.tree.add(entry)) this.#entries.set(entry.id, entry);
  }

  async getAll(ids: readonly string[]): Promise<readonly Entry[]> {
    this.read += ids.length;
    return ids.map((id) => this.#entries.get(id) as Entry);
  }
}
