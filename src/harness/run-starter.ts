import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { newEntryId } from "../entry/ids.ts";
import type { ToolResultMessage } from "../entry/message.ts";
import { RUN_TYPE } from "../entry/own-state.ts";
import type { RunLock } from "../store/store.ts";
import { type HarnessKit, modelHere } from "./harness-kit.ts";
import type { PlanReader } from "./plan-state.ts";
import { interruptedOutput, NOT_BEGUN_TEXT, planResume, readTail } from "./resume-plan.ts";
import { Run } from "./run.ts";
import type { RunControl } from "./run-control.ts";
import type { RunOpening } from "./run-opening.ts";
import { runRow } from "./run-rows.ts";
import { readRunState } from "./run-state.ts";
import type { ToolOutput } from "./tool.ts";
import { errorOutput, resultMessage } from "./tool-output.ts";

/** What a run needs besides the kit. */
export interface StartParts {
  readonly control: RunControl;
  readonly plans: PlanReader;
}

/** A run that may begin: it holds the lock of its branch. */
export interface ReadyRun {
  readonly run: Run;
  readonly opening: RunOpening;
}

/**
 * Makes a run ready: on the newest state of a branch of its own right, with the lock of the branch.
 * Throws RUN_ACTIVE, MODEL_UNKNOWN and what the store throws; nothing was told then.
 */
export async function readyRun(
  kit: HarnessKit,
  parts: StartParts,
  opening: RunOpening,
): Promise<ReadyRun> {
  const { session, options } = kit;
  await session.refresh();
  // A run needs a branch that it can hold. A detached handle starts one where it stands.
  if (session.detached) await session.moveLeaf(session.leaf);
  await modelHere(kit, parts.control.signal);
  const lock = await session.store.lockRun(session.branch);
  return orRelease(lock, async () => {
    await kit.queues.refresh();
    const cutOff = await unanswered(kit);
    const run = new Run({ kit, ...parts, runId: newEntryId(options.random), lock, cutOff });
    return { run, opening };
  });
}

/**
 * Makes the run ready that was cut off on the session's branch; null where none was. The lock says that
 * nobody is at it any more. Throws as {@link readyRun}.
 */
export async function interruptedRun(kit: HarnessKit, parts: StartParts): Promise<ReadyRun | null> {
  const { session } = kit;
  await session.refresh();
  if (session.detached) return null;
  const lock = await session.store.lockRun(session.branch);
  const ready = await orRelease(lock, async () => {
    await kit.queues.refresh();
    const open = (await readRunState(session.store)).openOn(session.branch);
    if (open === null) return null;
    await modelHere(kit, parts.control.signal);
    const tail = await readTail(session.store, open);
    const results = resultsOf(tail);
    const opening = { kind: "resume", plan: planResume(open, tail), results } as const;
    return { run: new Run({ kit, ...parts, runId: open.run, lock }), opening };
  });
  if (ready === null) await lock.release();
  return ready;
}

/** Entries of the path that are looked at for the last row of a run, before the journal itself is asked. */
const NEAR = 1000;

/** False where the last run of this path surely has an end, as nearly always: then nothing more is read. */
async function mayBeCutOff({ session }: HarnessKit): Promise<boolean> {
  const { tree, store, leaf } = session;
  let left = NEAR;
  for (const at of tree.ancestors(leaf)) {
    if (left-- === 0) return tree.customOrdinals([RUN_TYPE], 0, tree.size).length > 0;
    if (at.customType !== RUN_TYPE) continue;
    const row = runRow(await store.mustGet(at.id), store.id);
    if (row !== null) return row.event !== "end";
  }
  return false;
}

/**
 * Who speaks where a run was cut off, instead of resuming it, ends it: its calls get what they had come to,
 * so that none is left without a result. Nothing is made again. The start of the next run closes the journal of
 * this one.
 */
async function unanswered(kit: HarnessKit): Promise<readonly ToolResultMessage[]> {
  const { session, options } = kit;
  if (!(await mayBeCutOff(kit))) return [];
  const open = (await readRunState(session.store)).openOn(session.branch);
  if (open === null) return [];
  const plan = planResume(open, await readTail(session.store, open));
  if (plan.action !== "calls") return [];
  return plan.calls.flatMap(({ callId: id, name, step }) => {
    if (step.kind === "answered") return [];
    const isBegun = step.kind !== "begin";
    const output = "output" in step ? step.output : isBegun ? interruptedOutput() : notBegun();
    return [resultMessage({ id, name }, output, options.clock.now())];
  });
}

function notBegun(): ToolOutput {
  return errorOutput(NOT_BEGUN_TEXT);
}

async function orRelease<T>(lock: RunLock, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The results that stand on the path behind the last answer. */
function resultsOf(tail: readonly Entry[]): readonly ToolResultMessage[] {
  return tail.flatMap((entry) => {
    const isMessage = isEntry(entry, "message");
    return isMessage && isResult(entry.message) ? [entry.message] : [];
  });
}

function isResult(message: { readonly role: string }): message is ToolResultMessage {
  return message.role === "toolResult";
}
