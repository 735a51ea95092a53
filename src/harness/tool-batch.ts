import type { Entry, EntryDraft } from "../entry/entry.ts";
import type { ToolCallBlock, ToolResultMessage } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import { SerialQueue } from "../store/serial-queue.ts";
import type { HarnessEvent } from "./events.ts";
import type { ResumeStep } from "./resume-plan.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunLog } from "./run-log.ts";
import type { Permission, ToolOutput } from "./tool.ts";
import {
  executeCall,
  notRun,
  type PreparedCall,
  prepareCall,
  type ToolSetup,
} from "./tool-call.ts";
import { errorOutput, resultMessage } from "./tool-output.ts";

/** One call of a batch, in the order of the message. */
export interface BatchCall {
  readonly block: ToolCallBlock;
  /** Place among the calls of the message, from 0. */
  readonly index: number;
  /** What a run that goes on after a crash knows of it. */
  readonly known?: ResumeStep;
}

/** What a batch works with. */
export interface BatchParts {
  readonly setup: ToolSetup;
  readonly log: RunLog;
  readonly journal: RunJournal;
  /** Entry of the message that the calls are from. */
  readonly message: string;
  readonly isSequential: boolean;
  /** Rows for the commit before the first execution. */
  readonly before: () => Promise<readonly EntryDraft[]>;
  /** Tells the listeners, one event after the other; a function is asked when its turn comes. */
  readonly tell: (event: HarnessEvent | (() => HarnessEvent)) => Promise<void>;
  /** Ends the run with a failure: aborts what is under way. */
  readonly fail: (error: unknown) => void;
}

/** What came of a batch. */
export interface BatchResult {
  /** The results that this batch wrote, in the order of the calls. */
  readonly results: readonly ToolResultMessage[];
  /** Whether every call that it made asked for the end of the run; null where it made none. */
  readonly terminate: boolean | null;
}

/** A call that has its result. */
interface Landed {
  readonly message: ToolResultMessage;
  /** null where the call ended before a crash: the plan of the run knows. */
  readonly terminate: boolean | null;
  /** Its entry, once its turn in the order of the calls has come. */
  entry: Entry | null;
}

/**
 * The calls of one answer (harness.md §4). Calls run at the same time unless the run or one of the tools
 * wants them one after the other. Nothing runs before it stands in the journal; what ends is durable at
 * once: as the result message where all calls before it have theirs, else as a row (F096). The messages
 * stand in the order of the calls, whoever ended first.
 */
export class ToolBatch {
  readonly #parts: BatchParts;
  readonly #calls: readonly BatchCall[];
  readonly #landed: (Landed | null)[];
  readonly #line = new SerialQueue();
  /** The first call without a message. */
  #next = 0;

  constructor(parts: BatchParts, calls: readonly BatchCall[]) {
    this.#parts = parts;
    this.#calls = calls;
    this.#landed = calls.map(() => null);
  }

  /** Throws what a commit throws, after everything that ran has ended. */
  async run(): Promise<BatchResult> {
    const places = this.#calls.map((_, at) => at);
    if (!this.#isSequential()) await this.#runGroup(places);
    else for (const at of places) await this.#runGroup([at]);
    const landed = this.#landed.filter((one) => one !== null);
    const wishes = landed.flatMap(({ terminate }) => terminate ?? []);
    return {
      results: landed.map(({ message }) => message),
      terminate: wishes.length === 0 ? null : !wishes.includes(false),
    };
  }

  #isSequential(): boolean {
    const { isSequential, setup } = this.#parts;
    const modes = this.#calls.map(({ block }) => setup.tools.get(block.name)?.executionMode);
    return isSequential || modes.includes("sequential");
  }

  async #runGroup(places: readonly number[]): Promise<void> {
    const prepared: PreparedCall[] = [];
    for (const at of places) prepared.push(await this.#prepare(at));
    // An abort while the last one was asked about holds the ones back that were allowed before it (P68).
    this.#holdBack(prepared);
    await this.#journalCalls(places, prepared);
    this.#holdBack(prepared);
    const failures: unknown[] = [];
    await Promise.all(
      prepared.map(async (call, place) => {
        try {
          await this.#perform(places[place] as number, call);
        } catch (error) {
          failures.push(error);
          // The others are told at once, and waited for: nothing goes on behind the run's back.
          this.#parts.fail(error);
        }
      }),
    );
    if (failures.length > 0) throw failures[0];
    for (const at of places) await this.#announce(at);
  }

  /** After an abort nothing begins any more. */
  #holdBack(prepared: PreparedCall[]): void {
    if (!this.#parts.setup.signal.aborted) return;
    for (const [place, one] of prepared.entries()) {
      if (one.kind === "run") prepared[place] = notRun(one.call);
    }
  }

