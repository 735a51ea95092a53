import type { Entry, EntryDraft } from "../../entry/entry.ts";
import type { RandomBytes } from "../../entry/ids.ts";
import { createMemoryStore } from "../../store/memory/memory-store.ts";
import type { SessionStore } from "../../store/store.ts";
import { Session } from "../session.ts";

/** Time of everything in these tests, in ms. */
export const NOW = 1_700_000_000_000;

/** A store in memory and one handle on a new session; its ids are the same in every run. */
export interface Fixture {
  readonly store: SessionStore;
  readonly session: Session;
  /** Another handle on the same session. */
  again(options?: { readonly at?: string | null }): Promise<Session>;
}

/** Repeatable bytes, well spread, so that ids differ from their first characters on. */
function countedBytes(): RandomBytes {
  let count = 0;
  const next = (): number => {
    count++;
    const mixed = Math.imul(count ^ (count >>> 15), 0x9e3779b1);
    return Math.imul(mixed ^ (mixed >>> 13), 0x85ebca6b) >>> 24;
  };
  return { bytes: (length) => Uint8Array.from({ length }, next) };
}

/** An empty session in a new store in memory; with `entries`, one that starts with them. */
export async function newFixture(entries: readonly Entry[] = []): Promise<Fixture> {
  const random = countedBytes();
  const clock = { now: () => NOW };
  const store = createMemoryStore({ clock, random });
  const id = "s1";
  const opened = await store.create({ id, cwd: "/project", entries });
  const session = await Session.attach(opened, { clock, random });
  const again: Fixture["again"] = async (where = {}) =>
    Session.attach(await store.open(id), { clock, random, ...where });
  return { store, session, again };
}

/** A user message. */
export function user(text: string): EntryDraft {
  return { type: "message", message: { role: "user", content: text, timestamp: NOW } };
}

/** An answer of the model. */
export function assistant(text: string): EntryDraft {
  const content = [{ type: "text" as const, text }];
  return {
    type: "message",
    message: { role: "assistant", content, provider: "p", model: "m", timestamp: NOW },
  };
}

/** An answer that calls tools. */
export function calling(...calls: readonly string[]): EntryDraft {
  const content = calls.map((id) => ({ type: "toolCall" as const, id, name: "t", arguments: {} }));
  return {
    type: "message",
    message: { role: "assistant", content, provider: "p", model: "m", timestamp: NOW },
  };
}

/** The answer of a tool. */
export function result(toolCallId: string, text = "done"): EntryDraft {
  const content = [{ type: "text" as const, text }];
  return {
    type: "message",
    message: { role: "toolResult", toolCallId, toolName: "t", content, isError: false },
  };
}

/** A compaction that keeps from an entry on. */
export function compaction(firstKeptEntryId: string, summary = "so far"): EntryDraft {
  return { type: "compaction", summary, firstKeptEntryId, tokensBefore: 10 };
}

/** A complete entry, as another program would have written it. */
export function raw(id: string, parentId: string | null, draft: EntryDraft): Entry {
  const timestamp = new Date(NOW).toISOString();
  return { ...draft, id, parentId, timestamp } as Entry;
}

/** Appends one draft and gives its id. */
export async function add(session: Session, draft: EntryDraft): Promise<string> {
  const [entry] = await session.append(draft);
  return entry?.id ?? "";
}

/** A conversation of `turns` user messages with answers; gives the ids in order. */
export async function talk(session: Session, turns: number, name = ""): Promise<string[]> {
  const ids: string[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    ids.push(await add(session, user(`${name}u${turn}`)));
    ids.push(await add(session, assistant(`${name}a${turn}`)));
  }
  return ids;
}

/** What the model reads, one text for each message. */
export async function texts(session: Session, at?: string | null): Promise<string[]> {
  const { messages } = await session.context(at === undefined ? {} : { at });
  return messages.map((message) => {
    if ("summary" in message) return `[${String(message.summary)}]`;
    const content: unknown = "content" in message ? message.content : "";
    if (typeof content === "string") return content;
    return (content as { text?: string }[]).map((block) => block.text ?? "").join("");
  });
}
