import { BranchlineError } from "../errors.ts";
import type { ModelInfo, ModelProvider } from "../model/model.ts";
import { chooseModel, type ModelChoice, modelOfPath } from "../model/model-choice.ts";
import { createModelTable } from "../model/model-table.ts";
import type { WireModel } from "../protocol/session.ts";
import type { ModelRef } from "../tree/fold.ts";
import type { SessionTree } from "../tree/session-tree.ts";

/** How a person adds a model. */
export interface ModelSettings {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly model: string;
  readonly name?: string | undefined;
  readonly contextWindow?: number | undefined;
}

/** Where the models of a server come from. The adapters lie on the server's own level, so they are handed in. */
export interface ModelSources {
  /** In the order of preference: the first model of the first provider is the default. */
  readonly providers: readonly ModelProvider[];
  /** Makes a provider from what a person typed; without it none can be added. Throws USAGE. */
  readonly connect?: (settings: ModelSettings) => ModelProvider;
}

/** Where a model is asked for. */
export interface PathOfModels {
  readonly tree: SessionTree;
  readonly leaf: string | null;
}

/** The models of a server: those it was started with, and those that were added, in memory only. */
export class ServerModels {
  readonly #sources: ModelSources;
  #providers: readonly ModelProvider[];
  #table: ModelProvider;

  constructor(sources: ModelSources) {
    this.#sources = sources;
    this.#providers = sources.providers;
    this.#table = createModelTable(this.#providers);
  }

  /**
   * The model port for the runs of one session: always the present models, and one that answers also where
   * the path has a model that nobody here has, or only stand-ins.
   */
  providerFor(session: PathOfModels): ModelProvider {
    return {
      list: () => this.#table.list(),
      find: async (ref) => {
        const known = await this.#table.find(ref);
        return known?.isOffline === false ? known : (await this.at(session)).model;
      },
      stream: (model, context, options) => this.#table.stream(model, context, options),
    };
  }

  async list(): Promise<readonly WireModel[]> {
    return (await this.#table.list()).map(wireModel);
  }

  /** The model that is used where nobody chose one. Throws MODEL_UNKNOWN where there is none at all. */
  async first(): Promise<ModelRef> {
    const [first] = await this.#table.list();
    if (first !== undefined) return { provider: first.provider, modelId: first.modelId };
    throw unknownModel("");
  }

  /**
   * The model that answers at an entry, default the leaf: that of the path where this server has it, else the
   * first one. Throws MODEL_UNKNOWN where there is none at all.
   */
  async at({ tree, leaf }: PathOfModels): Promise<ModelChoice> {
    const here = leaf === null ? null : (tree.get(leaf)?.fold.model ?? null);
    const known = here === null ? null : await this.#table.find(here);
    // The path is walked only where an answer may have been a stand-in's and others are there.
    const isPlain = known?.isOffline === false || (await this.#areAllOffline());
    const inForce = isPlain ? here : modelOfPath(tree, leaf);
    const choice = await chooseModel(this.#table, inForce);
    if (choice !== null) return choice;
    throw unknownModel("");
  }

  /** The same as requests are answered: who answers, and as `provider/model` for whom it stands in. */
  async answering(
    path: PathOfModels,
  ): Promise<{ readonly model: WireModel | null; readonly insteadOf: string | null }> {
    if ((await this.#table.list()).length === 0) return { model: null, insteadOf: null };
    const { model, insteadOf } = await this.at(path);
    const name = insteadOf === null ? null : `${insteadOf.provider}/${insteadOf.modelId}`;
    return { model: wireModel(model), insteadOf: name };
  }

  /** A model as requests are answered. Throws MODEL_UNKNOWN. */
  async wire(ref: ModelRef): Promise<WireModel> {
    const info = await this.#table.find(ref);
    if (info !== null) return wireModel(info);
    throw unknownModel(`${ref.provider}/${ref.modelId}`);
  }

  async #areAllOffline(): Promise<boolean> {
    return (await this.#table.list()).every(({ isOffline }) => isOffline);
  }

  /** The model that a request names as `provider/model`. Throws MODEL_UNKNOWN. */
  async named(name: string): Promise<ModelRef> {
    const at = name.indexOf("/");
    const ref = { provider: name.slice(0, at), modelId: name.slice(at + 1) };
    if (at > 0 && (await this.#table.find(ref)) !== null) return ref;
    throw unknownModel(name);
  }

  /** Adds a model in front of the others. The key stays in memory and is never told. Throws USAGE, NOT_SUPPORTED. */
  add(settings: ModelSettings): void {
    const { connect } = this.#sources;
    if (connect === undefined) {
      const message = "This server takes no further models.";
      throw new BranchlineError("NOT_SUPPORTED", { feature: "models" }, { message });
    }
    this.#providers = [connect(settings), ...this.#providers];
    this.#table = createModelTable(this.#providers);
  }
}

function wireModel({ provider, modelId, name, contextWindow, isOffline }: ModelInfo): WireModel {
  return { provider, modelId, name, contextWindow, isOffline };
}

function unknownModel(model: string): BranchlineError<"MODEL_UNKNOWN"> {
  const message = "No provider of this server has this model.";
  const hint = "GET /api/models lists them.";
  return new BranchlineError("MODEL_UNKNOWN", { model }, { message, hint });
}
