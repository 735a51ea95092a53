import type { AssistantMessage, Block, Usage } from "../entry/message.ts";
import { usageOf } from "./cost.ts";
import type { ModelEvent, ModelInfo, StopReason } from "./model.ts";
import { parseToolArguments } from "./tool-arguments.ts";

/** How an answer ended. */
export interface AnswerEnd {
  readonly stopReason: StopReason;
  /** Default: zeros. */
  readonly usage?: Usage;
  /** Of "error" and "aborted". Without keys and tokens: it is stored and shown. */
  readonly errorMessage?: string;
}

/** A piece of a call, as it arrives. The first non-empty id and name stand. */
export interface CallPiece {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** A piece of the JSON text of its arguments. */
  readonly text?: string | undefined;
}

/** Whose answer it is and when it began. */
export interface AnswerOptions {
  readonly model: ModelInfo;
  /** Pi's name of the wire format. */
  readonly api: string;
  /** ms since the epoch. */
  readonly timestamp: number;
}

const NOTHING: Usage = usageOf({ input: 0, output: 0 }, null);

/** Kinds of blocks that an answer is made of. */
export type AnswerPart = "text" | "thinking" | "toolCall";

/** A block that still grows. `text` of a call is that of its arguments. */
interface GrowingBlock {
  readonly kind: AnswerPart;
  readonly index: number;
  text: string;
  id: string;
  name: string;
  /** Signatures and what else the provider wants back. */
  extra: object;
}

const DELTAS = {
  text: "text_delta",
  thinking: "thinking_delta",
  toolCall: "toolcall_delta",
} as const;

function blockOf(part: GrowingBlock): Block {
  const { kind, text, id, name, extra } = part;
  if (kind === "text") return { type: "text", text, ...extra };
  if (kind === "thinking") return { type: "thinking", thinking: text, ...extra };
  return { type: "toolCall", id, name, arguments: {}, ...extra };
}

/**
 * Puts an answer together in Pi's shape while it streams and makes the events of the port from it. Each
 * event carries the answer so far as a value of its own, so that a listener may keep it. Arguments of
 * calls are `{}` until the end: parsing them at each piece would be quadratic in their length.
 */
export class AnswerBuilder {
  readonly #options: AnswerOptions;
  readonly #parts: GrowingBlock[] = [];
  /** Never changed in place: events hold on to it. */
  #content: readonly Block[] = [];
  /** The block of a kind and key. */
  readonly #keyed = new Map<string, GrowingBlock>();

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  /** How many blocks of the kind there are. */
  count(kind: AnswerPart): number {
    return this.#parts.filter((part) => part.kind === kind).length;
  }

  /** The first event. */
  start(): ModelEvent {
    return { type: "start", partial: this.#message(NOTHING) };
  }

  /** Adds text to the block of the key; without one, to the last block if that is text. */
  text(delta: string, key?: string): ModelEvent {
    return this.#grow(this.#part("text", key), delta);
  }

  /** As {@link AnswerBuilder.text}, for what the model thinks. */
  thinking(delta: string, key?: string): ModelEvent {
    return this.#grow(this.#part("thinking", key), delta);
  }

  /** Adds a piece to the call of the key. */
  call(key: string, piece: CallPiece): ModelEvent {
    const part = this.#part("toolCall", key);
    part.id ||= piece.id ?? "";
    part.name ||= piece.name ?? "";
    return this.#grow(part, piece.text ?? "");
  }

  /** Adds members that the provider wants back (signatures) to the block of the key, or to the last one of the kind. */
  sign(kind: AnswerPart, members: object, key?: string): void {
    const part =
      key === undefined
        ? this.#parts.findLast((one) => one.kind === kind)
        : this.#keyed.get(`${kind} ${key}`);
    if (part === undefined) return;
    part.extra = { ...part.extra, ...members };
    this.#content = this.#parts.map(blockOf);
  }

  /** The last event: calls get their arguments, and an id where the provider gave none. */
  finish(end: AnswerEnd): ModelEvent {
    const { timestamp } = this.#options;
    for (const part of this.#parts) {
      if (part.kind !== "toolCall") continue;
      part.id ||= `call-${timestamp}-${part.index}`;
      part.extra = { ...parseToolArguments(part.text), ...part.extra };
    }
    this.#content = this.#parts.map(blockOf);
    const { usage = NOTHING, stopReason, errorMessage } = end;
    const { timestamp: _, ...message } = this.#message(usage);
    const failure = errorMessage === undefined ? {} : { errorMessage };
    return { type: "done", message: { ...message, stopReason, ...failure, timestamp } };
  }

  #message(usage: Usage): AssistantMessage {
    const { model, api, timestamp } = this.#options;
    const { provider, modelId } = model;
    const content = this.#content;
    return { role: "assistant", content, api, provider, model: modelId, usage, timestamp };
  }

  /** The block that takes the next piece; a new one where there is none yet. */
  #part(kind: AnswerPart, key: string | undefined): GrowingBlock {
    const known = key === undefined ? this.#parts.at(-1) : this.#keyed.get(`${kind} ${key}`);
    if (known?.kind === kind) return known;
    const index = this.#parts.length;
    const fresh: GrowingBlock = { kind, index, text: "", id: "", name: "", extra: {} };
    this.#parts.push(fresh);
    this.#content = [...this.#content, blockOf(fresh)];
    if (key !== undefined) this.#keyed.set(`${kind} ${key}`, fresh);
    return fresh;
  }

  #grow(part: GrowingBlock, delta: string): ModelEvent {
    const { index, kind } = part;
    part.text += delta;
    this.#content = this.#content.with(index, blockOf(part));
    return { type: DELTAS[kind], index, delta, partial: this.#message(NOTHING) };
  }
}
