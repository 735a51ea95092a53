import type { CompactionEntry, Entry } from "../entry/entry.ts";
import { isObject } from "../entry/entry-check.ts";
import { freezeDeep } from "../entry/freeze.ts";
import type { AssistantMessage, Message } from "../entry/message.ts";
import type { ModelRef } from "../tree/fold.ts";
import {
  editMessages,
  entryMessages,
  isNamed,
  isSystemMessage,
  type Replacement,
} from "./entry-messages.ts";

/** What Pi 1.6.0 makes of a path. */
export interface RawProjection {
  /** Ids of all selected entries in context order, also of those that give no message. */
  readonly entries: readonly string[];
  readonly messages: readonly Message[];
  /** Id of the entry that each message comes from. */
  readonly sources: readonly string[];
  readonly model: ModelRef | null;
  readonly thinkingLevel: string;
}

function isAssistant(message: Message): message is AssistantMessage {
  return isObject(message) && message.role === "assistant";
}

function settingsOf(path: readonly Entry[]): Pick<RawProjection, "model" | "thinkingLevel"> {
  let model: ModelRef | null = null;
  let thinkingLevel = "off";
  for (const entry of path) {
    if (isNamed(entry, "thinking_level_change")) thinkingLevel = entry.thinkingLevel;
    else if (isNamed(entry, "model_change")) {
      model = { provider: entry.provider, modelId: entry.modelId };
    } else if (isNamed(entry, "message") && isAssistant(entry.message)) {
      model = { provider: entry.message.provider, modelId: entry.message.model };
    }
  }
  return { model, thinkingLevel };
}

function newestCompaction(path: readonly Entry[]): { at: number; entry: CompactionEntry } | null {
  for (let at = path.length - 1; at >= 0; at--) {
    const entry = path[at] as Entry;
    if (isNamed(entry, "compaction")) return { at, entry };
  }
  return null;
}

/** The entries that speak: all, or the newest compaction, what it keeps, and what follows it. */
function select(path: readonly Entry[]): readonly Entry[] {
  const compaction = newestCompaction(path);
  if (compaction === null) return path;
  const before = path.slice(0, compaction.at);
  const kept = before.findIndex((entry) => entry.id === compaction.entry.firstKeptEntryId);
  return [
    compaction.entry,
    ...(kept === -1 ? [] : before.slice(kept).filter((entry) => !isSystemMessage(entry))),
    ...path.slice(compaction.at + 1),
  ];
}

function editsOf(selected: readonly Entry[]): ReadonlyMap<string, Replacement> {
  const edits = new Map<string, Replacement>();
  for (const entry of selected) {
    // An edit without replacement stops Pi; here the edit before it stays in force.
    if (!isNamed(entry, "context_edit") || entry.replacement === undefined) continue;
    edits.set(entry.targetId, entry.replacement);
  }
  return edits;
}

/**
 * The raw projection: exactly what Pi 1.6.0 gives for this path, with its faults (a first kept entry
 * that is not there drops all that was kept, M8; pairs may be torn, M14, M15). `path` runs from the
 * root, or from the first entry below a gap, to the leaf (`SessionTree.rawPath`). Only the newest
 * compaction speaks, and only edits among the selected entries count. Timestamps in ms. Untouched
 * messages are those of the entries; everything is frozen.
 */
export function projectRaw(path: readonly Entry[]): RawProjection {
  const selected = select(path);
  const edits = editsOf(selected);
  const messages: Message[] = [];
  const sources: string[] = [];
  for (const [index, entry] of selected.entries()) {
    if (index > 0 && isNamed(entry, "compaction")) continue;
    for (const message of editMessages(entryMessages(entry), edits.get(entry.id))) {
      messages.push(message);
      sources.push(entry.id);
    }
  }
  const entries = selected.map((entry) => entry.id);
  return freezeDeep({ entries, messages, sources, ...settingsOf(path) });
}
