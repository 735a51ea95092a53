import type { Entry, MessageEntry } from "../entry/entry.ts";
import { isMalformed, isObject } from "../entry/entry-check.ts";
import type { Block, Content, Message } from "../entry/message.ts";
import {
  editMessages,
  entryMessages,
  isNamed,
  type Replacement,
  withContent,
} from "./entry-messages.ts";

/** What stands for content that is neither text nor a list of blocks, by role. */
const EMPTY_CONTENT: ReadonlyMap<string, Content> = new Map<string, Content>([
  ["system", ""],
  ["user", []],
  ["assistant", []],
  ["toolResult", []],
  ["custom", []],
]);

/** Blocks that providers refuse: without a type, text that is none, a call that nothing could answer. */
function isUsable(block: unknown, role: string): block is Block {
  if (!isObject(block) || typeof block.type !== "string") return false;
  if (block.type === "text") return typeof block.text === "string";
  if (role !== "assistant" || block.type !== "toolCall") return true;
  return typeof block.id === "string" && typeof block.name === "string";
}

/** The message without what has a wrong type (P7); by identity where nothing has. */
function clean(message: Message): Message {
  const empty = EMPTY_CONTENT.get(message.role);
  if (empty === undefined || !isObject(message)) return message;
  const { role } = message;
  const content: unknown = message.content;
  if (typeof content === "string") return message;
  if (!Array.isArray(content)) return { ...message, content: empty };
  const blocks: readonly unknown[] = content;
  if (blocks.every((block) => isUsable(block, role))) return message;
  return { ...message, content: blocks.filter((block) => isUsable(block, role)) };
}

function isCheckpoint(message: unknown): boolean {
  return isObject(message) && (message.role === "system" || message.role === "compactionSummary");
}

/**
 * The messages that the model sees of one entry: Pi's, with the edit in force, without what has a
 * wrong type (P7). An entry of a known type with a wrong shape gives none. Older and uncompacted
 * compactions are the caller's to leave out.
 */
export function contextMessages(entry: Entry, edit: Replacement | undefined): readonly Message[] {
  if (isMalformed(entry)) return [];
  const messages = editMessages(entryMessages(entry), edit);
  if (isNamed(entry, "compaction")) return messages.filter(isCheckpoint).map(clean);
  return messages.map(clean);
}

/** The same for a message entry in shape, of which the model sees one message or, hidden, none. */
export function shownMessage(
  entry: MessageEntry,
  edit: Replacement | undefined,
): Message | undefined {
  // Nearly every entry of a context comes by here, twice.
  return edit === undefined ? clean(withContent(entry.message)) : contextMessages(entry, edit)[0];
}
