import type { CompactionEntry, Entry, EntryTypes } from "../entry/entry.ts";
import { isObject } from "../entry/entry-check.ts";
import type { Content, Message } from "../entry/message.ts";

/** What a context edit puts in the place of an entry's content; null hides the entry. */
export type Replacement = { readonly content: Content } | null;

const EDITABLE_ROLES: ReadonlySet<string> = new Set(["user", "assistant", "toolResult", "custom"]);
/** What Pi takes for content that is not there, by role; other roles are left as they are. */
const MISSING_CONTENT: ReadonlyMap<string, Content> = new Map<string, Content>([
  ["system", ""],
  ["user", []],
  ["assistant", []],
  ["toolResult", []],
]);

/** Narrows by the wire name alone, as Pi does: the other members may have any shape. */
export function isNamed<T extends keyof EntryTypes>(entry: Entry, type: T): entry is EntryTypes[T] {
  return entry.type === type;
}

/** The entry's time in ms since the epoch; NaN where it cannot be read, as in Pi. */
export function timeOf(entry: Entry): number {
  return new Date(entry.timestamp).getTime();
}

/** True for a system message, which a newer compaction's checkpoint takes the place of. */
export function isSystemMessage(entry: Entry): boolean {
  return isNamed(entry, "message") && isObject(entry.message) && entry.message.role === "system";
}

/** The message with what Pi takes for content that is not there; by identity where it has some. */
export function withContent(message: Message): Message {
  const content = "content" in message ? message.content : undefined;
  if (content !== null && content !== undefined) return message;
  const missing = MISSING_CONTENT.get(message.role);
  return missing === undefined ? message : { ...message, content: missing };
}

function fromCompaction(entry: CompactionEntry): readonly Message[] {
  const { summary, tokensBefore, systemMessage } = entry;
  const timestamp = timeOf(entry);
  const spoken = { role: "compactionSummary", summary, tokensBefore, timestamp } as const;
  return systemMessage ? [systemMessage, spoken] : [spoken];
}

/**
 * The messages of one entry as Pi 1.6.0 makes them: none, one, or two for a compaction with a system
 * checkpoint. An untouched message is passed on by identity.
 */
export function entryMessages(entry: Entry): readonly Message[] {
  if (isNamed(entry, "message")) return isObject(entry.message) ? [withContent(entry.message)] : [];
  if (isNamed(entry, "compaction")) return fromCompaction(entry);
  const timestamp = timeOf(entry);
  if (isNamed(entry, "custom_message")) {
    const { customType, display, details } = entry;
    return [
      { role: "custom", customType, content: entry.content ?? [], display, details, timestamp },
    ];
  }
  if (isNamed(entry, "branch_summary") && entry.summary) {
    return [{ role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp }];
  }
  return [];
}

/** Applies the edit in force to an entry's messages, as Pi 1.6.0 does; undefined = no edit. */
export function editMessages(
  messages: readonly Message[],
  edit: Replacement | undefined,
): readonly Message[] {
  if (edit === undefined) return messages;
  if (edit === null) return [];
  return messages.map((message) => {
    if (!EDITABLE_ROLES.has(message.role)) return message;
    const needsBlocks = message.role === "assistant" || message.role === "toolResult";
    const { content } = edit;
    const isText = needsBlocks && typeof content === "string";
    return { ...message, content: isText ? [{ type: "text", text: content }] : content };
  });
}
