import type { EntryDraft } from "../entry/entry.ts";
import { isJsonEqual } from "../entry/json-equal.ts";
import type { ModelRef } from "../tree/fold.ts";

/** The settings of a path that can be changed. */
export interface PathSettings {
  readonly model: ModelRef | null;
  readonly thinkingLevel: string;
  /** Names; null = all tools. */
  readonly activeTools: readonly string[] | null;
}

/** State of an extension: a `custom` entry. */
export interface CustomState {
  readonly customType: string;
  readonly data: unknown;
}

/** Changes of settings, at most one of each kind, and states in the order they were given. */
export interface ConfigChanges {
  readonly model?: ModelRef;
  readonly thinkingLevel?: string;
  readonly activeTools?: readonly string[];
  readonly states?: readonly CustomState[];
}

/** The entries of changes; what is in force already gives none. */
export function configDrafts(changes: ConfigChanges, inForce: PathSettings): readonly EntryDraft[] {
  const { model, thinkingLevel, activeTools, states = [] } = changes;
  const drafts: EntryDraft[] = [];
  if (model !== undefined && !isJsonEqual({ ...model }, { ...inForce.model })) {
    drafts.push({ type: "model_change", provider: model.provider, modelId: model.modelId });
  }
  if (thinkingLevel !== undefined && thinkingLevel !== inForce.thinkingLevel) {
    drafts.push({ type: "thinking_level_change", thinkingLevel });
  }
  if (activeTools !== undefined && !isJsonEqual(activeTools, inForce.activeTools)) {
    drafts.push({ type: "active_tools_change", activeToolNames: [...activeTools] });
  }
  for (const { customType, data } of states) drafts.push({ type: "custom", customType, data });
  return drafts;
}

/**
 * What a run changes of its own configuration until its next save point, where all of it is written in
 * one commit (P2): after a crash all of it is there or none. The last value of each kind counts.
 */
export class ConfigBuffer {
  #changes: ConfigChanges = {};

  /** True where nothing waits. */
  get isEmpty(): boolean {
    return Object.keys(this.#changes).length === 0;
  }

  /** Adds changes to those that wait. */
  add(changes: ConfigChanges): void {
    this.#changes = merged(this.#changes, changes);
  }

  /** What waits; nothing waits then. */
  take(): ConfigChanges {
    const taken = this.#changes;
    this.#changes = {};
    return taken;
  }

  /** Puts back what could not be written; what came meanwhile is newer. */
  putBack(changes: ConfigChanges): void {
    this.#changes = merged(changes, this.#changes);
  }
}

function merged(older: ConfigChanges, newer: ConfigChanges): ConfigChanges {
  const states = [...(older.states ?? []), ...(newer.states ?? [])];
  return { ...older, ...newer, ...(states.length === 0 ? {} : { states }) };
}
