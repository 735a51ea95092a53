import type { Entry } from "../entry/entry.ts";
import type { Message, ToolResultMessage } from "../entry/message.ts";
import { timeOf } from "./entry-messages.ts";
import { type Call, pairParts } from "./pair-parts.ts";

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

/** Messages with the id of the entry that each comes from. */
export interface SourcedMessages {
  readonly messages: readonly Message[];
  readonly sources: readonly string[];
}

function syntheticResult(slot: Slot, call: OpenCall): ToolResultMessage {
  const { timestamp } = slot.message;
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: NO_RESULT_TEXT }],
    isError: true,
    details: { branchline: { synthetic: true, reason: call.answer } },
    timestamp: typeof timestamp === "number" ? timestamp : timeOf(slot.entry),
  };
}

/**
 * Puts messages into one line in which every call has its result and every result its call (P9). Each
 * result answers the nearest earlier open call with its id, since ids may be used again; a result
 * without such a call, or with a hidden one, is left out (M14, F061, P29).
 */
export class PairedLine {
  readonly #slots: Slot[] = [];
  readonly #open = new Map<string, OpenCall[]>();

  /** Adds a message that is no part of a pair. */
  addPlain(entry: Entry, message: Message): void {
    this.#slots.push({ entry, message, calls: [] });
  }

  /** Adds what the model sees of a message entry; nothing of a hidden one. */
  addMessage(entry: Entry, shown: Message | undefined): void {
    const { calls, result } = pairParts(entry, shown);
    const answered = result === null ? undefined : this.#open.get(result.id)?.pop();
    if (result !== null && answered !== undefined) {
      answered.answer = result.hidden ? "hidden" : "seen";
    }
    const open = calls.map((call): OpenCall => ({ ...call, answer: "missing" }));
    for (const call of open) this.#openCall(call);
    if (shown === undefined) return;
    if (shown.role === "toolResult" && (answered === undefined || answered.hidden)) return;
    this.#slots.push({ entry, message: shown, calls: open.filter(({ hidden }) => !hidden) });
  }

  /** The line, with a result made for each call that has none. */
  finish(): SourcedMessages {
    const messages: Message[] = [];
    const sources: string[] = [];
    let owed: { readonly source: string; readonly message: Message }[] = [];
    const settle = (): void => {
      for (const { source, message } of owed) {
        messages.push(message);
        sources.push(source);
      }
      owed = [];
    };
    for (const slot of this.#slots) {
      if (slot.message.role !== "toolResult") settle();
      messages.push(slot.message);
      sources.push(slot.entry.id);
      for (const call of slot.calls) {
        if (call.answer === "seen") continue;
        owed.push({ source: slot.entry.id, message: syntheticResult(slot, call) });
      }
    }
    settle();
    return { messages, sources };
  }

  #openCall(call: OpenCall): void {
    const open = this.#open.get(call.id);
    if (open === undefined) this.#open.set(call.id, [call]);
    else open.push(call);
  }
}
