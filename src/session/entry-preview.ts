import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { OWN_PREFIX } from "../entry/own-state.ts";

/** Longest preview in characters; JSON carries it whole, text output cuts it to the screen. */
export const PREVIEW_LENGTH = 120;

/** Longest text that is looked at for a preview; a message may have megabytes. */
const WINDOW = 2000;

type Members = Readonly<Record<string, unknown>>;

function blockText(block: unknown): string {
  if (!isObject(block)) return "";
  if (block.type === "text" && typeof block.text === "string") return block.text;
  if (block.type === "thinking" && typeof block.thinking === "string") return block.thinking;
  if (block.type === "toolCall") return callText(block);
  if (block.type === "image") return `[image ${String(block.mimeType ?? "")}]`.replace(" ]", "]");
  return `[${String(block.type)}]`;
}

function callText(block: Members): string {
  const args = isObject(block.arguments) ? block.arguments : {};
  const [first] = Object.values(args).filter((value) => typeof value === "string");
  const shown = typeof first === "string" ? first.slice(0, WINDOW) : "";
  return `→ ${String(block.name)}(${shown})`;
}

/** The words of a content of any shape, thinking only where there is nothing else. */
export function contentWords(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const said = content.filter((block) => !(isObject(block) && block.type === "thinking"));
  return (said.length > 0 ? said : content).map(blockText).filter(Boolean).join("\n");
}

function messageText(message: Members): string {
  switch (message.role) {
    case "bashExecution":
      return `$ ${String(message.command)}`;
    case "system":
      return systemText(message);
    case "toolResult": {
      const mark = message.isError === true ? "failed " : "";
      return `${mark}${String(message.toolName ?? "tool")}: ${contentWords(message.content)}`;
    }
    default:
      return contentWords(message.content) || String(message.errorMessage ?? "");
  }
}

function systemText(message: Members): string {
  const text = contentWords(message.content);
  if (text !== "" || !isObject(message.sections)) return text;
  return Object.values(message.sections).map(contentWords).join(" ");
}

/** The text of an entry as a person would read it; empty where there is none. */
export function entryText(entry: Entry): string {
  const message: unknown = entry.type === "message" && "message" in entry ? entry.message : null;
  if (isObject(message)) return messageText(message);
  if (isEntry(entry, "model_change")) return `${entry.provider}/${entry.modelId}`;
  if (isEntry(entry, "thinking_level_change")) return entry.thinkingLevel;
  if (isEntry(entry, "active_tools_change")) return entry.activeToolNames.join(", ");
  if (isEntry(entry, "compaction") || isEntry(entry, "branch_summary")) return entry.summary;
  if (isEntry(entry, "custom_message"))
    return `${entry.customType}: ${contentWords(entry.content)}`;
  if (isEntry(entry, "custom")) return entry.customType;
  if (isEntry(entry, "label")) return `${entry.label ?? "(cleared)"} ⇒ ${entry.targetId}`;
  if (isEntry(entry, "session_info")) return entry.name ?? "";
  if (isEntry(entry, "usage")) return entry.kind;
  if (isEntry(entry, "leaf")) return `⇒ ${entry.targetId ?? "root"}`;
  if (isEntry(entry, "context_edit")) return editText(entry.targetId, entry.replacement);
  return "";
}

function editText(target: string, replacement: { readonly content: unknown } | null): string {
  if (replacement === null) return `hides ${target}`;
  return `replaces ${target}: ${contentWords(replacement.content)}`;
}

/** One line that tells an entry from others; at most {@link PREVIEW_LENGTH} characters. */
export function entryPreview(entry: Entry): string {
  const line = entryText(entry).slice(0, WINDOW).replace(/\s+/gu, " ").trim();
  const letters = [...line];
  if (letters.length <= PREVIEW_LENGTH) return line;
  return `${letters.slice(0, PREVIEW_LENGTH - 1).join("")}…`;
}

/** A short name for what an entry is: the role of a message, else the type. */
export function entryKind(entry: Entry): string {
  if (isEntry(entry, "message")) return entry.message.role;
  if (isEntry(entry, "custom") && entry.customType.startsWith(OWN_PREFIX)) {
    return entry.customType.slice(OWN_PREFIX.length);
  }
  return entry.type;
}
