import { BranchlineError } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import type { DurableQueues } from "../durable-queues.ts";

/** Delivers a waiting message as a run does; false where somebody else has decided about it. */
export async function deliverQueued(
  session: Session,
  queues: DurableQueues,
  id: string,
): Promise<boolean> {
  const queued = queues.list().find((one) => one.id === id);
  const outcome = queues.outcomeOf(id, "run");
  if (queued === undefined || outcome === null) return false;
  const message = { role: "user" as const, content: queued.content };
  try {
    await session.append([{ type: "message", message }, outcome.row], { key: outcome.key });
    return true;
  } catch (error) {
    if (BranchlineError.is(error, "KEY_REUSED")) return false;
    throw error;
  } finally {
    await queues.refresh();
  }
}
