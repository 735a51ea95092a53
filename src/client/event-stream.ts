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
  const { signal, onState, wait = defaultWait } = options;
  const isOver = (): boolean => signal?.aborted === true;
  let last = options.lastEventId ?? null;
  for (let attempt = 0; !isOver(); attempt++) {
    try {
      for await (const event of oneStream(place, last, { signal, onState })) {
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

type StreamOptions = { [K in "signal" | "onState"]: FollowOptions[K] | undefined };

async function* oneStream(
  { caller, path, query }: EventPlace,
  last: number | null,
  { signal, onState }: StreamOptions,
): AsyncGenerator<WireEvent, void, void> {
  const resumed = last === null ? query : { ...query, lastEventId: last };
  const more = signal === undefined ? {} : { signal };
  const response = await caller.request("GET", path, { query: resumed, ...more });
  if (!response.ok) throw await refusalOf(response);
  onState?.("open");
  const parser = new SseParser();
  const decoder = new TextDecoder();
  for await (const bytes of piecesOf(response.body)) {
    for (const { data } of parser.push(decoder.decode(bytes, { stream: true }))) {
      yield JSON.parse(data) as WireEvent;
    }
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
