import type { Entry } from "../entry/entry.ts";
import { freezeDeep } from "../entry/freeze.ts";
import type { Message, ToolResultMessage } from "../entry/message.ts";
import { timeOf } from "./entry-messages.ts";
import { type Call, pairParts } from "./pair-parts.ts";
import { frozenTokens } from "./token-estimate.ts";

/** Text of a result that was made because none was recorded (F060, F068). */
export const NO_RESULT_TEXT = "No result was recorded for this tool call.";

interface OpenCall extends Call {
  /** What became of it so far. */
  answer: "missing" | "hidden" | "seen";
}

interface Slot {
  readonly entry: Entry;
  readonly message: Message;
  readonly calls: readonly OpenCall[];
}

/** Messages with the id of the entry that each comes from, and their estimated tokens in all. */
export interface SourcedMessages {
  readonly messages: readonly Message[];
  readonly sources: readonly string[];
  readonly tokens: number;
}

/** Takes the messages of slots, with a result made for each call that has none. */
class SourcedLine implements SourcedMessages {
  readonly messages: Message[];
  readonly sources: string[];
  tokens: number;

  constructor(messages: Message[] = [], sources: string[] = [], tokens = 0) {
    this.messages = messages;
    this.sources = sources;
    this.tokens = tokens;
  }

  add(slots: readonly Slot[]): void {
    const owed: Slot[] = [];
    for (const slot of slots) {
      if (owed.length > 0 && slot.message.role !== "toolResult") {
        for (const made of owed.splice(0)) this.#put(made);
      }
      this.#put(slot);
      for (const call of slot.calls) {
        if (call.answer === "seen") continue;
        owed.push({ entry: slot.entry, message: syntheticResult(slot, call), calls: [] });
      }
    }
    for (const made of owed) this.#put(made);
  }

  /** The same with the messages of further slots behind. */
  with(slots: readonly Slot[]): SourcedMessages {
    const line = new SourcedLine(this.messages.slice(), this.sources.slice(), this.tokens);
    line.add(slots);
    return line;
  }

  #put({ entry, message }: Slot): void {
    this.messages.push(message);
    this.sources.push(entry.id);
    this.tokens += frozenTokens(message);
  }
}

function syntheticResult(slot: Slot, call: OpenCall): ToolResultMessage {
  const { timestamp } = slot.message;
  return freezeDeep({
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: NO_RESULT_TEXT }],
    isError: true,
    details: { branchline: { synthetic: true, reason: call.answer } },
    timestamp: typeof timestamp === "number" ? timestamp : timeOf(slot.entry),
  });
}

/**
 * Puts messages into one line in which every call has its result and every result its call (P9). Each
 * result answers the nearest earlier open call with its id, since ids may be used again; a result
 * without such a call, or with a hidden one, is left out (M14, F061, P29). The line may be taken at any
 * time and goes on growing; what can no longer change is put down once. What it takes it freezes.
 */
export class PairedLine {
  /** What no later message can change. */
  readonly #settled = new SourcedLine();
  /** What comes behind it. */
  readonly #slots: Slot[] = [];
  readonly #open = new Map<string, OpenCall[]>();

  /** Adds a message that is no part of a pair. */
  addPlain(entry: Entry, message: Message): void {
    this.#slots.push({ entry, message: freezeDeep(message), calls: [] });
  }

  /** Adds what the model sees of a message entry; nothing of a hidden one. */
  addMessage(entry: Entry, shown: Message | undefined): void {
    const { calls, result } = pairParts(entry, shown);
    const answered = result === null ? undefined : this.#open.get(result.id)?.pop();
    if (result !== null && answered !== undefined) {
      answered.answer = result.hidden ? "hidden" : "seen";
    }
    const visible: OpenCall[] = [];
    for (const { id, name, hidden } of calls) {
      const call: OpenCall = { id, name, hidden, answer: "missing" };
      this.#openCall(call);
      if (!hidden) visible.push(call);
    }
    if (shown === undefined) return;
    if (shown.role === "toolResult" && (answered === undefined || answered.hidden)) return;
    this.#slots.push({ entry, message: freezeDeep(shown), calls: visible });
  }

  /** True for a result whose call is not in the line. */
  isUnasked(entry: Entry): boolean {
    const { result } = pairParts(entry, undefined);
    return result !== null && (this.#open.get(result.id) ?? []).length === 0;
  }

  /** The line so far, with a result made for each call that has none. */
  finish(): SourcedMessages {
    this.#settled.add(this.#slots.splice(0, this.#settledCount()));
    return this.#settled.with(this.#slots);
  }

  /**
   * A call that has no result may still get one, and results go behind those that follow its message.
   * So all is settled up to the last message that is no result and has no such call before it.
   */
  #settledCount(): number {
    let count = 0;
    for (const [at, { message, calls }] of this.#slots.entries()) {
      if (message.role !== "toolResult") count = at;
      if (calls.some(({ answer }) => answer === "missing")) break;
    }
    return count;
  }

  #openCall(call: OpenCall): void {
    const open = this.#open.get(call.id);
    if (open === undefined) this.#open.set(call.id, [call]);
    else open.push(call);
  }
}
