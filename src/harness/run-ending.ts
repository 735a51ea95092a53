import { configDrafts } from "./config-buffer.ts";
import { RUN_QUEUES, waitingFor } from "./delivery.ts";
import type { RunOutcome } from "./events.ts";
import { settingsHere } from "./harness-kit.ts";
import type { QueuedMessage } from "./queue.ts";
import type { RunResult } from "./run-result.ts";
import type { RunScope } from "./run-scope.ts";
import type { RunTools } from "./run-tools.ts";
import { errorText } from "./tool-output.ts";

/** Writes what the run changed of its own configuration, in one commit (P2). */
export async function flushConfig({ kit, log }: RunScope): Promise<void> {
  const changes = kit.config.take();
  const drafts = configDrafts(changes, settingsHere(kit.session));
  if (drafts.length === 0) return;
  try {
    await log.append(drafts);
  } catch (error) {
    kit.config.putBack(changes);
    throw error;
  }
}

/** How a run came to its end. */
export interface Ending {
  readonly reached: RunOutcome;
  readonly tools: RunTools;
  /** What the provider said, where it failed. */
  readonly providerError: string | null;
}

/**
 * Ends a run, whatever came before: what nobody will deliver goes back, the journal says that it is over,
 * `agent_end` is told, nothing stays buffered (P3), the lock is free. Never rejects: the first failure
 * makes the outcome "error".
 */
export async function endRun(scope: RunScope, ending: Ending): Promise<RunResult> {
  const { kit, control, log, journal, plans, messages } = scope;
  const { reached, tools, providerError } = ending;
  const { run: runId } = journal.identity;
  const returned: QueuedMessage[] = [];
  const outcome = (): RunOutcome => (control.failure === null ? reached : "error");
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      control.fail(error);
    }
  };
  await attempt(async () => {
    const isOwnEnd = outcome() === "done" || outcome() === "stopped";
    if (!isOwnEnd) returned.push(...(await takeBack(scope)));
    await flushConfig(scope);
    const files = await tools.filesAfter();
    const spent = await plans.spent(kit.session.leaf);
    await log.append([...files, journal.end(outcome(), spent)]);
  });
  await control.tell({ type: "agent_end", runId, messages, outcome: outcome() });
  // What listeners have changed just now.
  await attempt(() => flushConfig(scope));
  await attempt(() => log.release());
  const { branch, leaf } = kit.session;
  const cause = control.failure?.cause ?? null;
  const error = cause === null ? providerError : errorText(cause);
  return {
    ...{ runId, branch, outcome: outcome(), messages, leaf, cause, returned },
    error: outcome() === "error" ? error : null,
  };
}

/** Nobody will deliver them: whoever gave them gets them back (harness.md §3). */
async function takeBack(scope: RunScope): Promise<readonly QueuedMessage[]> {
  const { kit } = scope;
  await kit.accepted();
  await kit.queues.refresh();
  const waiting = RUN_QUEUES.flatMap((queue) => waitingFor(scope, queue));
  if (waiting.length === 0) return [];
  const returned = await kit.queues.giveBack(waiting.map(({ id }) => id));
  await kit.tellQueues();
  return returned;
}
