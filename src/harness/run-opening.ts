import type { EntryDraft } from "../entry/entry.ts";
import { newEntryId } from "../entry/ids.ts";
import type { Content, Message, ToolResultMessage } from "../entry/message.ts";
import { deliver, waitingFor, writePrompt } from "./delivery.ts";
import { foldHere } from "./harness-kit.ts";
import type { QueuedMessage } from "./queue.ts";
import type { ResumePlan } from "./resume-plan.ts";
import type { RunScope, StoredMessage } from "./run-scope.ts";

/** How a run begins. */
export type RunOpening =
  | { readonly kind: "prompt"; readonly content: Content }
  /** With messages that wait. */
  | { readonly kind: "queued"; readonly queued: readonly QueuedMessage[] }
  /** Without a new message, from what stands on the path. */
  | { readonly kind: "path" }
  /** After a crash; `results` are those that the message of the plan has already. */
  | {
      readonly kind: "resume";
      readonly plan: ResumePlan;
      readonly results: readonly ToolResultMessage[];
    };

/**
 * Writes the beginning of a run: the row that starts it stands in the commit of its first message. Gives
 * the messages that are on the path now, in order; for `queued` none where somebody else took them.
 */
export async function openRun(
  scope: RunScope,
  opening: RunOpening,
): Promise<readonly StoredMessage[]> {
  if (opening.kind === "resume") return [];
  const { kit, journal, log } = scope;
  const { stored: results, drafts } = cutOffResults(scope);
  const before = [...drafts, journal.start(), ...instructions(scope)];
  if (opening.kind === "queued") {
    const delivered = await deliver(scope, opening.queued, before);
    return delivered.length === 0 ? [] : [...results, ...delivered];
  }
  if (opening.kind === "path") {
    await log.append(before);
    return results;
  }
  const isWaiting = kit.options.nextTurnMode === "wait";
  const waiting = isWaiting ? waitingFor(scope, "nextTurn") : [];
  const first = await deliver(scope, waiting, before);
  const prompt = await writePrompt(scope, opening.content, first.length > 0 ? [] : before);
  return [...results, ...first, prompt];
}

/** Their ids are known beforehand, whichever commit they go into. */
function cutOffResults({ kit, cutOff }: RunScope): {
  readonly stored: readonly StoredMessage[];
  readonly drafts: readonly EntryDraft[];
} {
  const stored = cutOff.map((message) => {
    return { message, entryId: newEntryId(kit.options.random) };
  });
  const drafts = stored.map(({ message, entryId: id }): EntryDraft => {
    return { type: "message", id, message };
  });
  return { stored, drafts };
}

/** The system prompt, where the path is still empty (P8, F069). */
function instructions({ kit }: RunScope): readonly EntryDraft[] {
  const { system, messages } = foldHere(kit.session);
  const { systemPrompt, clock } = kit.options;
  if (systemPrompt === undefined || system !== null || messages > 0) return [];
  const message: Message = { role: "system", content: systemPrompt, timestamp: clock.now() };
  return [{ type: "message", message }];
}
