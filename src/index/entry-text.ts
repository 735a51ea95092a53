import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { BREAK, type TextTokens, tokenizeText } from "./tokens.ts";

/** Most searchable text of one entry, in UTF-16 units; what lies behind it is not found. */
export const MAX_ENTRY_TEXT = 1_000_000;

/** What of an entry can be found. Made from any entry on disk, whatever its shape (P7). */
export interface EntryText {
  /** Pieces of text in the order of the entry: what was said, called, answered. No phrase crosses them. */
  readonly pieces: readonly string[];
  readonly type: string;
  /** Role of a message entry, else null. */
  readonly role: string | null;
  /** Names of the tools that the entry calls or that answer in it. */
  readonly tools: readonly string[];
  /** The model that the entry itself names, as `provider/model`, else null. */
  readonly model: string | null;
}

/** The tokens of an entry: of its text, and of its fields for filters. */
export interface EntryTokens extends TextTokens {
  /** Each value as tokens `field§word`, breaks between. */
  readonly fields: string;
}

/** Fields that a query can filter by and that the entry itself holds. */
export type EntryField = "role" | "type" | "tool" | "model";

type Members = Readonly<Record<string, unknown>>;

/** Gathers pieces up to the limit, cut at a code point (P13). */
class Pieces {
  readonly pieces: string[] = [];
  #left = MAX_ENTRY_TEXT;

  get isFull(): boolean {
    return this.#left <= 0;
  }

  add(text: unknown): void {
    if (typeof text !== "string" || text === "" || this.isFull) return;
    const piece = text.length <= this.#left ? text : cutAt(text, this.#left);
    this.#left -= text.length;
    this.pieces.push(piece);
  }

  /** Texts of a content of any shape; images give nothing, so no base64 gets in. */
  addContent(content: unknown): void {
    if (typeof content === "string") this.add(content);
    if (!Array.isArray(content)) return;
    for (const block of content) if (isObject(block)) this.#addBlock(block);
  }

  /** The strings inside JSON data, in their order, without recursion. */
  addStrings(data: unknown): void {
    const stack: unknown[] = [data];
    while (stack.length > 0 && !this.isFull) {
      const value = stack.pop();
      if (typeof value === "string") this.add(value);
      else if (typeof value === "object" && value !== null) {
        const inner = Object.values(value);
        for (let at = inner.length - 1; at >= 0; at--) stack.push(inner[at]);
      }
    }
  }

  #addBlock(block: Members): void {
    if (block.type === "text") this.add(block.text);
    else if (block.type === "thinking") this.add(block.thinking);
    else if (block.type === "toolCall") {
      this.add(block.name);
      this.addStrings(block.arguments);
    }
  }
}

function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

function addMessage(pieces: Pieces, message: Members): void {
  switch (message.role) {
    case "bashExecution":
      pieces.add(message.command);
      pieces.add(message.output);
      break;
    case "system":
      pieces.addContent(message.content);
      pieces.addStrings(message.sections);
      break;
    default:
      pieces.addContent(message.content);
      pieces.add(message.errorMessage);
  }
}

function addEntry(pieces: Pieces, entry: Entry): void {
  if (isEntry(entry, "message")) addMessage(pieces, { ...entry.message });
  else if (isEntry(entry, "compaction")) {
    pieces.add(entry.summary);
    if (isObject(entry.systemMessage))
      addMessage(pieces, { ...entry.systemMessage, role: "system" });
  } else if (isEntry(entry, "branch_summary")) pieces.add(entry.summary);
  else if (isEntry(entry, "custom_message")) pieces.addContent(entry.content);
  else if (isEntry(entry, "label")) pieces.add(entry.label);
  else if (isEntry(entry, "session_info")) pieces.add(entry.name);
  else if (isEntry(entry, "context_edit")) pieces.addContent(entry.replacement?.content);
}

/** Tools that a message calls or answers for. */
export function toolsOf(message: Members): readonly string[] {
  if (typeof message.toolName === "string") return [message.toolName];
  if (!Array.isArray(message.content)) return [];
  const tools: string[] = [];
  for (const block of message.content) {
    const isCall = isObject(block) && block.type === "toolCall" && typeof block.name === "string";
    if (isCall) tools.push(block.name as string);
  }
  return tools;
}

function modelOf(source: Members): string | null {
  const model = source.modelId ?? source.model;
  if (typeof model !== "string") return null;
  return typeof source.provider === "string" ? `${source.provider}/${model}` : model;
}

/** What of an entry can be found. Never throws. */
export function entryText(entry: Entry): EntryText {
  const pieces = new Pieces();
  addEntry(pieces, entry);
  const message: Members | null = isEntry(entry, "message") ? { ...entry.message } : null;
  return {
    pieces: pieces.pieces,
    type: entry.type,
    role: message === null ? null : String(message.role),
    tools: message === null ? [] : toolsOf(message),
    model: modelOf(message ?? { ...entry }),
  };
}

/** The tokens of an entry's text and fields, as an index stores them and a scan compares them. */
export function entryTokens(text: EntryText): EntryTokens {
  let words = "";
  let parts = "";
  for (const piece of text.pieces) {
    const tokens = tokenizeText(piece);
    words = joined(words, tokens.words);
    parts = joined(parts, tokens.parts);
  }
  return { words: words || " ", parts: parts || " ", fields: fieldsOf(text) };
}

/** The tokens under which a value of a field is stored and asked for; none where it has no words. */
export function fieldTokens(field: EntryField, value: string): readonly string[] {
  return tokenizeText(value)
    .words.split(" ")
    .filter((word) => word !== "" && word !== BREAK)
    .map((word) => `${field}§${word}`);
}

function joined(before: string, tokens: string): string {
  if (tokens === " ") return before;
  return before === "" ? tokens : `${before}${BREAK}${tokens}`;
}

function fieldsOf({ role, type, tools, model }: EntryText): string {
  const values: (readonly string[])[] = [fieldTokens("type", type)];
  if (role !== null) values.push(fieldTokens("role", role));
  for (const tool of new Set(tools)) values.push(fieldTokens("tool", tool));
  if (model !== null) values.push(fieldTokens("model", model));
  const shown = values.filter((tokens) => tokens.length > 0).map((tokens) => tokens.join(" "));
  return shown.length === 0 ? " " : ` ${shown.join(` ${BREAK} `)} `;
}
