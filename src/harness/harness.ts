import type { CompactionOutcome } from "../compaction/compact.ts";
import type { KeepRecent } from "../compaction/plan.ts";
import type { EntryDraft } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import type { Block, Content } from "../entry/message.ts";
import { GOAL_TYPE, TASKS_TYPE } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { aborted } from "../io/clock.ts";
import type { MoveResult, SelectResult } from "../session/leaf-move.ts";
import type { Session } from "../session/session.ts";
import { entryInvalid, storeClosed } from "../store/refusals.ts";
import type { ModelRef } from "../tree/fold.ts";
import { type CompactionEnd, Compactor } from "./compactor.ts";
import {
  ConfigBuffer,
  type ConfigChanges,
  configDrafts,
  type PathSettings,
} from "./config-buffer.ts";
import { DurableQueues } from "./durable-queues.ts";
import type { HarnessListener, RunOutcome } from "./events.ts";
import { foldAt, type HarnessKit, mustFindModel, settingsHere } from "./harness-kit.ts";
import { type HarnessOptions, resolveOptions } from "./harness-options.ts";
import { Listeners } from "./listeners.ts";
import { besidesOf, readyRequest } from "./model-request.ts";
import { type Journey, type NavigateOptions, navigate } from "./navigation.ts";
import { type Doing, harnessBusy, type Operation, OperationGate } from "./operation.ts";
import { PlanReader, type PlanState } from "./plan-state.ts";
import type { QueuedMessage, QueueName } from "./queue.ts";
import { harnessIdle, QueueDesk } from "./queue-desk.ts";
import { isQueueContent } from "./queue-rows.ts";
import { SETTINGS } from "./run-log.ts";
import type { RunOpening } from "./run-opening.ts";
import type { RunResult } from "./run-result.ts";
import { interruptedRun, type ReadyRun, readyRun } from "./run-starter.ts";

/** What a harness is at. */
export type HarnessState = "idle" | Doing;

/** What came of an abort. */
export interface AbortResult {
  /** Steering and follow-ups that the run had not taken; they wait no more. */
  readonly returned: readonly QueuedMessage[];
}

/** How a person asks for a compaction. */
export interface CompactRequest {
  /** What the summary should give weight to. */
  readonly instructions?: string;
  /** How much at the end stays as it is. */
  readonly keep?: KeepRecent;
}

/** What keeps a run from beginning by itself without anything being wrong. */
const LATER = ["RUN_ACTIVE", "ABORTED", "STORE_CLOSED"] as const;
/** Outcomes after which what waits does not start a run by itself. */
const HALTING: ReadonlySet<RunOutcome> = new Set<RunOutcome>(["aborted", "error", "approval"]);

/**
 * An agent on a session (docs/harness.md): it runs prompts and does one thing at a time. What its listeners
 * were told of is durable. Made by {@link createHarness}. The session stays the caller's; while a harness
 * is on it, its leaf is moved through the harness only.
 *
 * Listeners may call every method, but must not await one that waits for the run they are told of
 * (`prompt`, `abort`, `settled`, `close`).
 */
export class Harness implements AsyncDisposable {
  readonly session: Session;
  /** What waits: to be seen, edited, removed. */
  readonly queues: QueueDesk;
  readonly #kit: HarnessKit;
  readonly #gate: OperationGate;
  readonly #plans: PlanReader;
  readonly #returned = new WeakMap<Operation, readonly QueuedMessage[]>();
  /** Branches that runs left for the one they ended on, which is the last: what waits for them came along. */
  #came: readonly string[] = [];
  #isClosed = false;

  constructor(kit: HarnessKit, parts: { readonly gate: OperationGate; readonly desk: QueueDesk }) {
    this.session = kit.session;
    this.queues = parts.desk;
    this.#kit = kit;
    this.#gate = parts.gate;
    this.#plans = new PlanReader(kit.session.store);
  }

