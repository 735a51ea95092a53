import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { contextMessages } from "../projection/context-messages.ts";
import { estimateContextTokens } from "../projection/token-estimate.ts";
import type { EntryPreview } from "../protocol/tree.ts";
import { entryText } from "../session/entry-preview.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { kindOf } from "./entry-kind.ts";

/** Longest text of a preview, in characters. */
export const PREVIEW_CHARACTERS = 200;
/** Longest text of an entry in a window, in UTF-16 units. */
export const CUT_LENGTH = 20_000;
/** Text that is looked at for a preview: a message may have megabytes. */
const LOOKED_AT = 4000;

/** Tokens of what one entry adds to a context. */
export function entryTokens(entry: Entry): number {
  return estimateContextTokens(contextMessages(entry, undefined));
}

/** First text on one line. */
export function shortText(text: string, length: number = PREVIEW_CHARACTERS): string {
  const line = text.slice(0, LOOKED_AT).replace(/\s+/gu, " ").trim();
  const letters = [...line];
  return letters.length <= length ? line : `${letters.slice(0, length - 1).join("")}…`;
}

/** A short view of one entry. */
export function previewOf(at: TreeEntry, entry: Entry, label: string | null): EntryPreview {
  const message = isEntry(entry, "message") && isObject(entry.message) ? entry.message : null;
  return {
    place: at.ordinal,
    id: at.id,
    parentId: at.parent?.id ?? null,
    kind: kindOf(at),
    type: at.type,
    role: at.role,
    timestamp: at.timestamp,
    text: shortText(entryText(entry)),
    tokens: entryTokens(entry),
    cost: costOf(message),
    model: textMember(message, "model"),
    tool: textMember(message, "toolName") ?? firstCall(message),
    isError: message !== null && isFailure(message),
    label,
  };
}

type Members = Readonly<Record<string, unknown>>;

function textMember(message: Members | null, name: string): string | null {
  const value = message?.[name];
  return typeof value === "string" ? value : null;
}

function costOf(message: Members | null): number | null {
  const usage = message?.usage;
  const cost = isObject(usage) ? usage.cost : undefined;
  return isObject(cost) && typeof cost.total === "number" ? cost.total : null;
}

function firstCall(message: Members | null): string | null {
  const content: unknown = message?.content;
  if (!Array.isArray(content)) return null;
  const call: unknown = content.find((block) => isObject(block) && block.type === "toolCall");
  return isObject(call) && typeof call.name === "string" ? call.name : null;
}

function isFailure(message: Members): boolean {
  return message.isError === true || message.stopReason === "error";
}

/** An entry with its long texts cut, so that a window stays small. */
export interface CutEntry {
  readonly entry: unknown;
  readonly cut: boolean;
}

/** Cuts every text that is longer than {@link CUT_LENGTH}; the entry itself where there is none. */
export function cutEntry(entry: Entry): CutEntry {
  let cut = false;
  const shorten = (_key: string, value: unknown): unknown => {
    if (typeof value !== "string" || value.length <= CUT_LENGTH) return value;
    cut = true;
    return value.slice(0, wholeCharacters(value, CUT_LENGTH));
  };
  const text = JSON.stringify(entry, shorten);
  return cut ? { entry: JSON.parse(text), cut } : { entry, cut };
}

/** A length at which no character is cut into halves. */
function wholeCharacters(text: string, length: number): number {
  const last = text.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}
