import { isObject } from "../entry/entry-check.ts";
import type { Message, SystemMessage } from "../entry/message.ts";
import { frozenTokens } from "../projection/token-estimate.ts";
import type { HeldText } from "../protocol/tree.ts";
import { contentWords } from "../session/entry-preview.ts";
import type { SessionContext } from "../session/session-context.ts";
import type { SessionHost } from "./session-host.ts";

/** Characters of a held text that are sent to the page. */
const SHOWN = 20_000;

/** Instructions that nobody agreed to, with where they come from, so that a person can decide (S13). */
export function heldTexts(
  host: SessionHost,
  { messages, sources }: SessionContext,
  held: ReadonlySet<Message>,
): readonly HeldText[] {
  return messages.flatMap((message, index) =>
    message.role === "system" && held.has(message)
      ? [heldText(host, message as SystemMessage, sources[index] as string)]
      : [],
  );
}

function heldText({ store }: SessionHost, message: SystemMessage, entry: string): HeldText {
  const at = store.tree.get(entry);
  const whole = wholeText(message);
  return {
    entry,
    kind: at?.type === "message" || at?.type === "compaction" ? at.type : "other",
    text: whole.slice(0, SHOWN),
    length: whole.length,
    tokens: frozenTokens(message),
    tools: { added: namesIn(message.toolsAdded), removed: namesIn(message.toolsRemoved) },
    from: {
      agent: store.header.branchline === undefined ? "pi" : "branchline",
      timestamp: at?.timestamp ?? store.header.timestamp,
      line: store.placeOf(entry)?.line ?? null,
      file: store.file ?? null,
      parentSession: store.header.parentSession ?? null,
    },
  };
}

/** The text and its sections as they are sent, one below the other. */
function wholeText({ content, sections }: SystemMessage): string {
  const parts = isObject(sections) ? Object.values(sections) : [sections];
  return [content, ...parts.flat()]
    .map((part) => contentWords(isObject(part) ? (part.text ?? part.content) : part))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Names of tools, given as names or as descriptions. */
function namesIn(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const name = isObject(tool) ? tool.name : tool;
    return typeof name === "string" ? [name] : [];
  });
}
