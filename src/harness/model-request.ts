import { contextSize, needsCompaction } from "../compaction/context-size.ts";
import { jsonBytes } from "../compaction/message-bytes.ts";
import { settingsFor } from "../compaction/settings.ts";
import type { EntryDraft } from "../entry/entry.ts";
import { newEntryId } from "../entry/ids.ts";
import type { AssistantMessage, Message, SystemMessage } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import { ABORTED as SIGNALLED } from "../model/abort-wait.ts";
import { type FailureKind, failureKind } from "../model/failure.ts";
import type { ModelContext, ModelInfo, ToolSpec } from "../model/model.ts";
import { estimateTokens } from "../projection/token-estimate.ts";
import type { SessionContext } from "../session/session-context.ts";
import { endedMessage, streamAnswer } from "./answer-stream.ts";
import { withGrace } from "./grace.ts";
import { type HarnessKit, modelHere, toolsHere } from "./harness-kit.ts";
import { agreedMessages } from "./instructions.ts";
import { isAnswer, type RunScope, storedMessage } from "./run-scope.ts";

/** An answer that is durable. */
export interface StoredAnswer {
  readonly message: AssistantMessage;
  readonly entryId: string;
  /** What is to be done about it. */
  readonly failure: FailureKind;
}

/** What a request will be made of. */
export interface ReadyRequest {
  readonly model: ModelInfo;
  readonly context: SessionContext;
  /** The messages of the context without instructions that nobody agreed to. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Instructions that these messages do not hold; null = they hold some, or there are none. */
  readonly system: SystemMessage | null;
}

/** Everything of the next request, as the path is now. Throws MODEL_UNKNOWN, ABORTED. */
export async function readyRequest({
  kit,
  control,
}: Pick<RunScope, "kit" | "control">): Promise<ReadyRequest> {
  const model = await modelHere(kit, control.signal);
  const context = await kit.session.context();
  const tools = toolsHere(kit).map(({ name, description, parameters }) => {
    return { name, description, parameters };
  });
  const messages = await agreedMessages(context.messages, kit.options);
  return { model, context, messages, tools, system: missingSystem(kit, messages) };
}

/** What the request sends besides the messages of the path: it takes room that no compaction makes. */
export function besidesOf({ tools, system }: ReadyRequest): {
  readonly tokens: number;
  readonly bytes: number;
} {
  const messages = [{ role: "user", content: JSON.stringify(tools) }, ...(system ? [system] : [])];
  return {
    tokens: messages.reduce((sum, message) => sum + estimateTokens(message), 0),
    bytes: messages.reduce((sum, message) => sum + jsonBytes(message), 0),
  };
}

/** The tokens that the request will have, by the usage of earlier ones; which budget asks for a compaction. */
export function dueCompaction(kit: HarnessKit, ready: ReadyRequest): "no" | "tokens" | "bytes" {
  const { model, context } = ready;
  const ref = { provider: model.provider, modelId: model.modelId };
  const settings = settingsFor(kit.options.compaction, ref);
  if (!settings.enabled) return "no";
  const { tree } = kit.session;
  const size = contextSize(context, { tree, model: ref, besides: besidesOf(ready) });
  return needsCompaction(size, model.contextWindow, settings);
}

/**
 * Asks the model and stores what it answers. A failed attempt stays in the log and, by an edit in the
 * same commit, out of the context: no crash shows it to the model (harness.md §6).
 */
export async function askModel(scope: RunScope, ready: ReadyRequest): Promise<StoredAnswer> {
  const { kit, control } = scope;
  const { model } = ready;
  const { models, clock, abortGraceMs } = kit.options;
  const { signal } = control;
  const grace = { signal, clock, graceMs: abortGraceMs };
  const sent = await withGrace(sentContext(kit, ready), grace);
  // A hook that does not end was left behind after an abort: then nothing is sent.
  const context = sent === SIGNALLED ? NOTHING : sent;
  const { thinkingLevel } = ready.context;
  let isStarted = false;
  const final = await streamAnswer(
    { ...grace, ...{ models, model, context, thinkingLevel }, sessionId: kit.session.id },
    async (event) => {
      const message = event.partial;
      if (!isStarted) await control.tell({ type: "message_start", message });
      isStarted = true;
      if (event.type !== "start") await control.tell({ type: "message_update", message, event });
    },
  );
  if (!isStarted) await control.tell({ type: "message_start", message: { ...final, content: [] } });
  try {
    return await storeAnswer(scope, final, failureKind(final, model));
  } catch (error) {
    if (!BranchlineError.is(error, "ENTRY_TOO_LARGE")) throw error;
    const errorMessage = `The answer is too large: ${error.message}`;
    const instead = endedMessage({ model, clock }, null, { stopReason: "error", errorMessage });
    return await storeAnswer(scope, instead, "fatal");
  }
}

const NOTHING: ModelContext = { messages: [], tools: [] };

async function storeAnswer(
  { kit, control, log, journal, messages }: RunScope,
  final: AssistantMessage,
  failure: FailureKind,
): Promise<StoredAnswer> {
  const id = newEntryId(kit.options.random);
  const isOmitted = failure !== "none" && failure !== "aborted";
  // The mark keeps it out of what people undo.
  const data = { run: journal.identity.run };
  const omission: EntryDraft = { type: "context_edit", targetId: id, replacement: null, data };
  const answer: EntryDraft = { type: "message", id, message: final };
  const [entry] = await log.append(isOmitted ? [answer, omission] : [answer]);
  const stored = storedMessage(entry, final).message;
  const message = isAnswer(stored) ? stored : final;
  messages.push(message);
  await control.tell({ type: "message_end", message, entryId: id });
  return { message, entryId: id, failure };
}

/** What is really sent: the hook sees and changes the messages only, never what is stored. */
async function sentContext(kit: HarnessKit, ready: ReadyRequest): Promise<ModelContext> {
  const { tools, system } = ready;
  const { context: hook } = kit.options;
  const messages = hook === undefined ? ready.messages : await hook(ready.messages);
  return { messages: system === null ? messages : [system, ...messages], tools };
}

function missingSystem(kit: HarnessKit, messages: readonly Message[]): SystemMessage | null {
  const { systemPrompt } = kit.options;
  if (systemPrompt === undefined || messages.some(({ role }) => role === "system")) return null;
  return { role: "system", content: systemPrompt };
}
