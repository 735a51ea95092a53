import type { Message, ToolResultMessage } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import { isToolCall } from "../model/wire-messages.ts";
import type { RunLock } from "../store/store.ts";
import { announce, deliver, nextOf, RUN_QUEUES } from "./delivery.ts";
import type { RunOutcome } from "./events.ts";
import { type HarnessKit, refreshQueues } from "./harness-kit.ts";
import { askModel, dueCompaction, readyRequest, type StoredAnswer } from "./model-request.ts";
import { type PlanReader, planGate } from "./plan-state.ts";
import { TURN_LIMIT_TYPE } from "./resume-plan.ts";
import type { RunControl } from "./run-control.ts";
import { endRun, flushConfig } from "./run-ending.ts";
import { RunJournal } from "./run-journal.ts";
import { RunLog } from "./run-log.ts";
import { openRun, type RunOpening } from "./run-opening.ts";
import { RunRecovery } from "./run-recovery.ts";
import type { RunResult } from "./run-result.ts";
import { type RunScope, type StoredMessage, storedMessage } from "./run-scope.ts";
import { RunTools } from "./run-tools.ts";
import type { BatchCall } from "./tool-batch.ts";

/** What a run is made of. */
export interface RunParts {
  readonly kit: HarnessKit;
  readonly control: RunControl;
  readonly plans: PlanReader;
  readonly runId: string;
  /** Of the session's branch; the run releases it. */
  readonly lock: RunLock;
  /** Results for calls that a run before it left unanswered; they go into its first commit. */
  readonly cutOff?: readonly ToolResultMessage[];
}

/** What the next turn begins with. */
type TurnPlan =
  /** Messages that are on the path and not told yet; then the model is asked. */
  | { readonly kind: "request"; readonly delivered: readonly StoredMessage[] }
  | { readonly kind: "opening"; readonly opening: RunOpening }
  /** An answer is there; its calls are to be made. */
  | { readonly kind: "calls"; readonly turn: Answered };

/** What a turn is about: an answer, and what is to be done for it. */
interface Answered {
  /** null where the run stopped before it asked. */
  readonly answer: StoredAnswer | null;
  readonly calls: readonly BatchCall[];
  /** Results that were there before. */
  readonly results: readonly ToolResultMessage[];
  /** Whether all calls that had ended before asked for the end of the run; null where none had. */
  readonly terminate: boolean | null;
}

/** How a turn ended. */
interface TurnEnd {
  readonly answer: StoredAnswer | null;
  /** True where the answer asked for tools and not all of them for the end. */
  readonly goesOn: boolean;
  /** True where all tools asked for the end of the run. */
  readonly terminates: boolean;
  /** True where the guard against endless turns spoke. */
  readonly isLimit: boolean;
}

type Step = TurnPlan | { readonly kind: "stop"; readonly outcome: RunOutcome };

const NOTHING: Answered = { answer: null, calls: [], results: [], terminate: null };

/**
 * One run: from a prompt until nothing is left to do (harness.md §1). Whatever happens, a run ends with
 * `agent_end`, and with nothing that is not durable.
 */
export class Run {
  readonly #scope: RunScope;
  readonly #tools: RunTools;
  readonly #recovery: RunRecovery;
  #turn = 0;
  /** Turns since a person spoke. */
  #alone = 0;
  /** True where somebody else took the messages that the run was to begin with. */
  #isMoot = false;

  constructor({ kit, control, plans, runId, lock, cutOff = [] }: RunParts) {
    const { session } = kit;
    const journal = new RunJournal({ session: session.id, run: runId, branch: lock.branch });
    const log = new RunLog(session, lock, {
      moved: (branch) => journal.moved(branch),
      told: ({ leaf, previousLeaf, op }) =>
        control.tell({ type: "branch_switch", leaf, previousLeaf, op }),
    });
    this.#scope = { kit, control, log, journal, plans, cutOff, messages: [] };
    this.#tools = new RunTools(this.#scope);
    this.#recovery = new RunRecovery(this.#scope);
  }

