import type { ModelRef } from "../tree/fold.ts";
import type { ModelInfo } from "./model.ts";

/** What a provider of one model answers to `find`: its model where that one is asked for, else null. */
export function ifNamed(info: ModelInfo, { provider, modelId }: ModelRef): ModelInfo | null {
  return provider === info.provider && modelId === info.modelId ? info : null;
}
