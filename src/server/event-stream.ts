import type { WireEvent } from "../protocol/event.ts";
import {
  type EventHub,
  type Listener,
  type SentEvent,
  type StreamFilter,
  sentEvent,
} from "./event-hub.ts";
import type { ServerLimits } from "./limits.ts";

/** What a stream is opened with. */
export interface StreamOptions {
  readonly hub: EventHub;
  readonly limits: ServerLimits;
  readonly filter: StreamFilter;
  /** Who asks; one of them may have so many streams. */
  readonly client: string;
  /** Number of the last event that the client has; null = it has none. */
  readonly lastEventId: number | null;
  /** Makes the data of a `snapshot` event. */
  readonly snapshot: () => WireEvent["data"];
  /** Ends when this says so (the event is sent still); for streams of one run. */
  readonly endsWith?: (event: WireEvent) => boolean;
  /** True = nothing new will come: it ends behind what was missed. Default false. */
  readonly isOver?: boolean;
  readonly signal: AbortSignal;
  /** Writes an event in another way than `sentEvent` does. */
  readonly format?: ((event: WireEvent) => string) | undefined;
  /** Breaks the connection of a client that does not read. */
  readonly drop?: () => void;
}

const RETRY = "retry: 1000\n\n";
const HEARTBEAT = ": alive\n\n";

/**
 * One event stream. Deltas wait for their turn (at most one in `deltaMs`) and are replaced by newer
 * ones; every other event flushes what waits first, so that the order stays. What is not read fast enough is
 * not kept without end: past `streamBytes` the stream is ended, and the client comes back with
 * `Last-Event-ID`. Throws HTTP_BUSY where there are too many streams.
 */
export function openEventStream(options: StreamOptions): Response {
  const { hub, lastEventId, filter, isOver = false } = options;
  const hasAll = lastEventId !== null && hub.since(lastEventId, filter)?.length === 0;
  // Browsers come back to a stream that ended; this answer tells them not to.
  if (isOver && hasAll) return new Response(null, { status: 204 });
  const stream = new EventStream(options);
  options.hub.add(stream);
  stream.start();
  return new Response(stream.body, {
    headers: {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    },
  });
}

class EventStream implements Listener {
  readonly body: ReadableStream<Uint8Array>;
  readonly filter: StreamFilter;
  readonly client: string;
  readonly #options: StreamOptions;
  readonly #encoder = new TextEncoder();
  readonly #deltas = new Map<string, SentEvent>();
  #texts: string[] = [];
  #bytes = 0;
  #wake: (() => void) | null = null;
  #isEnding = false;
  #isOver = false;
  #lastDelta = 0;
  #deltaTimer: NodeJS.Timeout | null = null;
  #heartbeat: NodeJS.Timeout | null = null;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.filter = options.filter;
    this.client = options.client;
    const source = {
      pull: (controller: ReadableStreamDefaultController<Uint8Array>) => this.#pull(controller),
      cancel: () => this.#stop(),
    };
    this.body = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  }

  /** Sends what was missed, or a snapshot. */
  start(): void {
    const { hub, lastEventId, limits, signal } = this.#options;
    signal.addEventListener("abort", () => this.#stop(), { once: true });
    this.#heartbeat = setInterval(() => this.#write(HEARTBEAT), limits.heartbeatMs);
    this.#heartbeat.unref();
    this.#write(RETRY);
    const missed = lastEventId === null ? null : hub.since(lastEventId, this.filter);
    // More than may wait would break the stream at once, and again whenever it comes back.
    if (missed === null || bytesOf(missed) > limits.streamBytes / 2) this.#writeSnapshot();
    else for (const sent of missed) this.take(sent);
    if (this.#options.isOver === true) this.end();
  }

  take(sent: SentEvent): void {
    if (this.#isOver || this.#isEnding) return;
    if (sent.delta !== null) {
      this.#deltas.delete(sent.delta);
      this.#deltas.set(sent.delta, sent);
      this.#planDeltas();
      return;
    }
    this.#flushDeltas();
    this.#write(this.#textOf(sent));
    if (this.#options.endsWith?.(sent.event) === true) this.end();
  }

  end(): void {
    if (this.#isOver) return;
    this.#flushDeltas();
    this.#isEnding = true;
    this.#options.hub.remove(this);
    this.#clearTimers();
    this.#wake?.();
  }

  #writeSnapshot(): void {
    const { hub, filter, snapshot } = this.#options;
    const [only] = filter.sessions ?? [];
    const sessionId = filter.sessions?.size === 1 && only !== undefined ? only : null;
    const { run: runId } = filter;
    const event = { seq: hub.seq, type: "snapshot", sessionId, runId, data: snapshot() } as const;
    this.#write(this.#textOf(sentEvent(event)));
  }

  #textOf({ event, text }: SentEvent): string {
    return this.#options.format?.(event) ?? text;
  }

  #planDeltas(): void {
    if (this.#deltaTimer !== null) return;
    const wait = Math.max(0, this.#lastDelta + this.#options.limits.deltaMs - performance.now());
    this.#deltaTimer = setTimeout(() => this.#flushDeltas(), wait);
  }

  #flushDeltas(): void {
    if (this.#deltaTimer !== null) clearTimeout(this.#deltaTimer);
    this.#deltaTimer = null;
    if (this.#deltas.size === 0) return;
    this.#lastDelta = performance.now();
    for (const sent of this.#deltas.values()) this.#write(this.#textOf(sent));
    this.#deltas.clear();
  }

  #write(text: string): void {
    if (this.#isOver) return;
    this.#texts.push(text);
    this.#bytes += text.length;
    if (this.#bytes > this.#options.limits.streamBytes) {
      this.#stop();
      this.#options.drop?.();
    }
    this.#wake?.();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#texts.length === 0 && !this.#isEnding && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    if (this.#isOver) return closeQuietly(controller);
    const text = this.#texts.join("");
    this.#texts = [];
    this.#bytes = 0;
    if (text !== "") controller.enqueue(this.#encoder.encode(text));
    else if (this.#isEnding) this.#finish(controller);
  }

  #finish(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#isOver = true;
    closeQuietly(controller);
  }

  #stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#texts = [];
    this.#options.hub.remove(this);
    this.#clearTimers();
    this.#wake?.();
  }

  #clearTimers(): void {
    if (this.#deltaTimer !== null) clearTimeout(this.#deltaTimer);
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
    this.#deltaTimer = null;
    this.#heartbeat = null;
  }
}

function bytesOf(events: readonly SentEvent[]): number {
  return events.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A stream that its reader cancelled is closed already. */
function closeQuietly(controller: ReadableStreamDefaultController<Uint8Array>): void {
  if (controller.desiredSize !== null) controller.close();
}
