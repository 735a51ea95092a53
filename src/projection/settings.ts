import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import type { ModelRef } from "../tree/fold.ts";
import type { PathStep } from "./cut.ts";

/** The settings in force at the end of a path; the same as in its fold. */
export interface Settings {
  readonly model: ModelRef | null;
  /** "off" before the first change. */
  readonly thinkingLevel: string;
  /** null = never set on the path. */
  readonly activeTools: readonly string[] | null;
}

function modelOf(entry: Entry): ModelRef | null {
  if (isEntry(entry, "model_change")) return { provider: entry.provider, modelId: entry.modelId };
  if (!isEntry(entry, "message") || !isObject(entry.message)) return null;
  const { role, provider, model } = entry.message;
  const isAnswer = role === "assistant" && typeof provider === "string";
  return isAnswer && typeof model === "string" ? { provider, modelId: model } : null;
}

/** Scans back until all is known: the newest statement of each kind holds. */
export function settingsOf(path: readonly PathStep[]): Settings {
  let model: ModelRef | null = null;
  let thinkingLevel: string | null = null;
  let activeTools: readonly string[] | null = null;
  for (let at = path.length - 1; at >= 0; at--) {
    const { entry } = path[at] as PathStep;
    model ??= modelOf(entry);
    if (isEntry(entry, "thinking_level_change")) thinkingLevel ??= entry.thinkingLevel;
    if (isEntry(entry, "active_tools_change")) activeTools ??= entry.activeToolNames;
    if (model !== null && thinkingLevel !== null && activeTools !== null) break;
  }
  return { model, thinkingLevel: thinkingLevel ?? "off", activeTools };
}
