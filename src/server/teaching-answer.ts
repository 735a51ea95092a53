import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { contentWords } from "../session/entry-preview.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { kindOf } from "../view/entry-kind.ts";
import { CUT_LENGTH } from "../view/entry-view.ts";
import { EntryReader } from "./entry-reader.ts";
import type { SessionHost } from "./session-host.ts";
import type { SessionRun } from "./session-run.ts";
import { teachingEvent } from "./teaching-event.ts";

type Members = Readonly<Record<string, unknown>>;

/** A session as the teaching agent's clients know it: whole where it is small, else its newest part. */
export interface TeachingAnswer {
  readonly sessionId: string;
  readonly leafId: string | null;
  readonly messages: readonly unknown[];
  readonly events: readonly unknown[];
  readonly tools: readonly unknown[];
  readonly entries: readonly unknown[];
  /** True: older messages, events or entries are left out, or long texts are cut. */
  readonly truncated?: true;
}

/** Bytes of each list in an answer to a question. */
export const ANSWER_BYTES: number = 4 * 1024 * 1024;
/** The same in an event: all of it has to fit into what may wait for one stream (S18). */
export const EVENT_BYTES: number = 192 * 1024;
/** Newest entries and events that are told. */
const MOST_ENTRIES = 1000;
const MOST_EVENTS = 200;
/** What is larger than this has its texts cut before it counts, as a share of the bytes of its list. */
const LARGE_SHARE = 0.25;
/** Entries without a message that are stepped over for a parent with one. */
const STEPPED_OVER = 1000;
/** Kinds of entries that these clients know. */
const KNOWN_KINDS: ReadonlySet<string> = new Set("uatc");

/** The session of a run in the form of the teaching agent's `/api/session`; `bytes` = of each of its lists. */
export async function teachingAnswer(
  { host, tools }: SessionRun,
  bytes: number,
): Promise<TeachingAnswer> {
  const { session, hub } = host;
  const context = await session.context();
  const messages = newestOf(context.messages.flatMap(teachingMessage), bytes);
  const events = newestOf(hub.kept(session.id).slice(-MOST_EVENTS).map(teachingEvent), bytes);
  const entries = await entriesOf(host, bytes);
  const isWhole = messages.isWhole && entries.isWhole;
  return {
    sessionId: session.id,
    leafId: knownAt(session.leaf === null ? null : (session.tree.get(session.leaf) ?? null)),
    messages: messages.items,
    events: events.items,
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    entries: [headerOf(host), ...entries.items],
    ...(!isWhole && { truncated: true as const }),
  };
}

function headerOf({ store }: SessionHost): Members {
  const { id, timestamp, cwd, version } = store.header;
  return { type: "session", version, id, timestamp, cwd };
}

/** A message with its content as blocks that have a text or are calls; none for what these clients cannot show. */
function teachingMessage(message: unknown): readonly Members[] {
  if (!isObject(message)) return [];
  switch (message.role) {
    case "user":
    case "toolResult":
    case "assistant":
      return [{ ...message, content: blocksOf(message.content) }];
    case "system":
      return [];
    default: {
      const { summary, command, output, content, timestamp } = message;
      const said = typeof command === "string" ? `$ ${command}\n${String(output ?? "")}` : content;
      const text = typeof summary === "string" ? summary : contentWords(said);
      return [{ role: "user", content: [{ type: "text", text }], timestamp }];
    }
  }
}

function blocksOf(content: unknown): readonly unknown[] {
  if (!Array.isArray(content)) return [{ type: "text", text: contentWords(content) }];
  return content.flatMap((block: unknown) => {
    if (!isObject(block) || block.type === "thinking") return [];
    const isKnown = block.type === "text" || block.type === "toolCall";
    return [isKnown ? block : { type: "text", text: contentWords([block]) }];
  });
}

interface Part {
  readonly items: readonly unknown[];
  readonly isWhole: boolean;
}

/** The newest items that fit; a large one with its texts cut. */
function newestOf(items: readonly unknown[], bytes: number): Part {
  const kept: unknown[] = [];
  let isWhole = true;
  let left = bytes;
  for (const item of items.toReversed()) {
    let shown = item;
    let size = JSON.stringify(item).length;
    if (size > bytes * LARGE_SHARE) {
      shown = withCutTexts(item);
      size = JSON.stringify(shown).length;
      isWhole = false;
    }
    if (size > left) {
      isWhole = false;
      break;
    }
    left -= size;
    kept.push(shown);
  }
  return { items: kept.reverse(), isWhole };
}

function withCutTexts(value: unknown): unknown {
  const cut = (_key: string, one: unknown): unknown =>
    typeof one === "string" ? one.slice(0, CUT_LENGTH) : one;
  return JSON.parse(JSON.stringify(value, cut));
}

/** Messages and compactions in file order, each under the nearest one of these above it. */
async function entriesOf(host: SessionHost, bytes: number): Promise<Part> {
  const { tree } = host.store;
  const reader = new EntryReader(host.store);
  const places: TreeEntry[] = [];
  let place = tree.size - 1;
  let looked = 0;
  for (; place >= 0 && places.length < MOST_ENTRIES && looked < bytes; place--) {
    const at = tree.at(place) as TreeEntry;
    if (!KNOWN_KINDS.has(kindOf(at))) continue;
    places.push(at);
    looked += Math.min(reader.bytesOf(at.id), CUT_LENGTH);
  }
  places.reverse();
  const read = await reader.read(places.map(({ id }) => id));
  const entries = read.flatMap(({ entry }, index) => teachingEntry(places[index], entry));
  const { items, isWhole } = newestOf(entries, bytes);
  return { items, isWhole: isWhole && place < 0 && read.every(({ large }) => large === null) };
}

function teachingEntry(at: TreeEntry | undefined, entry: Entry): readonly Members[] {
  const parentId = knownAt(at?.parent ?? null);
  if (isEntry(entry, "compaction")) {
    const { id, timestamp, summary, firstKeptEntryId, tokensBefore } = entry;
    return [
      { type: "compaction", id, parentId, timestamp, summary, firstKeptEntryId, tokensBefore },
    ];
  }
  const [message] = isEntry(entry, "message") ? teachingMessage(entry.message) : [];
  if (message === undefined) return [];
  const { id, timestamp } = entry;
  return [{ type: "message", id, parentId, timestamp, message }];
}

/** Id of the entry, or of the nearest one above it that these clients know. */
function knownAt(from: TreeEntry | null): string | null {
  let at = from;
  for (let steps = 0; at !== null && steps < STEPPED_OVER; steps++) {
    if (KNOWN_KINDS.has(kindOf(at))) return at.id;
    at = at.parent;
  }
  return null;
}
