import { isObject } from "./entry-check.ts";
import { isJsonEqual } from "./json-equal.ts";

type Members = Readonly<Record<string, unknown>>;

interface Ancestor {
  readonly id: string;
  /** The message that the entry gives the model, or null. */
  readonly message: Members | null;
  readonly hasUsage: boolean;
  /** The nearest entry above that gives a message. */
  readonly above: Ancestor | null;
}

/** The messages of a v4 file by path, to find again the ones that a compaction copied into itself. */
export class V4Ancestry {
  readonly #byId = new Map<string, Ancestor>();

  /** Takes the next entry write; the first one of an id stands. */
  add(entry: Members): void {
    const id = entry.id as string;
    if (this.#byId.has(id)) return;
    const message = messageOf(entry);
    const hasUsage = (message ?? entry).usage !== undefined || entry.usage !== undefined;
    this.#byId.set(id, { id, message, hasUsage, above: this.#nearest(entry.parentId) });
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** True where the entry states its usage itself, so that a usage write repeats it. */
  hasUsage(id: unknown): boolean {
    return this.#byId.get(id as string)?.hasUsage === true;
  }

  /**
   * Id of the entry with which a retained tail begins: the messages above `parentId` are the same,
   * from the end on, but for the time. null where they are not, or the tail is empty.
   */
  firstKept(parentId: unknown, tail: readonly unknown[]): string | null {
    let first: string | null = null;
    let at = this.#nearest(parentId);
    for (let index = tail.length - 1; index >= 0; index--) {
      const wanted = timeless(tail[index]);
      // A compaction keeps system messages apart from the tail.
      while (at?.message?.role === "system" && !isJsonEqual(timeless(at.message), wanted))
        at = at.above;
      if (at === null || !isJsonEqual(timeless(at.message), wanted)) return null;
      first = at.id;
      at = at.above;
    }
    return first;
  }

  #nearest(id: unknown): Ancestor | null {
    const found = this.#byId.get(id as string);
    if (found === undefined) return null;
    return found.message === null ? found.above : found;
  }
}

function messageOf(entry: Members): Members | null {
  const { type, message, summary, fromId } = entry;
  if (type === "branch_summary") return { role: "branchSummary", summary, fromId };
  return type === "message" && isObject(message) ? message : null;
}

/** A copy made by a compaction carries the time of the compaction in some versions. */
function timeless(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { timestamp: _timestamp, ...rest } = message;
  return rest;
}
