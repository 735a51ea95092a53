import type { Summariser } from "../compaction/summariser.ts";
import { BranchlineError } from "../errors.ts";
import { DurableQueues } from "../harness/durable-queues.ts";
import { createHarness } from "../harness/harness.ts";
import { harnessSummariser, STANDARD_PROMPT, standardTools } from "../harness/standard-agent.ts";
import type { Workspace } from "../harness/workspace.ts";
import type { AgreedInstructions } from "../local/agreed-instructions.ts";
import type { QueueRow, RunState, SessionState } from "../protocol/session.ts";
import type { Session } from "../session/session.ts";
import { queueRow } from "./harness-event.ts";
import { HttpError } from "./http-error.ts";
import type { ServerLog } from "./server-log.ts";
import type { ServerModels } from "./server-models.ts";
import type { SessionHost } from "./session-host.ts";
import { SessionRun } from "./session-run.ts";

/** What the runs of a server share. */
export interface RunsParts {
  readonly models: ServerModels;
  readonly instructions: AgreedInstructions;
  /** The fenced folder in which the tools of runs work. */
  readonly workspace: Workspace;
  readonly log: ServerLog;
  /** Done before it is told that a run is over. */
  readonly beforeEnd: (run: SessionRun, runId: string) => Promise<void>;
}

/** Where a run is, or was. */
export interface KnownRun {
  readonly session: string;
  /** Number of the event before its first one. */
  readonly seq: number;
}

/** Runs whose place is remembered after they ended. */
const REMEMBERED = 1000;

/** The harnesses of a server: one for each open session that runs anything. */
export class Runs {
  readonly #parts: RunsParts;
  readonly #runs = new Map<string, Promise<SessionRun>>();
  readonly #ready = new Map<string, SessionRun>();
  readonly #queues = new WeakMap<SessionHost, Promise<DurableQueues>>();
  readonly #known = new Map<string, KnownRun>();
  /** Names of tools that a person wants to be asked about, by session: longer than a session is open. */
  readonly #asked = new Map<string, ReadonlySet<string>>();

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /** The harness of a session, made at the first need; it is closed with the host. */
  of(host: SessionHost): Promise<SessionRun> {
    // Set before anything is waited for: two requests at once must not make two harnesses.
    const before = this.#runs.get(host.id);
    const taking = this.#take(host, before);
    this.#runs.set(host.id, taking);
    taking.catch(() => {
      if (this.#runs.get(host.id) === taking) this.#runs.delete(host.id);
    });
    return taking;
  }

  /** From now on, and again when the session is opened anew, until the server ends. */
  askAbout(host: SessionHost, tools: readonly string[]): void {
    this.#asked.set(host.id, new Set(tools));
  }

  async #take(host: SessionHost, before: Promise<SessionRun> | undefined): Promise<SessionRun> {
    const known = await before?.catch(() => undefined);
    if (known !== undefined && known.host === host) {
      if (known.harness.session === host.session || known.state !== null) return known;
    }
    // The session was opened anew, or somebody else moved its leaf while nothing ran.
    await known?.close();
    return await this.#make(host);
  }

  stateOf(session: string): RunState | null {
    return this.#ready.get(session)?.state ?? null;
  }

  /** Waits for the rest of a run that has told its end, see {@link SessionRun.endOfTold}. */
  async endOfTold(session: string): Promise<void> {
    await this.#ready.get(session)?.endOfTold();
  }

  permissionsOf(session: string): SessionState["permissions"] {
    return this.#ready.get(session)?.permissions ?? [];
  }

  async queueOf(host: SessionHost): Promise<readonly QueueRow[]> {
    const ready = this.#ready.get(host.id);
    if (ready?.host === host) return ready.queue;
    await host.skeleton.update();
    if (!host.skeleton.hasQueues) return [];
    const loading = this.#queues.get(host) ?? DurableQueues.load(host.session);
    this.#queues.set(host, loading);
    const queues = await loading;
    await queues.refresh();
    return queues.list().map(queueRow);
  }

  /** Writes summaries with the model in force, or without one where it is the offline one. */
  async summariser(session: Session): Promise<Summariser> {
    const { models } = this.#parts;
    const { model } = await models.at(session);
    return harnessSummariser({ session, models: models.providerFor(session), model });
  }

  /** Remembers a run that began. */
  remember(runId: string, run: KnownRun): void {
    this.#known.set(runId, run);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED) break;
      this.#known.delete(oldest);
    }
  }

  /** Where a run is or was. Throws HTTP_RUN_UNKNOWN. */
  find(runId: string): KnownRun {
    const known = this.#known.get(runId);
    if (known !== undefined) return known;
    throw new HttpError("HTTP_RUN_UNKNOWN", "No run of this server has this id.");
  }

  /** The session of a run that is active. Throws HTTP_RUN_UNKNOWN. */
  active(runId: string): SessionRun {
    for (const run of this.#ready.values()) {
      if (run.state?.id === runId) return run;
    }
    throw new HttpError("HTTP_RUN_UNKNOWN", "No active run has this id.");
  }

  async abortIn(session: string): Promise<void> {
    await this.#ready.get(session)?.abort();
  }

  /** Ends all runs and waits until they have settled. */
  async close(): Promise<void> {
    await Promise.all([...this.#ready.values()].map((run) => run.close()));
  }

  async #beforeEnd(run: SessionRun, runId: string): Promise<void> {
    try {
      await this.#parts.beforeEnd(run, runId);
    } catch (cause) {
      // The run is over all the same, and whoever waits for its end has to hear of it.
      this.#parts.log.error({ run: runId, error: textOf(cause) }, "the end of a run is told short");
    }
  }

  async #make(host: SessionHost): Promise<SessionRun> {
    const { models, instructions, workspace, log } = this.#parts;
    const { session } = host;
    const tools = standardTools({ session, workspace });
    const run = new SessionRun(host, tools, {
      asked: () => this.#asked.get(host.id) ?? NOBODY_ASKED,
      beforeEnd: (ending, runId) => this.#beforeEnd(ending, runId),
    });
    const harness = await createHarness({
      session,
      models: models.providerFor(session),
      model: await models.first(),
      tools,
      systemPrompt: STANDARD_PROMPT,
      instructions: (message) => instructions.has(message),
      permission: (call) => run.permission(call),
      confirm: (call, question) => run.confirm(call, question),
      onListenerFailure: (cause) =>
        log.error({ session: host.id, error: textOf(cause) }, "a run failed"),
    });
    const { seq } = host.hub;
    harness.subscribe((event) => {
      if (event.type !== "agent_start") return;
      this.remember(event.runId, { session: host.id, seq: Math.max(seq, host.hub.seq) });
    });
    run.attach(harness);
    this.#ready.set(host.id, run);
    host.beforeClose(async () => {
      await run.close();
      if (this.#ready.get(host.id) === run) {
        this.#ready.delete(host.id);
        this.#runs.delete(host.id);
      }
    });
    return run;
  }
}

const NOBODY_ASKED: ReadonlySet<string> = new Set();

function textOf(cause: unknown): string {
  return BranchlineError.is(cause) ? cause.code : String(cause);
}
