import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import type { AssistantMessage, Message, ToolResultMessage } from "../entry/message.ts";
import type { HarnessKit } from "./harness-kit.ts";
import type { PlanReader } from "./plan-state.ts";
import type { RunControl } from "./run-control.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunLog } from "./run-log.ts";

/** What the parts of one run share. */
export interface RunScope {
  readonly kit: HarnessKit;
  readonly control: RunControl;
  readonly log: RunLog;
  readonly journal: RunJournal;
  readonly plans: PlanReader;
  /** Results for calls that a run before it left unanswered; they go into its first commit. */
  readonly cutOff: readonly ToolResultMessage[];
  /** What the run has added to the conversation. */
  readonly messages: Message[];
}

/** A message of the path and its entry. */
export interface StoredMessage {
  readonly message: Message;
  readonly entryId: string;
}

/** The message of an entry that was just written, as a reader reads it. */
export function storedMessage(entry: Entry | undefined, given: Message): StoredMessage {
  const isMessage = entry !== undefined && isEntry(entry, "message");
  return { message: isMessage ? entry.message : given, entryId: entry?.id ?? "" };
}

/** True for an answer of a model. */
export function isAnswer(message: Message): message is AssistantMessage {
  return message.role === "assistant";
}