  /** Ids of the branches that it has been on, its present one last. */
  get branches(): readonly string[] {
    return this.#scope.log.branches;
  }

  /** Runs to the end and releases the lock. Never rejects: failures are an outcome. */
  async execute(opening: RunOpening): Promise<RunResult> {
    const { control, kit, journal } = this.#scope;
    const { run: runId } = journal.identity;
    await control.tell({ type: "agent_start", runId, branch: kit.session.branch });
    let reached: RunOutcome = "error";
    try {
      reached = await this.#turns(opening);
    } catch (error) {
      // What the abort ended before there was an answer.
      const isAborted = control.signal.aborted && BranchlineError.is(error, "ABORTED");
      if (isAborted && control.failure === null) reached = "aborted";
      else control.fail(error);
    }
    const providerError = this.#recovery.error;
    return endRun(this.#scope, { reached, tools: this.#tools, providerError });
  }

  async #turns(opening: RunOpening): Promise<RunOutcome> {
    let step = await this.#first(opening);
    while (step.kind !== "stop") step = await this.#after(await this.#runTurn(step));
    return step.outcome;
  }

  /** After a crash a run begins where it was. */
  async #first(opening: RunOpening): Promise<Step> {
    if (opening.kind !== "resume") return { kind: "opening", opening };
    const { plan, results } = opening;
    if (plan.action === "request") return { kind: "request", delivered: [] };
    if (plan.action === "limit") return stop("turn-limit");
    const { message, entryId } = plan;
    const broken = { error: "fatal", aborted: "aborted" } as const;
    const { stopReason } = message;
    const isBroken = stopReason === "error" || stopReason === "aborted";
    const answer = { message, entryId, failure: isBroken ? broken[stopReason] : "none" } as const;
    if (plan.action === "stop") {
      return this.#after({ answer, goesOn: false, terminates: false, isLimit: false });
    }
    const blocks = message.content.filter(isToolCall);
    const calls = plan.calls.flatMap(({ index, step }): BatchCall[] => {
      const block = blocks[index];
      return block === undefined || step.kind === "answered" ? [] : [{ block, index, known: step }];
    });
    const ended = plan.calls.some(
      ({ step }) => step.kind === "answered" || step.kind === "finished",
    );
    const terminate = ended ? plan.terminate : null;
    return { kind: "calls", turn: { answer, calls, results, terminate } };
  }

  async #runTurn(plan: TurnPlan): Promise<TurnEnd> {
    const { control, kit } = this.#scope;
    this.#turn++;
    const turn = this.#turn;
    await control.tell({ type: "turn_start", turn });
    const { answer, calls, results, terminate } =
      plan.kind === "calls" ? plan.turn : await this.#answer(plan);
    const batch = await this.#tools.run(answer?.entryId ?? "", calls);
    const toolResults = [...results, ...batch.results];
    const wishes = [terminate, batch.terminate].flatMap((wish) => wish ?? []);
    const terminates = wishes.length > 0 && !wishes.includes(false);
    const goesOn = toolResults.length > 0 && !terminates;
    const isLimit = goesOn && (await this.#guard());
    const message = answer?.message ?? null;
    await control.tell({ type: "turn_end", turn, message, toolResults });
    await flushConfig(this.#scope);
    await control.tell({ type: "save_point", leaf: kit.session.leaf });
    return { answer, goesOn, terminates, isLimit };
  }

  async #answer(plan: Exclude<TurnPlan, { readonly kind: "calls" }>): Promise<Answered> {
    await this.#inject(plan);
    if (this.#isMoot) return NOTHING;
    if (plan.kind === "opening" && (await this.#needsApproval())) return NOTHING;
    const answer = await this.#request();
    const isWhole = answer.failure === "none";
    const blocks = isWhole ? answer.message.content.filter(isToolCall) : [];
    return { ...NOTHING, answer, calls: blocks.map((block, index) => ({ block, index })) };
  }

  /** Tells, and where that is not done yet writes, what people said since the last request. */
  async #inject(plan: Exclude<TurnPlan, { readonly kind: "calls" }>): Promise<void> {
    const isOpening = plan.kind === "opening";
    const said = isOpening ? await openRun(this.#scope, plan.opening) : plan.delivered;
    this.#isMoot = isOpening && plan.opening.kind === "queued" && said.length === 0;
    await this.#hear(said);
    if (isOpening || said.length === 0) await this.#steer();
    this.#alone++;
  }

  async #hear(said: readonly StoredMessage[]): Promise<void> {
    await announce(this.#scope, said);
    if (said.length > 0) this.#alone = 0;
  }

  async #steer(): Promise<void> {
    await this.#hear(await deliver(this.#scope, nextOf(this.#scope, "steer")));
  }

  async #needsApproval(): Promise<boolean> {
    const { plans, kit } = this.#scope;
    const plan = await plans.at(kit.session.leaf);
    return planGate(plan).decision === "approval";
  }

  /** harness.md §2: settings, messages, compaction, then one context for one request. */
  async #request(): Promise<StoredAnswer> {
    const { kit, control } = this.#scope;
    await flushConfig(this.#scope);
    let ready = await readyRequest(this.#scope);
    const mayCompact = this.#recovery.mayCompact && !control.signal.aborted;
    if (mayCompact && dueCompaction(kit, ready) !== "no") {
      await this.#recovery.compact("threshold", ready);
      // What was typed meanwhile comes before the request (F090, F093).
      await this.#steer();
      ready = await readyRequest(this.#scope);
    }
    return askModel(this.#scope, ready);
  }

  /** Says that the run has gone on for too long by itself. True where it has. */
  async #guard(): Promise<boolean> {
    const { kit, control, log } = this.#scope;
    const { maxTurns, clock } = kit.options;
    if (maxTurns === null || this.#alone < maxTurns) return false;
    if (control.signal.aborted || nextOf(this.#scope, "steer").length > 0) return false;
    const content = `The run was stopped after ${this.#alone} turns in a row (the limit is ${maxTurns}).`;
    // Typed as made by the machine, so that nobody takes it for the model's words (F070).
    const shown = { customType: TURN_LIMIT_TYPE, content, display: true } as const;
    const [entry] = await log.append([{ type: "custom_message", ...shown }]);
    const message: Message = { role: "custom", ...shown, timestamp: clock.now() };
    await announce(this.#scope, [storedMessage(entry, message)]);
    return true;
  }

  /** What follows a turn. */
  async #after({ answer, goesOn, terminates, isLimit }: TurnEnd): Promise<Step> {
    const scope = this.#scope;
    await refreshQueues(scope.kit);
    if (scope.control.signal.aborted || answer?.failure === "aborted") return stop("aborted");
    if (answer === null) return stop(this.#isMoot ? "done" : "approval");
    if (answer.failure !== "none") {
      const isRecovered = await this.#recovery.recover(answer);
      if (scope.control.signal.aborted) return stop("aborted");
      return isRecovered ? { kind: "request", delivered: [] } : stop("error");
    }
    this.#recovery.succeed();
    if (isLimit) return stop("turn-limit");
    const isWanted = goesOn || RUN_QUEUES.some((queue) => nextOf(scope, queue).length > 0);
    if (isWanted && (await this.#needsApproval())) return stop("approval");
    if (goesOn) return { kind: "request", delivered: [] };
    for (const queue of RUN_QUEUES) {
      const delivered = await deliver(scope, nextOf(scope, queue));
      if (delivered.length > 0) return { kind: "request", delivered };
    }
    return stop(terminates ? "stopped" : "done");
  }
}

const stop = (outcome: RunOutcome): Step => ({ kind: "stop", outcome });