  /** What it is at. Busy from the call on that made it so, before anything is awaited or told. */
  get state(): HarnessState {
    return this.#gate.current?.doing ?? "idle";
  }

  /** Model, thinking level and tools in force on the path; a null model stands for that of the options. */
  get settings(): PathSettings {
    return settingsHere(this.session);
  }

  /** Hears all events from now on; gives what ends that. */
  subscribe(listener: HarnessListener): () => void {
    return this.#kit.listeners.subscribe(listener);
  }

  /**
   * Runs a prompt; resolves when the run has settled. `at` moves the leaf there first, where a model is
   * known for it; `model` is in force from there on. Throws HARNESS_BUSY, RUN_ACTIVE (another process runs
   * on the branch), MODEL_UNKNOWN, ENTRY_INVALID, and what the store throws before the run has begun; from
   * then on failures are outcomes.
   */
  async prompt(
    content: Content,
    options: { readonly at?: string | null; readonly model?: ModelRef } = {},
  ): Promise<RunResult> {
    const { at, model } = options;
    if (!isQueueContent(content)) throw entryInvalid("a prompt is text or a list of blocks");
    return this.#start({ kind: "prompt", content }, async ({ control }) => {
      const { options } = this.#kit;
      const wanted = model ?? (at === undefined ? null : foldAt(this.session, at).model);
      // Before anything is moved: a prompt that is refused has changed nothing.
      if (at !== undefined || model !== undefined)
        await mustFindModel(options, wanted ?? options.model);
      if (at !== undefined) {
        const { leaf, previousLeaf, op } = await this.session.moveLeaf(at);
        await control.tell({ type: "branch_switch", leaf, previousLeaf, op });
      }
      if (model !== undefined) await this.#write({ model });
    });
  }

  /** Runs on from what stands on the path, without a new message. Throws as {@link Harness.prompt}. */
  proceed(): Promise<RunResult> {
    return this.#start({ kind: "path" });
  }

  /**
   * Goes on with the run of this branch that a crash cut off (design.md P6, F096), and with what waits in
   * the queues. null where nothing was left to do. Throws as {@link Harness.prompt}.
   */
  async resume(): Promise<RunResult | null> {
    const operation = this.#enter("running");
    const parts = { control: operation.control, plans: this.#plans };
    return this.#run(operation, async () => {
      const interrupted = await interruptedRun(this.#kit, parts);
      if (interrupted !== null) return interrupted;
      const queued = this.#waiting();
      if (queued.length === 0) return null;
      return readyRun(this.#kit, parts, { kind: "queued", queued });
    });
  }

  /** Speaks into the run: after the tools that run now, before the next request. Throws HARNESS_IDLE. */
  async steer(content: string | readonly Block[]): Promise<QueuedMessage> {
    return this.#enqueue("steer", content);
  }

  /** Speaks where the run would end, which goes on then. Throws HARNESS_IDLE. */
  async followUp(content: string | readonly Block[]): Promise<QueuedMessage> {
    return this.#enqueue("followUp", content);
  }

  /** Asks for a run of its own, now or after the present one, or (mode "wait") for the next prompt. */
  async nextTurn(content: string | readonly Block[]): Promise<QueuedMessage> {
    this.#checkOpen();
    const queued = await this.queues.add("nextTurn", content, {});
    await this.#goOn();
    return queued;
  }

  /**
   * Ends what is under way and resolves when it has settled. What the run had not taken of steering and
   * follow-ups comes back; what waits for the next turn stays, and does not start by itself.
   */
  async abort(): Promise<AbortResult> {
    const operation = this.#gate.current;
    if (operation === null) return { returned: [] };
    operation.control.abort();
    await operation.over;
    return { returned: this.#returned.get(operation) ?? [] };
  }

  /**
   * Compacts the path, also where compaction is switched off: a person asked. One that is under way is
   * joined, unless this one has wishes of its own (F092). A refusal is a value. Throws HARNESS_BUSY,
   * RUN_ACTIVE, ABORTED, MODEL_UNKNOWN, and what the store throws.
   */
  async compact(request: CompactRequest = {}): Promise<CompactionOutcome> {
    const { current } = this.#kit.compactor;
    const isPlain = request.instructions === undefined && request.keep === undefined;
    if (current !== null && isPlain) return outcomeOf(await current);
    const operation = this.#enter("compacting");
    return this.#operate(operation, async () => {
      const { session, compactor } = this.#kit;
      await session.refresh();
      if (session.detached) await session.moveLeaf(session.leaf);
      const { control } = operation;
      const ready = await readyRequest({ kit: this.#kit, control });
      const { model } = ready;
      await using _ = await session.store.lockRun(session.branch, { signal: control.signal });
      const end = await compactor.compact({
        ...{ session, reason: "manual", model, signal: control.signal, ...request },
        besides: besidesOf(ready),
        expectedLeaf: session.leaf,
        tell: (event) => control.tell(event),
      });
      return outcomeOf(end);
    });
  }

  /**
   * Moves the leaf (harness.md §5); null = before the first entry. Throws HARNESS_BUSY where anything is
   * under way and `abort` is not given, ABORTED (nothing was written), COMPACTION_REFUSED, ENTRY_UNKNOWN.
   */
  moveLeaf(
    target: string | null,
    options: NavigateOptions = {},
  ): Promise<MoveResult & AbortResult> {
    const { session } = this;
    return this.#navigate({ target, options, move: (move) => session.moveLeaf(target, move) });
  }

  /** Moves to the head of a branch, by id or name. Throws BRANCH_UNKNOWN and as {@link Harness.moveLeaf}. */
  moveToBranch(idOrName: string, options: NavigateOptions = {}): Promise<MoveResult & AbortResult> {
    const { session } = this;
    const target = session.tree.branch(idOrName)?.head ?? null;
    const move: Journey<MoveResult>["move"] = (by) => session.moveToBranch(idOrName, by);
    return this.#navigate({ target, options, move });
  }

  /** Moves as Pi does when an entry is picked: above a message of a person, with its text for editing. */
  select(target: string, options: NavigateOptions = {}): Promise<SelectResult & AbortResult> {
    const { session } = this;
    const at = session.tree.get(target);
    const to = at?.role === "user" ? (at.parent?.id ?? null) : target;
    return this.#navigate({ target: to, options, move: (by) => session.select(target, by) });
  }

  /** Durable at once, or with the run's next save point (P2). Throws MODEL_UNKNOWN. */
  async setModel(model: ModelRef): Promise<void> {
    this.#checkOpen();
    await mustFindModel(this.#kit.options, model);
    await this.#configure({ model });
  }

  /** As {@link Harness.setModel}. */
  async setThinkingLevel(thinkingLevel: string): Promise<void> {
    await this.#configure({ thinkingLevel });
  }

  /** The tools that requests offer from now on. As {@link Harness.setModel}. Throws TARGET_INVALID. */
  async setActiveTools(names: readonly string[]): Promise<void> {
    const known = new Set(this.#kit.options.tools.map(({ name }) => name));
    for (const name of names) if (!known.has(name)) throw toolUnknown(name);
    await this.#configure({ activeTools: names });
  }

  /** State of an extension, written with the run's next save point, or at once where nothing runs. */
  async setState(customType: string, data: unknown): Promise<void> {
    await this.#configure({ states: [{ customType, data }] });
  }

  /**
   * Appends an entry of the caller's own to the path, durable at once. During a run only what says nothing in
   * the conversation (state, names, settings, a plan); else it throws HARNESS_BUSY, and `steer` is the way.
   */
  async append(draft: EntryDraft): Promise<string> {
    this.#checkOpen();
    const doing = this.#gate.current?.doing;
    if (doing === "running" && !SETTINGS.has(String(draft.type))) throw harnessBusy(doing);
    const [entry] = await this.session.append(draft);
    const id = entry?.id ?? "";
    const isCustom = entry !== undefined && isEntry(entry, "custom");
    if (isCustom && (entry.customType === GOAL_TYPE || entry.customType === TASKS_TYPE)) {
      await this.#kit.tellNow({ type: "plan_update", entryId: id });
    }
    return id;
  }

  /** The plan in force on the path. */
  plan(): Promise<PlanState> {
    return this.#plans.at(this.session.leaf);
  }

  /** Resolves when nothing is under way and nothing starts by itself any more. */
  async settled(): Promise<void> {
    await this.#gate.idle();
  }

  /** Aborts what is under way and waits for it. The session stays open. Calls made after it throw STORE_CLOSED. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.abort();
    await this.#gate.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #checkOpen(): void {
    if (this.#isClosed) throw storeClosed();
  }

  #enter(doing: Doing): Operation {
    this.#checkOpen();
    return this.#gate.enter(doing);
  }

  async #start(
    opening: RunOpening,
    before?: (operation: Operation) => Promise<void>,
  ): Promise<RunResult> {
    const operation = this.#enter("running");
    const parts = { control: operation.control, plans: this.#plans };
    const result = await this.#run(operation, async () => {
      await before?.(operation);
      return readyRun(this.#kit, parts, opening);
    });
    if (result === null) throw aborted(operation.control.signal);
    return result;
  }

  async #run(
    operation: Operation,
    prepare: () => Promise<ReadyRun | null>,
  ): Promise<RunResult | null> {
    try {
      const ready = await prepare();
      if (ready === null) return null;
      const result = await ready.run.execute(ready.opening);
      this.#returned.set(operation, result.returned);
      const { branches } = ready.run;
      this.#came = this.#came.at(-1) === branches[0] ? [...this.#came, ...branches] : branches;
      operation.leave();
      await this.#tellSettled(operation, result);
      if (!HALTING.has(result.outcome)) await this.#goOn();
      return result;
    } finally {
      operation.finish();
    }
  }

  /** The last event: the input may be unlocked, a listener may already begin the next run. */
  async #tellSettled({ control }: Operation, { runId }: RunResult): Promise<void> {
    const before = control.failure;
    const nextTurnCount = this.queues.list("nextTurn").length;
    await control.tell({ type: "settled", runId, nextTurnCount });
    const { failure } = control;
    if (before === null && failure !== null) this.#kit.options.onListenerFailure(failure.cause);
  }

  /** Compactions and moves: what was queued and set meanwhile gets its turn afterwards (F090). */
  async #operate<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.#afterwards(operation);
    }
  }

  async #afterwards(operation: Operation): Promise<void> {
    const { failure, signal } = operation.control;
    operation.leave();
    if (failure !== null) this.#kit.options.onListenerFailure(failure.cause);
    try {
      await this.#write(this.#kit.config.take());
      if (failure !== null || !signal.aborted) await this.#goOn();
    } finally {
      operation.finish();
    }
  }

  async #navigate<T extends MoveResult>(journey: Journey<T>): Promise<T & AbortResult> {
    const { operation, returned } = await this.#enterNavigation(journey.options);
    const moved = await this.#operate(operation, () => navigate(this.#kit, operation, journey));
    return { ...moved, returned };
  }

  async #enterNavigation({
    abort,
  }: NavigateOptions): Promise<AbortResult & { operation: Operation }> {
    const returned: QueuedMessage[] = [];
    // Somebody may have begun something else when the run has settled.
    while (abort === true && this.#gate.current !== null)
      returned.push(...(await this.abort()).returned);
    return { operation: this.#enter("navigating"), returned };
  }

  async #configure(changes: ConfigChanges): Promise<void> {
    this.#checkOpen();
    if (this.#gate.current === null) await this.#write(changes);
    else this.#kit.config.add(changes);
  }

  async #write(changes: ConfigChanges): Promise<void> {
    const drafts = configDrafts(changes, this.settings);
    if (drafts.length > 0) await this.session.append(drafts);
  }

  async #enqueue(queue: QueueName, content: string | readonly Block[]): Promise<QueuedMessage> {
    this.#checkOpen();
    const { current } = this.#gate;
    if (current === null || current.control.signal.aborted) throw harnessIdle(queue);
    // Of this branch, so that a run elsewhere does not hear what was meant for this one.
    const branch = current.doing === "navigating" ? null : this.session.branch;
    const queued = await this.queues.add(queue, content, { branch });
    await this.#goOn();
    return queued;
  }

  /** What begins the next run by itself. */
  #waiting(): readonly QueuedMessage[] {
    const { branch: here } = this.session;
    const branches = this.#came.at(-1) === here ? this.#came : [here];
    const mine = this.queues
      .list()
      .filter(({ branch }) => branch === null || branches.includes(branch));
    const said = mine.find(({ queue }) => queue !== "nextTurn");
    const next = this.#kit.options.nextTurnMode === "start" ? mine[0] : undefined;
    const first = said ?? next;
    return first === undefined ? [] : [first];
  }

  /** Begins a run with what waits, where nothing is under way. */
  async #goOn(): Promise<void> {
    await this.queues.accepted();
    if (this.#isClosed || this.#gate.current !== null) return;
    const queued = this.#waiting();
    if (queued.length === 0) return;
    void this.#start({ kind: "queued", queued }).catch((error: unknown) => {
      // Another process runs on the branch, or the harness was closed: what waits is durable and goes on waiting.
      const isExpected = LATER.some((code) => BranchlineError.is(error, code));
      if (!isExpected) this.#kit.options.onListenerFailure(error);
    });
  }
}