  async #prepare(at: number): Promise<PreparedCall> {
    const { block, known } = this.#calls[at] as BatchCall;
    const { setup } = this.#parts;
    const call = { callId: block.id, name: block.name, arguments: block.arguments };
    if (known?.kind === "finished" || known?.kind === "interrupted") {
      return { kind: "not-run", call, output: known.output };
    }
    if (known?.kind === "rerun") {
      const tool = setup.tools.get(block.name);
      const again = { ...call, arguments: known.call.arguments };
      if (tool !== undefined) return { kind: "run", call: again, tool };
    }
    let isOver = false;
    const told = async (permission: Permission): Promise<void> => {
      const { callId, name } = call;
      if (!isOver) await this.#parts.tell({ type: "tool_permission", callId, name, permission });
    };
    const prepared = await prepareCall(block, setup, told);
    isOver = true;
    return prepared;
  }

  /** Durable before anything of the group runs. */
  async #journalCalls(places: readonly number[], prepared: readonly PreparedCall[]): Promise<void> {
    const { journal, log, message, before } = this.#parts;
    const calls = prepared.flatMap((one, place) => {
      if (one.kind !== "run") return [];
      const { index } = this.#calls[places[place] as number] as BatchCall;
      return [{ index, ...one.call, replay: one.tool.replay ?? ("never" as const) }];
    });
    if (calls.length > 0) await log.append([...(await before()), journal.calls(message, calls)]);
  }

  async #perform(at: number, prepared: PreparedCall): Promise<void> {
    const { tell, setup } = this.#parts;
    const { callId, name } = prepared.call;
    if (prepared.kind === "not-run") return this.#land(at, prepared.output);
    await tell({ type: "tool_execution_start", ...prepared.call });
    const ran =
      prepared.kind === "refused"
        ? prepared.output
        : await executeCall(prepared, setup, this.#updates(callId, name));
    const output = await this.#stored(at, ran);
    const isError = output.isError === true;
    await tell({ type: "tool_execution_end", callId, name, output, isError });
  }

  /** Partial outputs: where listeners are slower than the tool, only the newest one is told. */
  #updates(callId: string, name: string): (output: ToolOutput) => void {
    let newest: ToolOutput | null = null;
    return (output) => {
      const isWaiting = newest !== null;
      newest = output;
      if (isWaiting) return;
      void this.#parts.tell(() => {
        const told = newest ?? output;
        newest = null;
        return { type: "tool_execution_update", callId, name, output: told };
      });
    };
  }

  /** A result that no entry can hold becomes one that says so. */
  async #stored(at: number, output: ToolOutput): Promise<ToolOutput> {
    try {
      await this.#land(at, output);
      return output;
    } catch (error) {
      if (!BranchlineError.is(error, "ENTRY_TOO_LARGE")) throw error;
      const instead = errorOutput(`The result of the tool is too large: ${error.message}`);
      await this.#land(at, instead);
      return instead;
    }
  }

  /** Makes the result durable, and with it those behind it that have waited for it. */
  #land(at: number, output: ToolOutput): Promise<void> {
    return this.#line.run(async () => {
      const { journal, log, message: entryId, setup } = this.#parts;
      const { block, index, known } = this.#calls[at] as BatchCall;
      const place = { message: entryId, index };
      const message = resultMessage(block, output, setup.clock.now());
      const terminate = known?.kind === "finished" ? null : output.terminate === true;
      const landed: Landed = { message, terminate, entry: null };
      if (at !== this.#next) await log.append([journal.result(place, output)]);
      else await this.#write(at, landed, journal.landed(place, output));
      this.#landed[at] = landed;
    });
  }

  async #write(at: number, first: Landed, row: EntryDraft): Promise<void> {
    const ready = [first];
    for (let next = at + 1; ; next++) {
      const landed = this.#landed[next] ?? null;
      if (landed === null) break;
      ready.push(landed);
    }
    const drafts = ready.map(({ message }): EntryDraft => ({ type: "message", message }));
    const entries = await this.#parts.log.append([row, ...drafts]);
    for (const [place, landed] of ready.entries()) landed.entry = entries[place + 1] ?? null;
    this.#next = at + ready.length;
  }

  async #announce(at: number): Promise<void> {
    const landed = this.#landed[at];
    if (landed?.entry == null) return;
    const { message, entry } = landed;
    await this.#parts.tell({ type: "message_start", message });
    await this.#parts.tell({ type: "message_end", message, entryId: entry.id });
  }
}
