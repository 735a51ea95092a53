import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import type { AssistantMessage, ToolCallBlock } from "../entry/message.ts";
import type { StoreSession } from "../store/store.ts";
import type { JournaledCall } from "./run-rows.ts";
import type { CallRecord, OpenRun } from "./run-state.ts";
import type { ToolOutput } from "./tool.ts";

/** What is done about one call of the message that the run died at. */
export type ResumeStep =
  /** Its tool result message stands on the path. */
  | { readonly kind: "answered" }
  /** It has ended: append the message with this output. */
  | { readonly kind: "finished"; readonly output: ToolOutput }
  /** It was begun and may be made again, with the arguments of the journal and without asking again. */
  | { readonly kind: "rerun"; readonly call: JournaledCall }
  /** It was begun, may have taken effect and is not made again: append the message with this output. */
  | { readonly kind: "interrupted"; readonly output: ToolOutput }
  /** It was never begun: take it through permission and execution like any other. */
  | { readonly kind: "begin" };

/** One call, in the order of the message. */
export interface ResumeCall {
  readonly index: number;
  readonly callId: string;
  readonly name: string;
  /** As the model gave them; those of a rewritten call stand in the step. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly step: ResumeStep;
}

/**
 * Where a run that died goes on:
 * - "request": ask the model next;
 * - "calls": answer the calls of `message` first, in order, then as after any tool batch;
 * - "stop": the last answer is there and asks for nothing more: go on where the run would stop (follow-ups, end);
 * - "limit": the guard against endless turns had spoken: only the end of the run is missing.
 */
export type ResumePlan =
  | { readonly action: "request" }
  | { readonly action: "limit" }
  | {
      readonly action: "calls";
      readonly entryId: string;
      readonly message: AssistantMessage;
      readonly calls: readonly ResumeCall[];
      /** True where every call that has ended so far asked for the end of the run after the batch. */
      readonly terminate: boolean;
    }
  | { readonly action: "stop"; readonly entryId: string; readonly message: AssistantMessage };

/** Custom type of the message that says that the guard stopped a run. */
export const TURN_LIMIT_TYPE = "turn-limit";

/** Text of a result that was made because the process died while the tool ran. */
export const INTERRUPTED_TEXT =
  "The process ended while this tool was running. It may or may not have taken effect, and it was not run again.";

/** Text of the result of a call that was not begun when the process ended, and is not wanted any more. */
export const NOT_BEGUN_TEXT = "The process ended before this call was made. It was not made.";

/** What answers a call that was begun and must not be made again. */
export function interruptedOutput(): ToolOutput {
  return {
    content: [{ type: "text", text: INTERRUPTED_TEXT }],
    details: { branchline: { interrupted: true } },
    isError: true,
  };
}

/**
 * Decides how a run goes on after its process died (F096). `tail` is the end of the path of its branch,
 * oldest first, from its newest assistant message that is in force on (or from its start row, where it
 * has none): {@link readTail} reads it. Pure. What has ended is kept, safe calls are made again, others
 * that were begun are answered with an interrupted result, and nothing is answered twice.
 */
export function planResume(run: OpenRun, tail: readonly Entry[]): ResumePlan {
  const at = tail.findLastIndex((entry) => isAnswer(entry));
  const entry = tail[at];
  if (entry === undefined || !isAnswer(entry)) return { action: "request" };
  const after = tail.slice(at + 1);
  if (isLimit(after.findLast(isInput))) return { action: "limit" };
  // Hidden by a retry, or a person has spoken since: the model is asked next either way.
  if (isHidden(entry.id, after) || after.some(isInput)) return { action: "request" };
  const { id: entryId, message } = entry;
  const calls = callsOf(message);
  if (calls.length === 0 || isBroken(message)) return { action: "stop", entryId, message };
  const records = run.calls.get(entryId);
  const answered = answeredCalls(after);
  const steps = calls.map((block, index): ResumeCall => {
    const { id: callId, name, arguments: args } = block;
    const record = records?.get(index);
    const isThere = take(answered, callId);
    return { index, callId, name, arguments: args, step: isThere ? ANSWERED : stepOf(record) };
  });
  const ended = calls.map((_, index) => records?.get(index)).filter((record) => record?.ended);
  const terminate = ended.length > 0 && ended.every((record) => record?.terminate);
  return { action: "calls", entryId, message, calls: steps, terminate };
}

const ANSWERED: ResumeStep = { kind: "answered" };

function stepOf(record: CallRecord | undefined): ResumeStep {
  if (record === undefined) return { kind: "begin" };
  const { call, output } = record;
  if (output !== null) return { kind: "finished", output };
  return call?.replay === "safe"
    ? { kind: "rerun", call }
    : { kind: "interrupted", output: interruptedOutput() };
}

type Answer = Entry & { readonly message: AssistantMessage };

function isAnswer(entry: Entry): entry is Answer {
  return isEntry(entry, "message") && entry.message.role === "assistant";
}

/** What a person or extension says to the model. */
function isInput(entry: Entry): boolean {
  if (entry.type === "custom_message") return true;
  return isEntry(entry, "message") && entry.message.role === "user";
}

function isLimit(entry: Entry | undefined): boolean {
  return entry?.type === "custom_message" && entry.customType === TURN_LIMIT_TYPE;
}

function isHidden(id: string, after: readonly Entry[]): boolean {
  return after.some(
    (entry) =>
      isEntry(entry, "context_edit") && entry.targetId === id && entry.replacement === null,
  );
}

/** A message that failed or was aborted has no calls that anybody would execute. */
function isBroken({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}

function callsOf(message: AssistantMessage): readonly ToolCallBlock[] {
  const content: unknown = message.content;
  return Array.isArray(content) ? content.filter(isCall) : [];
}

function isCall(block: unknown): block is ToolCallBlock {
  if (!isObject(block) || block.type !== "toolCall") return false;
  return typeof block.id === "string" && typeof block.name === "string";
}

/** How many results each call id has: ids may be there twice. */
function answeredCalls(after: readonly Entry[]): Map<string, number> {
  const answered = new Map<string, number>();
  for (const entry of after) {
    if (!isEntry(entry, "message") || entry.message.role !== "toolResult") continue;
    const { toolCallId } = entry.message;
    if (typeof toolCallId === "string")
      answered.set(toolCallId, (answered.get(toolCallId) ?? 0) + 1);
  }
  return answered;
}

/** Results come in the order of the calls, so the first call of an id is the answered one. */
function take(answered: Map<string, number>, callId: string): boolean {
  const count = answered.get(callId) ?? 0;
  if (count === 0) return false;
  answered.set(callId, count - 1);
  return true;
}

/**
 * The end of the path of a run's branch that {@link planResume} needs, oldest first. Reads back to the
 * newest assistant message, or to the run's start.
 */
export async function readTail(store: StoreSession, run: OpenRun): Promise<readonly Entry[]> {
  const tail: Entry[] = [];
  for await (const entry of store.path(store.tree.head(run.branch))) {
    if (entry.id === run.start) break;
    tail.push(entry);
    if (isAnswer(entry)) break;
  }
  return tail.reverse();
}