function outcomeOf(end: CompactionEnd): CompactionOutcome {
  if ("aborted" in end) throw aborted(AbortSignal.abort());
  return end;
}

function toolUnknown(name: string): BranchlineError<"TARGET_INVALID"> {
  return new BranchlineError(
    "TARGET_INVALID",
    { target: name, reason: "it is no tool of this harness" },
    { message: `There is no tool ${name}.`, hint: "The tools are those of the options." },
  );
}

/**
 * Puts a harness on a session and reads what waits in its queues. Nothing runs yet: `resume` goes on with
 * what a crash cut off. Throws ENTRY_INVALID where two tools have the same name.
 *
 * @example
 * await using harness = await createHarness({ session, models: createOfflineModel(), model });
 * harness.subscribe((event) => console.log(event.type));
 * const { outcome } = await harness.prompt("列出文件");
 */
export async function createHarness(options: HarnessOptions): Promise<Harness> {
  const { session } = options;
  const resolved = resolveOptions(options);
  const { random, tools } = resolved;
  checkNames(tools.map(({ name }) => name));
  const listeners = new Listeners();
  const gate = new OperationGate(listeners);
  const queues = await DurableQueues.load(session, { random });
  const tellNow: HarnessKit["tellNow"] = async (event) => {
    for (const failure of await listeners.tell(event)) {
      // A run that is under way ends with it; else there is only the caller's handler.
      if (gate.current === null) resolved.onListenerFailure(failure);
      else gate.current.control.fail(failure);
    }
  };
  const tellQueues = (): Promise<void> => tellNow({ type: "queue_update", queue: queues.list() });
  const desk = new QueueDesk(queues, tellQueues);
  const kit: HarnessKit = {
    ...{ session, options: resolved, listeners, queues, tellNow, tellQueues },
    config: new ConfigBuffer(),
    compactor: new Compactor(resolved),
    accepted: () => desk.accepted(),
  };
  return new Harness(kit, { gate, desk });
}

function checkNames(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  throw new BranchlineError(
    "ENTRY_INVALID",
    { reason: `two tools are named ${twice}` },
    { message: `Two tools are named ${twice}.` },
  );
}
