import type { WireEvent } from "branchline/protocol/event.ts";
import { client } from "./http.ts";

/** Whether the page hears from the server; `refused` = it must log in again. */
export type StreamState = "connecting" | "open" | "lost" | "refused";

type EventListener = (event: WireEvent) => void;
type StateListener = (state: StreamState) => void;

const CHANNEL = "branchline-events";

/**
 * The one stream of this browser. The tab that holds the Web Lock reads the server's events and hands
 * them to the other tabs by BroadcastChannel, so that many tabs need one connection (S18). A tab whose
 * browser lacks either reads for itself. Lives as long as the page.
 */
export class EventStream {
  readonly #listeners = new Set<EventListener>();
  readonly #stateListeners = new Set<StateListener>();
  readonly #channel: BroadcastChannel | undefined;
  #isReader = false;
  #state: StreamState = "connecting";

  constructor() {
    this.#channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : undefined;
    this.#channel?.addEventListener("message", ({ data }) => this.#heard(data));
  }

  /** Now known state. */
  get state(): StreamState {
    return this.#state;
  }

  /** Begins to listen, as the reading tab or behind it. */
  start(): void {
    this.#changeState("connecting");
    if (this.#channel === undefined || !("locks" in navigator)) {
      void this.#read();
      return;
    }
    this.#channel.postMessage({ kind: "ask" });
    // Held until the tab goes.
    void navigator.locks.request(CHANNEL, () => this.#read());
  }

  /** Calls back for each event; returns the end of it. */
  onEvent(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls back when the connection changes; returns the end of it. */
  onState(listener: StateListener): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  /** Reads for ever; the client comes back by itself and asks for what it missed. */
  async #read(): Promise<void> {
    this.#isReader = true;
    const onState = (state: "open" | "lost"): void => this.#setState(state);
    try {
      for await (const event of client.events(null, { onState })) {
        this.#channel?.postMessage({ kind: "event", event });
        this.#deliver(event);
      }
    } catch (error) {
      // The cookie is not good any more (a new server has a new token).
      console.warn("events", error);
      this.#setState("refused");
    }
  }

  #deliver(event: WireEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** From another tab of this origin. */
  #heard(data: unknown): void {
    const message = data as { kind: string; event?: WireEvent; state?: StreamState };
    if (message.kind === "ask" && this.#isReader) {
      this.#channel?.postMessage({ kind: "state", state: this.#state });
    }
    if (this.#isReader) return;
    if (message.kind === "event" && message.event) this.#deliver(message.event);
    if (message.kind === "state" && message.state) this.#changeState(message.state);
  }

  #setState(state: StreamState): void {
    this.#channel?.postMessage({ kind: "state", state });
    this.#changeState(state);
  }

  #changeState(state: StreamState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of [...this.#stateListeners]) listener(state);
  }
}

/** The stream of this page; started once by the entry file. */
export const eventStream: EventStream = new EventStream();
