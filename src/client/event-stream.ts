import type { WireEvent } from "../protocol/event.ts";
import { ClientError, refusalOf } from "./client-error.ts";
import type { HttpCaller, QueryValues } from "./http-caller.ts";
import { SseParser } from "./sse-parser.ts";

/** How events are followed. */
export interface FollowOptions {
  /** Resume behind this event; a `snapshot` event says that what came since is gone. */
  readonly lastEventId?: number;
  readonly signal?: AbortSignal;
  /** Told whether the stream is there; not at the end by the signal. */
  readonly onState?: (state: "open" | "lost") => void;
  /** How long a stream may be silent before it counts as lost, in ms; default 45,000: three signs of life. */
  readonly silenceMs?: number;
  /** Waits before another try, in ms; default 250 ms, doubled up to 8 s. */
  readonly wait?: (attempt: number) => Promise<void>;
}

/** What {@link followEvents} needs besides. */
export interface EventPlace {
  readonly caller: HttpCaller;
  readonly path: string;
  readonly query: QueryValues;
  /** False = the stream ends for good where the server ends it (a run). */
  readonly isEndless: boolean;
}

/**
 * Events, across lost connections: after a break it comes back with `Last-Event-ID`, so that each event
 * comes once and in order. Ends with the signal. Throws `ClientError` where the server refuses (401, 404);
 * a full or silent server is tried again.
 */
export async function* followEvents(
  place: EventPlace,
  options: FollowOptions = {},
): AsyncGenerator<WireEvent, void, void> {
  const { signal, onState, wait = defaultWait, silenceMs = SILENCE_MS } = options;
  const isOver = (): boolean => signal?.aborted === true;
  let last = options.lastEventId ?? null;
  for (let attempt = 0; !isOver(); attempt++) {
    try {
      for await (const event of oneStream(place, last, { signal, onState, silenceMs })) {
        attempt = 0;
        last = event.seq;
        yield event;
      }
      if (!place.isEndless || isOver()) return;
    } catch (error) {
      if (isOver()) return;
      if (error instanceof ClientError && error.status < 500) throw error;
    }
    onState?.("lost");
    await wait(attempt);
  }
}

/** A machine that slept, or a network that went away, leaves streams behind that say nothing for ever. */
const SILENCE_MS = 45_000;

interface StreamOptions {
  readonly signal: AbortSignal | undefined;
  readonly onState: FollowOptions["onState"] | undefined;
  readonly silenceMs: number;
}

async function* oneStream(
  { caller, path, query }: EventPlace,
  last: number | null,
  { signal, onState, silenceMs }: StreamOptions,
): AsyncGenerator<WireEvent, void, void> {
  const resumed = last === null ? query : { ...query, lastEventId: last };
  const silence = new AbortController();
  const either = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await caller.request("GET", path, { query: resumed, signal: either });
    if (!response.ok) throw await refusalOf(response);
    onState?.("open");
    const parser = new SseParser();
    const decoder = new TextDecoder();
    for await (const bytes of piecesOf(response.body)) {
      clearTimeout(timer);
      for (const { data } of parser.push(decoder.decode(bytes, { stream: true }))) {
        yield JSON.parse(data) as WireEvent;
      }
      // Only the wait for the server counts, not how long the reader takes.
      timer = setTimeout(() => silence.abort(), silenceMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Not every browser can iterate a stream; every one has a reader. */
async function* piecesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const read = await reader?.read();
      if (read === undefined || read.done) return;
      yield read.value;
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

function defaultWait(attempt: number): Promise<void> {
  const ms = Math.min(8000, 250 * 2 ** Math.min(attempt, 6));
  return new Promise((resolve) => setTimeout(resolve, ms));
}
