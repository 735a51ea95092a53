import { isObject } from "../entry/entry-check.ts";
import type { Message, SystemMessage } from "../entry/message.ts";
import { systemText } from "../model/wire-messages.ts";
import { frozenTokens } from "../projection/token-estimate.ts";
import type { HeldText } from "../protocol/tree.ts";
import type { SessionContext } from "../session/session-context.ts";
import { agentOf } from "../store/summary.ts";
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
  // What is sent, and nothing else: that is what a person says yes to.
  const whole = systemText({ ...message });
  return {
    entry,
    kind: at?.type === "message" || at?.type === "compaction" ? at.type : "other",
    text: whole.slice(0, SHOWN),
    length: whole.length,
    tokens: frozenTokens(message),
    tools: { added: namesIn(message.toolsAdded), removed: namesIn(message.toolsRemoved) },
    from: {
      agent: agentOf(store.header),
      timestamp: at?.timestamp ?? store.header.timestamp,
      line: store.placeOf(entry)?.line ?? null,
      file: store.file ?? null,
      parentSession: store.header.parentSession ?? null,
    },
  };
}

/** Names of tools, given as names or as descriptions. */
function namesIn(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const name = isObject(tool) ? tool.name : tool;
    return typeof name === "string" ? [name] : [];
  });
}
