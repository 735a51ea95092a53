import { setTimeout } from "node:timers/promises";
import { BranchlineError } from "../errors.ts";
import type { ModelInfo, ModelProvider } from "../model/model.ts";
import { chooseModel } from "../model/model-choice.ts";
import type { ModelRef } from "../tree/fold.ts";
import type { CliIo } from "./cli-io.ts";
import { usage } from "./usage.ts";

/** Time between two words of the offline model on a terminal, in ms, so that one sees it stream. */
const WORD_MS = 12;

/** How the models of a start are chosen. */
export interface ModelWish {
  /** `provider/id` of --model. */
  readonly named: string | undefined;
  /** "only" = --offline: nothing is sent anywhere. */
  readonly offline: "only" | "last";
  /** The model of the path where the run begins, {@link modelOfPath}. */
  readonly inForce: ModelRef | null;
}

/** The models of a command, and the one that it begins with. */
export interface ChosenModels {
  /** Finds every name: what nobody here has is answered by `first`. */
  readonly provider: ModelProvider;
  readonly first: ModelInfo;
  /** Why it is not the model of the path; null where it is, or the path has none. */
  readonly note: string | null;
  /** Finds a model by `provider/id`, also Pi's. Throws MODEL_UNKNOWN, USAGE. */
  named(name: string): Promise<ModelInfo>;
}

const nameOf = ({ provider, modelId }: ModelRef): string => `${provider}/${modelId}`;

/** The line that names a model for people; offline models are always called so. */
export function modelTitle(model: ModelInfo): string {
  return model.isOffline ? `${nameOf(model)} (offline: keywords, no AI)` : nameOf(model);
}

/** `provider/id`; what stands behind the first slash is the id. Throws USAGE. */
function parseName(name: string): ModelRef {
  const at = name.indexOf("/");
  if (at <= 0 || at === name.length - 1) {
    throw usage(`${name} is no model.`, "A model is named as provider/id: offline/offline-1.");
  }
  return { provider: name.slice(0, at), modelId: name.slice(at + 1) };
}

/** Pi's providers, where that package is installed beside ours. */
async function piModels(): Promise<ModelProvider | null> {
  const { loadPiAi } = await import("../adapters/pi-ai/pi-ai.ts");
  try {
    return await loadPiAi();
  } catch (error) {
    if (BranchlineError.is(error, "NOT_SUPPORTED")) return null;
    throw error;
  }
}

/** The models of a command: own endpoint first, the offline one last, Pi's only where they are asked for. */
class CommandModels implements ModelProvider {
  readonly #plain: readonly ModelProvider[];
  readonly #mayAskPi: boolean;
  #pi: Promise<ModelProvider | null> | null = null;
  /** Answers for models that nobody here has, and for the offline one where nobody asked for it. */
  fallback: ModelInfo | null = null;
  isOfflineWanted = false;

  constructor(plain: readonly ModelProvider[], reach: "all" | "plain") {
    this.#plain = plain;
    this.#mayAskPi = reach === "all";
  }

  async list(): Promise<readonly ModelInfo[]> {
    return (await Promise.all(this.#plain.map((one) => one.list()))).flat();
  }

  async find(ref: ModelRef): Promise<ModelInfo | null> {
    const known = await this.known(ref);
    const isStandIn = known?.isOffline === true && !this.isOfflineWanted;
    return isStandIn ? (this.fallback ?? known) : (known ?? this.fallback);
  }

  /** The models without stand-ins. */
  get plainly(): Pick<ModelProvider, "list" | "find"> {
    return { list: () => this.list(), find: (ref) => this.known(ref) };
  }

  /** The model itself, or null. */
  async known(ref: ModelRef): Promise<ModelInfo | null> {
    const owner = await this.#owner(ref);
    return owner === null ? null : await owner.find(ref);
  }

  async *stream(
    ...request: Parameters<ModelProvider["stream"]>
  ): ReturnType<ModelProvider["stream"]> {
    const [model] = request;
    const owner = await this.#owner(model);
    if (owner !== null) yield* owner.stream(...request);
  }

  async #owner(ref: ModelRef): Promise<ModelProvider | null> {
    for (const one of this.#plain) if ((await one.find(ref)) !== null) return one;
    if (!this.#mayAskPi) return null;
    this.#pi ??= piModels();
    const pi = await this.#pi;
    return pi !== null && (await pi.find(ref)) !== null ? pi : null;
  }
}

/**
 * The models without a catalogue: the endpoint of the environment first, the offline model last. `paced`:
 * the offline one speaks word by word. Throws USAGE where the environment does not fit.
 */
export async function plainModels(
  io: CliIo,
  paced: "terminal" | "always" = "terminal",
): Promise<readonly ModelProvider[]> {
  const [{ openAiCompatibleFromEnv }, offline] = await Promise.all([
    import("../adapters/openai-compatible/environment.ts"),
    offlineModel(paced === "always" || io.isTTY),
  ]);
  const own = openAiCompatibleFromEnv(io.env);
  return own === null ? [offline] : [own, offline];
}

async function offlineModel(isPaced: boolean): Promise<ModelProvider> {
  const { createOfflineModel } = await import("../model/offline-model.ts");
  return createOfflineModel(isPaced ? { pace: () => setTimeout(WORD_MS) } : {});
}

/**
 * Chooses the model: the one that was named, else that of the path where a provider has it, else that of
 * the environment, else the offline one, which is never kept: as soon as another one is there, that one
 * answers again. Throws MODEL_UNKNOWN, USAGE.
 */
export async function chooseModels(io: CliIo, wish: ModelWish): Promise<ChosenModels> {
  const { named, offline, inForce } = wish;
  const isOnly = offline === "only";
  if (isOnly && named !== undefined) throw usage("--model and --offline exclude each other.");
  const plain = isOnly ? [await offlineModel(io.isTTY)] : await plainModels(io);
  const models = new CommandModels(plain, isOnly ? "plain" : "all");
  const find = async (name: string): Promise<ModelInfo> => {
    const info = (await models.known(parseName(name))) ?? unknown(name, await models.list());
    models.isOfflineWanted ||= info.isOffline;
    return info;
  };
  const choice =
    named === undefined
      ? await chooseModel(models.plainly, inForce)
      : { model: await find(named), insteadOf: null };
  const { model: first, insteadOf } = choice ?? unknown("", []);
  models.fallback = first;
  const why = isOnly ? "--offline" : "no provider here has it";
  const note = insteadOf === null ? null : `in the place of ${nameOf(insteadOf)}: ${why}`;
  return { provider: models, first, note, named: find };
}

function unknown(name: string, known: readonly ModelInfo[]): never {
  throw new BranchlineError(
    "MODEL_UNKNOWN",
    { model: name },
    {
      message: `No provider here has the model ${name}.`,
      hint: `There are: ${known.map(nameOf).join(", ")}; others by OPENAI_COMPATIBLE_* or pi-ai (docs/models.md).`,
    },
  );
}
