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

/** Bytes of the UTF-16 unit at `index`; of a surrogate pair 4 and 0. A lone surrogate is written as U+FFFD. */
function unitBytes(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code < 0xd800 || code > 0xdfff) return 3;
  if (code < 0xdc00) return isLow(text.charCodeAt(index + 1)) ? 4 : 3;
  return index > 0 && isHigh(text.charCodeAt(index - 1)) ? 0 : 3;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Adds up texts; bytes of runs that look like base64 are counted apart. */
class Meter {
  #bytes = 0;
  #dense = 0;

  add(text: unknown): void {
    if (typeof text !== "string") return;
    let run = 0;
    let seen = 0;
    for (let index = 0; index <= text.length; index++) {
      const kind = index < text.length ? (CLASSES[text.charCodeAt(index)] ?? 0) : 0;
      if (kind !== 0) {
        run++;
        seen |= kind;
        continue;
      }
      this.#addRun(run, seen);
      run = 0;
      seen = 0;
      if (index < text.length) this.#bytes += unitBytes(text, index);
    }
  }

  addImage(): void {
    this.#bytes += IMAGE_TOKENS * BYTES_PER_TOKEN;
  }

  tokens(): number {
    return Math.ceil(this.#bytes / BYTES_PER_TOKEN + this.#dense * DENSE_TOKENS_PER_BYTE);
  }

  #addRun(length: number, seen: number): void {
    const isDense = length >= DENSE_RUN && (seen & MIXED) === MIXED;
    if (isDense) this.#dense += length;
    else this.#bytes += length;
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
