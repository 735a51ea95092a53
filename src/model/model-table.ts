import type { ModelRef } from "../tree/fold.ts";
import { AnswerBuilder } from "./answer-builder.ts";
import type { ModelContext, ModelEvent, ModelInfo, ModelProvider, StreamOptions } from "./model.ts";

const keyOf = ({ provider, modelId }: ModelRef): string => JSON.stringify([provider, modelId]);

async function* unknownModel(model: ModelInfo): AsyncGenerator<ModelEvent> {
  const answer = new AnswerBuilder({ model, api: "none", timestamp: Date.now() });
  yield answer.start();
  const errorMessage = `No provider knows the model ${model.provider}/${model.modelId}.`;
  yield answer.finish({ stopReason: "error", errorMessage });
}

class Table implements ModelProvider {
  readonly #providers: readonly ModelProvider[];
  /** Who answered for a model before. */
  readonly #owners = new Map<string, ModelProvider>();

  constructor(providers: readonly ModelProvider[]) {
    this.#providers = providers;
  }

  async list(): Promise<readonly ModelInfo[]> {
    const models = new Map<string, ModelInfo>();
    for (const provider of this.#providers) {
      for (const model of await provider.list()) {
        const key = keyOf(model);
        if (!models.has(key)) models.set(key, model);
      }
    }
    return [...models.values()];
  }

  async find(ref: ModelRef): Promise<ModelInfo | null> {
    for (const provider of this.#providers) {
      const model = await provider.find(ref);
      if (model === null) continue;
      this.#owners.set(keyOf(ref), provider);
      return model;
    }
    return null;
  }

  async *stream(
    model: ModelInfo,
    context: ModelContext,
    options?: StreamOptions,
  ): AsyncGenerator<ModelEvent> {
    const key = keyOf(model);
    if (!this.#owners.has(key)) await this.find(model);
    const owner = this.#owners.get(key);
    yield* owner === undefined ? unknownModel(model) : owner.stream(model, context, options);
  }
}

/**
 * Several providers as one. The first that knows a model answers for it, in the order given: put a
 * person's own endpoint before a catalogue, and the offline model last.
 */
export function createModelTable(providers: readonly ModelProvider[]): ModelProvider {
  return new Table(providers);
}
