import type { EventData, WireEvent, WireEventType } from "../protocol/event.ts";
import { HttpError } from "./http-error.ts";
import type { ServerLimits } from "./limits.ts";

/** An event with its text on the wire, made once for all streams. */
export interface SentEvent {
  readonly event: WireEvent;
  /** The whole SSE message. */
  readonly text: string;
  readonly bytes: number;
  /** What is replaced by a newer event of the same key, where only the newest counts; else null. */
  readonly delta: string | null;
}

/** Where an event belongs. */
export interface EventPlace {
  readonly sessionId: string | null;
  readonly runId?: string | null;
}

/** Which events a stream wants. */
export interface StreamFilter {
  /** null = of all sessions. */
  readonly sessions: ReadonlySet<string> | null;
  readonly run: string | null;
}

/** Who hears events. */
export interface Listener {
  readonly filter: StreamFilter;
  readonly client: string;
  /** Takes one event; must not wait. */
  take(sent: SentEvent): void;
  /** The server ends. */
  end(): void;
}

/** Events of which only the newest counts for a stream that is behind. */
const DELTAS: ReadonlySet<WireEventType> = new Set(["message_update", "tool_execution_update"]);

/**
 * The one stream of events of a server: numbers them, keeps a bounded part for streams that come back,
 * hands them to all listeners. Sequence numbers start at a random multiple of a million, so that the
 * number of an earlier start never looks like one of this start.
 */
export class EventHub {
  readonly #limits: ServerLimits;
  readonly #listeners = new Set<Listener>();
  readonly #kept: SentEvent[] = [];
  readonly #first: number;
  #keptBytes = 0;
  #seq: number;
  /** Number of the newest event that is not kept any more. */
  #dropped = 0;

  constructor(limits: ServerLimits, start: number = firstNumber()) {
    this.#limits = limits;
    this.#first = start;
    this.#seq = start;
  }

  /** Number of the newest event. */
  get seq(): number {
    return this.#seq;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Tells everybody who wants it. */
  publish<T extends WireEventType>(type: T, place: EventPlace, data: EventData[T]): void {
    const { sessionId, runId = null } = place;
    const event: WireEvent = { seq: ++this.#seq, type, sessionId, runId, data };
    const isDelta = DELTAS.has(type);
    const wanting = [...this.#listeners].filter(({ filter }) => isWanted(filter, event));
    // Each delta holds the whole message so far: where nobody hears it, nothing is made of it.
    if (isDelta && wanting.length === 0) return;
    const sent = sentEvent(event, isDelta ? deltaKey(event) : null);
    if (!isDelta) this.#keep(sent);
    for (const listener of wanting) listener.take(sent);
  }

  /** Adds a listener. Throws HTTP_BUSY where there are too many, in all or of this client. */
  add(listener: Listener): void {
    const { streams, streamsPerClient } = this.#limits;
    let own = 0;
    for (const { client } of this.#listeners) if (client === listener.client) own++;
    if (this.#listeners.size >= streams || own >= streamsPerClient) {
      const hint = "Close another page, or use one stream for several sessions.";
      throw new HttpError("HTTP_BUSY", "There are too many event streams.", { hint });
    }
    this.#listeners.add(listener);
  }

  /** True where somebody asked for the events of this session. */
  isWatched(session: string): boolean {
    for (const { filter } of this.#listeners)
      if (filter.sessions?.has(session) === true) return true;
    return false;
  }

  /** True where somebody hears of all sessions. */
  get isLibraryWatched(): boolean {
    for (const { filter } of this.#listeners)
      if (filter.sessions === null && filter.run === null) return true;
    return false;
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** What came after an event and is wanted; null = some of it is gone, or the number is of another start. */
  since(seq: number, filter: StreamFilter): readonly SentEvent[] | null {
    if (seq < this.#first || seq > this.#seq) return null;
    if (this.#dropped > seq) return null;
    return this.#kept.filter((sent) => sent.event.seq > seq && isWanted(filter, sent.event));
  }

  #keep(sent: SentEvent): void {
    this.#kept.push(sent);
    this.#keptBytes += sent.bytes;
    const { replayEvents, replayBytes } = this.#limits;
    while (this.#kept.length > replayEvents || this.#keptBytes > replayBytes) {
      const gone = this.#kept.shift();
      if (gone === undefined) break;
      this.#keptBytes -= gone.bytes;
      this.#dropped = gone.event.seq;
    }
  }

  /** What is kept of one session's events, oldest first. */
  kept(session: string): readonly WireEvent[] {
    return this.#kept.flatMap(({ event }) => (event.sessionId === session ? [event] : []));
  }

  /** Ends all streams. */
  close(): void {
    for (const listener of [...this.#listeners]) listener.end();
    this.#listeners.clear();
  }
}

/** An event as SSE; JSON has no line breaks, so one `data:` line is enough. */
export function sentEvent(event: WireEvent, delta: string | null = null): SentEvent {
  const text = `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  return { event, text, bytes: Buffer.byteLength(text), delta };
}

function isWanted(filter: StreamFilter, event: WireEvent): boolean {
  if (filter.run !== null) return event.runId === filter.run;
  return (
    filter.sessions === null || event.sessionId === null || filter.sessions.has(event.sessionId)
  );
}

function deltaKey({ type, sessionId, runId, data }: WireEvent): string {
  const call = type === "tool_execution_update" ? String(Object(data).callId) : "";
  return `${type} ${sessionId} ${runId} ${call}`;
}

function firstNumber(): number {
  return (1 + Math.floor(Math.random() * 1_000_000)) * 1_000_000;
}
