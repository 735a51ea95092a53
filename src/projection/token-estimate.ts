import { isObject } from "../entry/entry-check.ts";
import type { Message } from "../entry/message.ts";

/** Tokens of one image of any size: the flat figure that Pi 1.6.0 takes (4,800 characters / 4). */
export const IMAGE_TOKENS = 1200;
/** UTF-8 bytes of one token of prose or code, Chinese included (within 8 % of o200k). */
const BYTES_PER_TOKEN = 4;
/** Tokens of one byte of base64: it has no words, and bytes / 4 falls short by 59 %. */
const DENSE_TOKENS_PER_BYTE = 0.6;
/** Shorter runs without blanks are names and paths; MIME breaks base64 at 64 or 76 characters. */
const DENSE_RUN = 64;

const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const OTHER = 8;
const MIXED = LOWER | UPPER | DIGIT;

/** Class of each ASCII character of base64; 0 = none of it. */
const CLASSES: Uint8Array = new Uint8Array(128);
for (let code = 0x61; code <= 0x7a; code++) CLASSES[code] = LOWER;
for (let code = 0x41; code <= 0x5a; code++) CLASSES[code] = UPPER;
for (let code = 0x30; code <= 0x39; code++) CLASSES[code] = DIGIT;
for (const char of "+/=") CLASSES[char.charCodeAt(0)] = OTHER;

const encoder = new TextEncoder();
/** Where texts are written to be measured, a piece at a time. */
const scratch = new Uint8Array(16 * 1024);

/**
 * Bytes of the text as UTF-8; a lone surrogate is written as U+FFFD. A pair is never parted: a piece has as
 * many units as there are bytes, so its last one is written only where it takes a single byte.
 */
function byteLength(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + scratch.length);
    const { read, written } = encoder.encodeInto(piece, scratch);
    bytes += written;
    at += read;
  }
  return bytes;
}

/**
 * Characters in runs that look like base64. Every run that is long enough has a character at one of the
 * places looked at, so that prose is not read character by character. Without a function for the class of
 * a character: until this is compiled, as in the first context of a process, its calls would be half of
 * the time (T1). Outside of the text and above ASCII a class is undefined, which is none.
 */
function denseLength(text: string): number {
  const { length } = text;
  let dense = 0;
  for (let at = DENSE_RUN - 1; at < length; at += DENSE_RUN) {
    let kind = CLASSES[text.charCodeAt(at)];
    if (!kind) continue;
    let seen = kind;
    let from = at;
    for (
      kind = CLASSES[text.charCodeAt(from - 1)];
      kind;
      kind = CLASSES[text.charCodeAt(from - 1)]
    ) {
      seen |= kind;
      from--;
    }
    let to = at + 1;
    for (kind = CLASSES[text.charCodeAt(to)]; kind; kind = CLASSES[text.charCodeAt(to)]) {
      seen |= kind;
      to++;
    }
    if (to - from >= DENSE_RUN && (seen & MIXED) === MIXED) dense += to - from;
    at = to - 1;
  }
  return dense;
}

/** Adds up texts; bytes of runs that look like base64 are counted apart. */
class Meter {
  #bytes = 0;
  #dense = 0;

  add(text: unknown): void {
    if (typeof text !== "string") return;
    const dense = denseLength(text);
    this.#dense += dense;
    this.#bytes += byteLength(text) - dense;
  }

  addImage(): void {
    this.#bytes += IMAGE_TOKENS * BYTES_PER_TOKEN;
  }

  tokens(): number {
    return Math.ceil(this.#bytes / BYTES_PER_TOKEN + this.#dense * DENSE_TOKENS_PER_BYTE);
  }
}

function addBlock(meter: Meter, block: unknown): void {
  if (!isObject(block)) return;
  if (block.type === "text") meter.add(block.text);
  if (block.type === "thinking") meter.add(block.thinking);
  if (block.type === "image") meter.addImage();
  if (block.type !== "toolCall") return;
  meter.add(block.name);
  meter.add(JSON.stringify(block.arguments));
}

function addContent(meter: Meter, content: unknown): void {
  if (Array.isArray(content)) for (const block of content) addBlock(meter, block);
  else meter.add(content);
}

function addSystem(meter: Meter, message: Readonly<Record<string, unknown>>): void {
  addContent(meter, message.content);
  if (isObject(message.sections)) {
    for (const section of Object.values(message.sections)) meter.add(section);
  }
  if (message.toolsAdded !== undefined) meter.add(JSON.stringify(message.toolsAdded));
}

const CONTENT_ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "toolResult", "custom"]);
const SUMMARY_ROLES: ReadonlySet<unknown> = new Set(["branchSummary", "compactionSummary"]);

function addMessage(meter: Meter, message: Readonly<Record<string, unknown>>): void {
  const { role } = message;
  if (role === "system") addSystem(meter, message);
  if (CONTENT_ROLES.has(role)) addContent(meter, message.content);
  if (SUMMARY_ROLES.has(role)) meter.add(message.summary);
  if (role !== "bashExecution" || message.excludeFromContext === true) return;
  meter.add(message.command);
  meter.add(message.output);
}

/**
 * Estimated tokens of what the model sees of one message, rounded up: UTF-8 bytes / 4 of text,
 * thinking, tool call names and JSON arguments, results and summaries; base64 in text counts 0.6
 * tokens a byte, an image {@link IMAGE_TOKENS} whatever its size. Roles and blocks that are not sent
 * count 0. Linear and safe for members of any type.
 */
export function estimateTokens(message: Message): number {
  const meter = new Meter();
  if (isObject(message)) addMessage(meter, message);
  return meter.tokens();
}

/** Estimated tokens of a context: the sum over its messages. */
export function estimateContextTokens(messages: readonly Message[]): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateTokens(message);
  return tokens;
}

const known = new WeakMap<Message, number>();

/**
 * {@link estimateTokens}, worked out once for each message however often it is asked. Only for messages
 * that are frozen through and through.
 */
export function frozenTokens(message: Message): number {
  let tokens = known.get(message);
  if (tokens === undefined) {
    tokens = estimateTokens(message);
    known.set(message, tokens);
  }
  return tokens;
}
