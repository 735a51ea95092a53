import type { ModelRef } from "../tree/fold.ts";

/** When and how far contexts are compacted. Every member has the default of {@link DEFAULT_COMPACTION}. */
export interface CompactionSettings {
  /** False = no compaction is ever made by itself, not on overflow either (F085). A person may still ask. */
  readonly enabled: boolean;
  /** Tokens of the window that are left free for the answer. At most half the window counts. */
  readonly reserveTokens: number;
  /** Tokens at the end that stay as they are. At most half of what the window leaves counts. */
  readonly keepRecentTokens: number;
  /** Largest request in bytes, images included; null = no limit (F065). */
  readonly maxBytes: number | null;
  /** Tokens of the model's window, where it is not known or has to be smaller; null = what the model says. */
  readonly contextWindow: number | null;
  /** Compactions without net gain in a row after which no further one is made by itself; 0 = no brake (F075, F076). */
  readonly brakeAfter: number;
  /** Other values for single models, by `provider/modelId`. */
  readonly perModel: Readonly<Record<string, Partial<Omit<CompactionSettings, "perModel">>>>;
}

/** Settings as they hold for one model. */
export type ModelCompactionSettings = Omit<CompactionSettings, "perModel">;

/** Pi's figures, and 20 MB for a request. */
export const DEFAULT_COMPACTION: CompactionSettings = Object.freeze({
  enabled: true,
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
  maxBytes: 20_000_000,
  contextWindow: null,
  brakeAfter: 3,
  perModel: Object.freeze({}),
});

/** What holds for a model: the defaults, the given settings, those of the model. */
export function settingsFor(
  settings: Partial<CompactionSettings> | undefined,
  model: ModelRef | null,
): ModelCompactionSettings {
  const { perModel, ...all } = { ...DEFAULT_COMPACTION, ...settings };
  const own = model === null ? undefined : perModel[`${model.provider}/${model.modelId}`];
  return { ...all, ...own };
}
