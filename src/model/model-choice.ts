import type { ModelRef } from "../tree/fold.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { ModelInfo, ModelProvider } from "./model.ts";

/** Provider of the offline model. */
const OFFLINE = "offline";

/** The model that answers on a path. */
export interface ModelChoice {
  readonly model: ModelInfo;
  /** The model that the path uses, where no provider has it and `model` stands in; else null. */
  readonly insteadOf: ModelRef | null;
}

/**
 * The model that a path uses. Answers of the offline one are passed over, since it may have stood in for
 * another; it counts where somebody chose it. null = the path names none. O(path) at worst.
 */
export function modelOfPath(tree: SessionTree, at: string | null): ModelRef | null {
  for (const { fold, type } of tree.ancestors(at)) {
    if (fold.model === null) return null;
    if (fold.model.provider !== OFFLINE || type === "model_change") return fold.model;
  }
  return null;
}

/**
 * Chooses as every front end does: the model of the path where a provider has it, else the first one of
 * the list, so put a person's own endpoint first and the offline model last. null = there is no model.
 */
export async function chooseModel(
  models: Pick<ModelProvider, "list" | "find">,
  inForce: ModelRef | null,
): Promise<ModelChoice | null> {
  const known = inForce === null ? null : await models.find(inForce);
  if (known !== null) return { model: known, insteadOf: null };
  const [first] = await models.list();
  return first === undefined ? null : { model: first, insteadOf: inForce };
}
