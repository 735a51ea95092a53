import type { Message } from "../entry/message.ts";
import { frozenTokens } from "../projection/token-estimate.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import { messageBytes } from "./message-bytes.ts";
import { tornPlaces } from "./units.ts";

/** The messages of a context as a cut sees them. */
export interface CutLine {
  readonly messages: readonly Message[];
  /** The entry of each message. */
  readonly sources: readonly string[];
  /** Index behind what the compaction in force gives (its prompt and summary); 0 without one. */
  readonly head: number;
}

/** How much may stay. */
export interface CutBudget {
  /** Tokens or messages at the end that stay as they are. */
  readonly keep: { readonly tokens: number } | { readonly messages: number };
  /** Bytes of them that stay by choice. */
  readonly keepBytes: number;
  /** Most tokens and bytes that may stay beside the system prompt and the summary. */
  readonly roomTokens: number;
  readonly roomBytes: number;
  /** Whether everything may be taken out although it would fit: the engine found it too large. */
  readonly mayTakeAll: boolean;
}

/** Where a context is cut. */
export interface CutPoint {
  /** Index of the first message that is kept; the length of the line = nothing is kept. */
  readonly at: number;
  /** Index where the turn begins that the cut splits; `at` where it splits none. */
  readonly turnStart: number;
}

/** Roles of message entries before which a context may be cut: never a result (harness.md §6). */
const CUT_ROLES: ReadonlySet<string | null> = new Set([
  "user",
  "assistant",
  "bashExecution",
  "custom",
]);
/** Roles of message entries with which a turn begins. */
const TURN_ROLES: ReadonlySet<string | null> = new Set(["user", "bashExecution"]);
const CUT_TYPES: ReadonlySet<string> = new Set(["custom_message", "branch_summary"]);

/** True for what is no part of the talk: it is neither summarised nor kept, but replayed. */
function isAside(message: Message): boolean {
  return message.role === "system";
}

/** The places of a line where it may be cut, and what stays behind each. */
export class Cutter {
  readonly #line: CutLine;
  readonly #tree: SessionTree;
  readonly #places: readonly number[];
  readonly #mayKeepNothing: boolean;
  /** Tokens and bytes of the talk from each index on. */
  readonly #tokensFrom: Float64Array;
  readonly #bytesFrom: Float64Array;

  constructor(line: CutLine, tree: SessionTree) {
    this.#line = line;
    this.#tree = tree;
    const { messages, head } = line;
    const torn = tornPlaces(messages);
    this.#mayKeepNothing = torn[messages.length] === false;
    this.#tokensFrom = new Float64Array(messages.length + 1);
    this.#bytesFrom = new Float64Array(messages.length + 1);
    for (let at = messages.length - 1; at >= 0; at--) {
      const message = messages[at] as Message;
      const counts = isAside(message) ? 0 : 1;
      this.#tokensFrom[at] = this.tokensFrom(at + 1) + counts * frozenTokens(message);
      this.#bytesFrom[at] = this.bytesFrom(at + 1) + counts * messageBytes(message);
    }
    const places: number[] = [];
    let hasTalk = false;
    for (let at = head; at < messages.length; at++) {
      if (hasTalk && torn[at] === false && this.#isPlace(at)) places.push(at);
      hasTalk ||= !isAside(messages[at] as Message);
    }
    this.#places = places;
  }

  /** Tokens of the talk from an index on. */
  tokensFrom(at: number): number {
    return this.#tokensFrom[at] as number;
  }

  /** Bytes of the talk from an index on. */
  bytesFrom(at: number): number {
    return this.#bytesFrom[at] as number;
  }

  /**
   * Where to cut: at the first place behind which no more than the budget stays, else at the last one
   * before. Where what stays would still not fit, further on, until nothing is kept (F078: a giant tail);
   * calls that wait for their results always stay. null = nothing can be taken out.
   */
  choose(budget: CutBudget): CutPoint | null {
    const from = this.#keptFrom(budget);
    const { head, messages } = this.#line;
    const fitsWhole = this.#fits(head, budget);
    if (from <= head && fitsWhole) return null;
    const end = messages.length;
    const isAll = ("messages" in budget.keep ? budget.keep.messages : budget.keep.tokens) === 0;
    const place = this.#places.find((at) => at >= from) ?? this.#places.at(-1);
    if (place === undefined && !isAll && fitsWhole && !budget.mayTakeAll) return null;
    const first = isAll ? end : (place ?? end);
    const further = this.#places.filter((at) => at > first);
    const at = [first, ...further].find((one) => this.#fits(one, budget)) ?? end;
    if (at < end || this.#mayKeepNothing) return { at, turnStart: this.#turnStart(at) };
    const last = this.#places.at(-1);
    return last === undefined ? null : { at: last, turnStart: this.#turnStart(last) };
  }

  #isPlace(at: number): boolean {
    const { sources } = this.#line;
    // A gap marker stands before the message of its entry: a cut lies before both.
    if (at > 0 && sources[at] === sources[at - 1]) return false;
    const entry = this.#tree.get(sources[at] as string);
    if (entry === undefined) return false;
    return entry.type === "message" ? CUT_ROLES.has(entry.role) : CUT_TYPES.has(entry.type);
  }

  /** The first index from which on no more than the budget stays. */
  #keptFrom({ keep, keepBytes }: CutBudget): number {
    const { messages, head } = this.#line;
    let left = "messages" in keep ? keep.messages : Number.POSITIVE_INFINITY;
    const tokens = "tokens" in keep ? keep.tokens : Number.POSITIVE_INFINITY;
    let at = messages.length;
    while (at > head) {
      if (!isAside(messages[at - 1] as Message)) left--;
      if (left < 0 || this.tokensFrom(at - 1) > tokens || this.bytesFrom(at - 1) > keepBytes) break;
      at--;
    }
    return at;
  }

  #fits(at: number, { roomTokens, roomBytes }: CutBudget): boolean {
    return this.tokensFrom(at) <= roomTokens && this.bytesFrom(at) <= roomBytes;
  }

  #turnStart(at: number): number {
    const { messages, sources, head } = this.#line;
    const roleAt = (index: number): string | null =>
      this.#tree.get(sources[index] as string)?.role ?? null;
    if (at < messages.length && TURN_ROLES.has(roleAt(at))) return at;
    for (let start = at - 1; start >= head; start--) {
      if (TURN_ROLES.has(roleAt(start))) return start;
    }
    return at;
  }
}
