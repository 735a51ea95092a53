import type { HarnessEvent } from "../harness/events.ts";
import type { Harness } from "../harness/harness.ts";
import type { RunResult } from "../harness/run-result.ts";
import type { PendingCall, Permission } from "../harness/tool.ts";
import type { ToolSpec } from "../model/model.ts";
import type { QueueRow, RunState, SessionState } from "../protocol/session.ts";
import { queueRow, toldOf } from "./harness-event.ts";
import { HttpError } from "./http-error.ts";
import type { SessionHost } from "./session-host.ts";

/** A call that waits for a person. */
interface WaitingCall {
  readonly call: PendingCall;
  readonly question: string;
  readonly answer: (permission: Permission) => void;
}

/** Where a run is told to have begun. */
export interface StartedRun {
  readonly runId: string;
}

/** What a {@link SessionRun} asks of those who made it. */
export interface RunHooks {
  /** Names of tools that a person wants to be asked about. */
  readonly asked: () => ReadonlySet<string>;
  /** Done before it is told that a run is over. Must not throw. */
  readonly beforeEnd: (run: SessionRun, runId: string) => Promise<void>;
}

/**
 * The harness of one open session, and what the server knows of its run: who waits for an answer, when
 * it began. All events go to the hub, in the order of the harness.
 */
export class SessionRun {
  readonly host: SessionHost;
  /** Not by id: a model may give two calls the same one, and both have to be answered. */
  readonly #waiting = new Set<WaitingCall>();
  #harness: Harness | null = null;
  #runId: string | null = null;
  #started = "";
  /** From the last word about a run until it has settled, which takes a few commits more. */
  #settling: PromiseWithResolvers<void> | null = null;
  /** Told of each run that begins. */
  #onStart: ((runId: string) => void) | null = null;
  /** The tools of the harness. */
  readonly tools: readonly ToolSpec[];
  readonly #hooks: RunHooks;

  constructor(host: SessionHost, tools: readonly ToolSpec[], hooks: RunHooks) {
    this.host = host;
    this.tools = tools;
    this.#hooks = hooks;
  }

  /** Must be called once, before anything else. */
  attach(harness: Harness): void {
    this.#harness = harness;
    harness.subscribe((event) => this.#tell(event));
    this.host.holdWhile(() => harness.state !== "idle");
  }

  get harness(): Harness {
    if (this.#harness === null) throw new HttpError("HTTP_INTERNAL", "The run is not ready.");
    return this.#harness;
  }

  get runId(): string | null {
    return this.#runId;
  }

  get state(): RunState | null {
    const { state } = this.harness;
    if (state === "idle") return null;
    const id =
      state === "running" && this.#runId !== null ? this.#runId : `${state}-${this.host.id}`;
    return { id, branch: this.host.session.branch, state, started: this.#started };
  }

  get queue(): readonly QueueRow[] {
    return this.harness.queues.list().map(queueRow);
  }

  get permissions(): SessionState["permissions"] {
    return [...this.#waiting].map(({ call, question }) => ({
      callId: call.callId,
      name: call.name,
      arguments: call.arguments,
      question,
    }));
  }

  /** Waits for a run that has told its end: who heard of that takes it for over. */
  async endOfTold(): Promise<void> {
    await this.#settling?.promise;
  }

  /**
   * Starts a run and gives its id as soon as it has begun; it goes on by itself. null where there was
   * nothing to do. Throws what the harness throws before the run has begun.
   */
  async start(begin: (harness: Harness) => Promise<RunResult | null>): Promise<StartedRun | null> {
    await this.endOfTold();
    const begun = Promise.withResolvers<StartedRun>();
    const before = this.#onStart;
    this.#onStart = (runId) => begun.resolve({ runId });
    try {
      const running = begin(this.harness);
      return await Promise.race([begun.promise, running]);
    } finally {
      this.#onStart = before;
    }
  }

  /** The permission hook: what a person wants to be asked about waits, the rest runs. */
  permission(call: PendingCall): Permission {
    if (!this.#hooks.asked().has(call.name)) return { decision: "allow" };
    return { decision: "confirm", question: `${call.name}?` };
  }

  /** The confirm hook: waits until somebody answers, or the run ends. */
  confirm(call: PendingCall, question: string): Promise<Permission> {
    const { promise, resolve } = Promise.withResolvers<Permission>();
    const waiting = { call, question, answer: resolve };
    this.#waiting.add(waiting);
    return promise.finally(() => this.#waiting.delete(waiting));
  }

  /** A person's answer. Throws HTTP_NOT_FOUND where nobody waits for it. */
  decide(callId: string, permission: Permission): void {
    const waiting = [...this.#waiting].filter(({ call }) => call.callId === callId);
    if (waiting.length === 0) throw new HttpError("HTTP_NOT_FOUND", "No call waits under this id.");
    for (const { answer } of waiting) answer(permission);
  }

  /** Ends what is under way; calls that wait are refused. */
  async abort(): Promise<readonly QueueRow[]> {
    const ending = this.harness.abort();
    this.#refuseWaiting();
    return (await ending).returned.map(queueRow);
  }

  async close(): Promise<void> {
    const ending = this.#harness?.close();
    this.#refuseWaiting();
    await ending;
  }

  #refuseWaiting(): void {
    for (const { answer } of this.#waiting) {
      answer({ decision: "block", reason: "The run was ended." });
    }
  }

  async #tell(event: HarnessEvent): Promise<void> {
    try {
      await this.#tellWhole(event);
    } finally {
      // Also where it could not be told: nobody may wait for ever.
      if (event.type === "settled") {
        this.#settling?.resolve();
        this.#settling = null;
      }
    }
  }

  async #tellWhole(event: HarnessEvent): Promise<void> {
    if (event.type === "agent_start") {
      this.#runId = event.runId;
      this.#started = new Date().toISOString();
    }
    await this.host.announce({ foreign: false, by: "run" });
    const told = toldOf(event);
    if (told !== null) {
      this.host.hub.publish(told.type, { sessionId: this.host.id, runId: this.#runId }, told.data);
    }
    if (event.type === "agent_start") this.#onStart?.(event.runId);
    if (event.type === "turn_end") await this.#tellUsage();
    if (event.type === "agent_end") {
      await this.#hooks.beforeEnd(this, event.runId);
      this.#settling = Promise.withResolvers();
      this.#tellEnd(event);
    }
    if (event.type === "settled") this.host.lastUse = performance.now();
  }

  async #tellUsage(): Promise<void> {
    const tokens = await this.host.tokensAt(this.host.session.leaf);
    this.host.hub.publish("usage", { sessionId: this.host.id, runId: this.#runId }, { tokens });
  }

  /** The last word about a run, for streams of a run alone. */
  #tellEnd(event: HarnessEvent & { readonly type: "agent_end" }): void {
    const at = { sessionId: this.host.id, runId: event.runId };
    const { outcome } = event;
    if (outcome === "error") {
      const message = errorOf(event.messages.at(-1)) ?? "The run ended with an error.";
      this.host.hub.publish("run_error", at, { message });
    } else this.host.hub.publish("run_done", at, { outcome });
  }
}

function errorOf(message: unknown): string | null {
  const text: unknown = Object(message).errorMessage;
  return typeof text === "string" ? text : null;
}
