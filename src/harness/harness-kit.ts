import { BranchlineError } from "../errors.ts";
import { aborted } from "../io/clock.ts";
import { ABORTED as SIGNALLED } from "../model/abort-wait.ts";
import type { ModelInfo } from "../model/model.ts";
import type { Session } from "../session/session.ts";
import { EMPTY_FOLD, type Fold, type ModelRef } from "../tree/fold.ts";
import type { Compactor } from "./compactor.ts";
import type { ConfigBuffer, PathSettings } from "./config-buffer.ts";
import type { DurableQueues } from "./durable-queues.ts";
import type { HarnessEvent } from "./events.ts";
import { withGrace } from "./grace.ts";
import type { ResolvedOptions } from "./harness-options.ts";
import type { Listeners } from "./listeners.ts";
import type { Tool } from "./tool.ts";

/** What the parts of one harness share. */
export interface HarnessKit {
  readonly session: Session;
  readonly options: ResolvedOptions;
  readonly listeners: Listeners;
  readonly queues: DurableQueues;
  readonly config: ConfigBuffer;
  readonly compactor: Compactor;
  /** Tells something that is no part of the order of a run, at once. What listeners throw ends the run. */
  readonly tellNow: (event: HarnessEvent) => Promise<void>;
  /** The same with what waits in the queues. */
  readonly tellQueues: () => Promise<void>;
  /** Resolves when every message that is being accepted stands in a queue or was refused. */
  readonly accepted: () => Promise<void>;
}

/** Sees what other processes have queued, and tells it. */
export async function refreshQueues({ queues, tellQueues }: HarnessKit): Promise<void> {
  if (await queues.refresh()) await tellQueues();
}

/** The fold at an entry; the empty one before the first entry. */
export function foldAt(session: Session, id: string | null): Fold {
  return (id === null ? undefined : session.tree.get(id)?.fold) ?? EMPTY_FOLD;
}

/** The fold at the session's leaf. */
export function foldHere(session: Session): Fold {
  return foldAt(session, session.leaf);
}

/** The settings of the path: one look-up, so that they are right after every move and at creation. */
export function settingsHere(session: Session): PathSettings {
  const { model, thinkingLevel, activeTools } = foldHere(session);
  return { model, thinkingLevel, activeTools };
}

/** The model in force, else the one of the options. Throws MODEL_UNKNOWN, ABORTED. */
export async function modelHere(
  { session, options }: HarnessKit,
  signal: AbortSignal,
): Promise<ModelInfo> {
  const work = mustFindModel(options, foldHere(session).model ?? options.model);
  const { clock, abortGraceMs: graceMs } = options;
  const info = await withGrace(work, { signal, clock, graceMs });
  if (info === SIGNALLED) throw aborted(signal);
  return info;
}

/** The model of this name. Throws MODEL_UNKNOWN. */
export async function mustFindModel(
  { models }: ResolvedOptions,
  ref: ModelRef,
): Promise<ModelInfo> {
  const info = await models.find(ref);
  if (info !== null) return info;
  const model = `${ref.provider}/${ref.modelId}`;
  throw new BranchlineError(
    "MODEL_UNKNOWN",
    { model },
    {
      message: `No provider here has the model ${model}.`,
      hint: "Choose another model for this path, or add the provider that has it.",
    },
  );
}

/** The tools in force, in the order of the options: the same path sends the same bytes (P8). */
export function toolsHere({ session, options }: HarnessKit): readonly Tool[] {
  const { activeTools } = foldHere(session);
  if (activeTools === null) return options.tools;
  return options.tools.filter(({ name }) => activeTools.includes(name));
}
