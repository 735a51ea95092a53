import { summariseBranch } from "../compaction/branch-summary.ts";
import { isRefusal } from "../compaction/refusal.ts";
import { BranchlineError } from "../errors.ts";
import { throwIfAborted } from "../io/clock.ts";
import type { MoveOptions, MoveResult } from "../session/leaf-move.ts";
import { type HarnessKit, modelHere } from "./harness-kit.ts";
import type { Operation } from "./operation.ts";

/** How the branch that is left is summarised. */
export interface BranchSummaryChoice {
  /** What the summary should give weight to. */
  readonly instructions?: string;
  /** Most tokens of the entries that are read, newest first. */
  readonly budget?: number;
}

/** How the leaf is moved. */
export interface NavigateOptions {
  /** True = a run that is under way is aborted and settled first; else it makes the move refused. */
  readonly abort?: boolean;
  /** Leaves a summary of what is left under the target. Default: none. */
  readonly summary?: true | BranchSummaryChoice;
}

/** A move and how it is told to people. */
export interface Journey<T extends MoveResult> {
  /** Where it goes; null = before the first entry. */
  readonly target: string | null;
  readonly options: NavigateOptions;
  readonly move: (options: MoveOptions) => Promise<T>;
}

/**
 * Moves the leaf (harness.md §5). Nothing is written before the one commit of marker and summary, so that
 * a cancelled or failed summary leaves all as it was. The settings of the new path are in force from
 * there on: they are read from the path. Throws ABORTED, COMPACTION_REFUSED, and what the move throws.
 */
export async function navigate<T extends MoveResult>(
  kit: HarnessKit,
  operation: Operation,
  journey: Journey<T>,
): Promise<T> {
  const { control } = operation;
  const summary = await summaryFor(kit, operation, journey);
  throwIfAborted(control.signal);
  const moved = await journey.move(summary);
  const { leaf, previousLeaf, op } = moved;
  await control.tell({ type: "branch_switch", leaf, previousLeaf, op });
  return moved;
}

async function summaryFor<T extends MoveResult>(
  kit: HarnessKit,
  { control }: Operation,
  { target, options }: Journey<T>,
): Promise<MoveOptions> {
  if (options.summary === undefined) return {};
  const choice = options.summary === true ? {} : options.summary;
  const { session, compactor } = kit;
  await session.refresh();
  const model = await modelHere(kit, control.signal);
  const { contextWindow } = model;
  const made = await summariseBranch(session, {
    ...{ from: session.leaf, to: target, signal: control.signal, contextWindow },
    summariser: compactor.summariserFor(model, (event) => control.tell(event)),
    ...choice,
  });
  if (!isRefusal(made)) return { summary: made };
  // Nothing is left behind: the move itself is what was asked for.
  if (made.refused === "nothing-to-compact") return {};
  throw new BranchlineError(
    "COMPACTION_REFUSED",
    { reason: made.refused },
    { message: made.message, hint: "Move without a summary, or try again." },
  );
}
