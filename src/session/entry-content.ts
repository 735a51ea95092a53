import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { latePattern } from "../entry/late-pattern.ts";
import type { Block, Content } from "../entry/message.ts";

const controls = latePattern(String.raw`[\p{Cc}\p{Zl}\p{Zp}]`, "gu");

/** Roles whose content a context edit may change; Pi ignores edits of the others. */
const EDITABLE_ROLES: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

/** True for entries that a context edit may name: user, assistant, tool result, custom message. */
export function isEditable(entry: Entry): boolean {
  if (isEntry(entry, "message")) return EDITABLE_ROLES.has(entry.message.role);
  return isEntry(entry, "custom_message");
}

/** The content of a message or custom message as it is stored; empty where there is none. */
export function editableContent(entry: Entry): Content {
  if (isEntry(entry, "message") && "content" in entry.message) {
    return asContent(entry.message.content);
  }
  return isEntry(entry, "custom_message") ? asContent(entry.content) : [];
}

/** Files are hostile: a content of another kind counts as empty. */
function asContent(content: unknown): Content {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content : [];
}

/** Text as the wire format of the entry's role has it: assistants and tools have blocks only. */
export function contentFor(entry: Entry, content: Content): Content {
  if (typeof content !== "string" || !isEntry(entry, "message")) return content;
  return entry.message.role === "user" ? content : [{ type: "text", text: content }];
}

/** The text of a content, blocks joined without a separator, as Pi fills its editor. */
export function contentText(content: Content): string {
  if (typeof content === "string") return content;
  return content.map(blockText).join("");
}

function blockText(block: Block): string {
  return isObject(block) && block.type === "text" && typeof block.text === "string"
    ? block.text
    : "";
}

/** Equal as JSON; member order counts, as it does for a provider's cache. */
export function isSameContent(a: Content, b: Content): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * One line without control characters: each becomes a blank, then trimmed (P76: names and labels stand
 * in lists and terminals).
 */
export function oneLine(text: string): string {
  return text.replace(controls(), " ").trim();
}
