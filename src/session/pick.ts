import type { Entry, EntryDraft, MessageEntry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { newEntryId } from "../entry/ids.ts";
import type { Message, Usage } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { platformRandom } from "./platform.ts";
import type { Session } from "./session.ts";
import type { AppendOptions } from "./session-handle.ts";

/** One copy that {@link pickEntries} appended. */
export interface PickedEntry {
  /** The new entry at the leaf. */
  readonly entry: Entry;
  /** Id of the entry that it is a copy of. */
  readonly from: string;
}

/** What was used was paid where the answer was made, and says nothing about the size of a context here. */
const NO_USAGE: Usage = Object.freeze({
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }),
});

function callIds(message: Message): ReadonlySet<string> {
  const ids = new Set<string>();
  const content: unknown = message.role === "assistant" ? message.content : [];
  for (const block of Array.isArray(content) ? content : []) {
    const id = callIdOf(block);
    if (id !== null) ids.add(id);
  }
  return ids;
}

function callIdOf(block: unknown): string | null {
  const isCall = isObject(block) && block.type === "toolCall";
  return isCall && typeof block.id === "string" ? block.id : null;
}

/** The call that a tool result answers; null for everything else. */
function answeredCall(entry: Entry | undefined): string | null {
  if (entry === undefined || !isEntry(entry, "message")) return null;
  const { message } = entry;
  const call: unknown = message.role === "toolResult" ? message.toolCallId : null;
  return typeof call === "string" ? call : null;
}

/** What may stand between an answer and the results of its calls. */
function isBetween({ type, role }: TreeEntry): boolean {
  return type === "message" ? role === "toolResult" : type !== "compaction";
}

/** The answer whose calls a result belongs to, or null where it is gone. */
async function callerOf(session: Session, result: TreeEntry, call: string): Promise<Entry | null> {
  for (const at of session.tree.ancestors(result.parent?.id ?? null)) {
    if (isBetween(at)) continue;
    const entry = await session.store.mustGet(at.id);
    const isCaller = isEntry(entry, "message") && callIds(entry.message).has(call);
    return isCaller ? entry : null;
  }
  return null;
}

/** An answer with calls, and the result of one of them that was picked, if any. */
interface Answered {
  readonly caller: Entry;
  readonly calls: ReadonlySet<string>;
  readonly chosen: Entry | null;
}

/** The results of an answer's calls, `chosen` before the same call's result on another branch. */
async function resultsOf(
  session: Session,
  { caller, calls, chosen }: Answered,
): Promise<readonly Entry[]> {
  const results = new Map<string, Entry>();
  const known = answeredCall(chosen ?? undefined);
  const waiting: TreeEntry[] = [...session.tree.children(caller.id)].reverse();
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (!isBetween(at)) continue;
    for (const child of session.tree.children(at.id).toReversed()) waiting.push(child);
    if (at.role !== "toolResult") continue;
    const entry = await session.store.mustGet(at.id);
    const call = answeredCall(entry);
    const isOther = call === known && entry.id !== chosen?.id;
    if (call !== null && calls.has(call) && !results.has(call) && !isOther)
      results.set(call, entry);
  }
  return [...results.values()];
}

/** The entry, with what must not be torn from it: an answer's calls and their results stay together. */
async function unitOf(session: Session, id: string): Promise<readonly Entry[]> {
  const entry = await session.store.mustGet(id);
  const call = answeredCall(entry);
  if (call === null) {
    const calls = isEntry(entry, "message") ? callIds(entry.message) : new Set<string>();
    if (calls.size === 0) return [entry];
    return [entry, ...(await resultsOf(session, { caller: entry, calls, chosen: null }))];
  }
  const at = session.tree.get(id);
  const caller = at === undefined ? null : await callerOf(session, at, call);
  if (caller === null || !isEntry(caller, "message")) throw unpickable(id, "its call is gone");
  const calls = callIds(caller.message);
  return [caller, ...(await resultsOf(session, { caller, calls, chosen: entry }))];
}

/** New names for calls that the context holds already: providers take each name once in a request. */
class CallNames {
  readonly #taken: Set<string>;
  readonly #names = new Map<string, string>();

  constructor(messages: readonly Message[]) {
    this.#taken = new Set(messages.flatMap((message) => [...callIds(message)]));
  }

  /** The name of a call in an answer that is copied now. */
  called(id: string): string {
    const name = this.#taken.has(id) ? `pick-${newEntryId(platformRandom)}` : id;
    this.#taken.add(name);
    this.#names.set(id, name);
    return name;
  }

  /** The name of the call that a result answers. */
  answered(id: string): string {
    return this.#names.get(id) ?? id;
  }
}

function copyOfMessage(entry: MessageEntry, names: CallNames): Message {
  const { message } = entry;
  if (message.role === "system") throw unpickable(entry.id, "instructions hold for their path");
  const call = answeredCall(entry);
  if (call !== null) return { ...message, toolCallId: names.answered(call) };
  const blocks: unknown = message.role === "assistant" ? message.content : null;
  if (!Array.isArray(blocks)) return message;
  const content = blocks.map((block: unknown) => {
    const id = callIdOf(block);
    return id === null ? block : { ...Object(block), id: names.called(id) };
  });
  return { ...message, content, ...("usage" in message ? { usage: NO_USAGE } : {}) };
}

function copyOf(entry: Entry, names: CallNames): EntryDraft {
  if (isEntry(entry, "message")) return { type: "message", message: copyOfMessage(entry, names) };
  if (isEntry(entry, "custom_message")) {
    const { customType, content, display } = entry;
    return { type: "custom_message", customType, content, display };
  }
  if (isEntry(entry, "branch_summary")) {
    const { fromId, summary } = entry;
    return { type: "branch_summary", fromId, summary };
  }
  throw unpickable(entry.id, "no message");
}

function unpickable(target: string, reason: string): BranchlineError<"TARGET_INVALID"> {
  return new BranchlineError(
    "TARGET_INVALID",
    { target, reason },
    {
      message: `${target} cannot be picked: ${reason}.`,
      hint: "Messages, notes of extensions and summaries of branches can.",
    },
  );
}

/**
 * Appends copies of chosen messages of any branch under the leaf, in the order given, as one atomic
 * group; nothing is rewritten. An answer brings the results of its calls along and a result its call, so
 * that no unit is torn (P7); what is named twice is copied once. Copies of answers carry no usage, and
 * calls that the context holds already get new names. Throws
 * ENTRY_UNKNOWN, TARGET_INVALID for what is no message, and what an append throws.
 */
export async function pickEntries(
  session: Session,
  ids: readonly string[],
  options?: AppendOptions,
): Promise<readonly PickedEntry[]> {
  await session.refresh();
  const names = new CallNames((await session.context()).messages);
  const originals = new Map<string, EntryDraft>();
  for (const id of ids) {
    if (originals.has(id)) continue;
    for (const entry of await unitOf(session, id)) {
      originals.set(entry.id, copyOf(entry, names));
    }
  }
  const entries = await session.append([...originals.values()], options);
  const from = [...originals.keys()];
  return entries.map((entry, at) => ({ entry, from: from[at] ?? "" }));
}
