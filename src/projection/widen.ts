import { isEntry } from "../entry/entry-check.ts";
import { shownMessage } from "./context-messages.ts";
import type { PathStep } from "./cut.ts";
import type { Replacement } from "./entry-messages.ts";
import { type Call, pairParts } from "./pair-parts.ts";

interface Waiting {
  readonly at: number;
  readonly hidden: boolean;
}

/** Results met on the way back whose calls were not met yet, nearest last, by call id. */
class WaitingResults {
  readonly #byId = new Map<string, Waiting[]>();
  /** Index of the first entry that the context holds. */
  #start: number;
  /** Visible results at or after the start. */
  #needed = 0;
  /** Visible results before the start: they count as soon as the start moves before them. */
  #optional = 0;

  constructor(start: number) {
    this.#start = start;
  }

  get start(): number {
    return this.#start;
  }

  get isSettled(): boolean {
    return this.#needed === 0;
  }

  add(id: string, result: Waiting): void {
    const known = this.#byId.get(id);
    if (known === undefined) this.#byId.set(id, [result]);
    else known.push(result);
    if (!result.hidden) this.#count(result.at, 1);
  }

  take(call: Call, at: number): void {
    const result = this.#byId.get(call.id)?.pop();
    if (result === undefined || result.hidden) return;
    const isTorn = result.at >= this.#start && at < this.#start && !call.hidden;
    this.#count(result.at, -1);
    if (!isTorn) return;
    this.#start = at;
    this.#needed += this.#optional;
    this.#optional = 0;
  }

  #count(at: number, change: number): void {
    if (at >= this.#start) this.#needed += change;
    else this.#optional += change;
  }
}

/** Where a kept range has to begin. */
export interface Widened {
  readonly start: number;
  /** False where a result has been met whose call may lie above the first step that was given. */
  readonly isSettled: boolean;
}

/**
 * Moves the start of a kept range back until it begins inside no pair (P9, M15, F063, P28): a result
 * in it whose visible call lies before it brings the call in, and so on. Scans back once, no further
 * than needed; a result whose call is nowhere costs a scan to the root and moves nothing. Where it is
 * settled, steps above the ones that were given would change nothing.
 */
export function widenStart(path: readonly PathStep[], start: number): Widened {
  const waiting = new WaitingResults(start);
  const edits = new Map<string, Replacement>();
  for (let at = path.length - 1; at >= 0; at--) {
    if (at < start && waiting.isSettled) break;
    const { entry } = path[at] as PathStep;
    if (isEntry(entry, "context_edit") && !edits.has(entry.targetId)) {
      edits.set(entry.targetId, entry.replacement);
    }
    if (!isEntry(entry, "message")) continue;
    const { calls, result } = pairParts(entry, shownMessage(entry, edits.get(entry.id)));
    if (result !== null) waiting.add(result.id, { at, hidden: result.hidden });
    for (const call of calls) waiting.take(call, at);
  }
  return { start: waiting.start, isSettled: waiting.isSettled };
}
