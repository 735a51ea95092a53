import type { EntryDraft } from "../entry/entry.ts";
import type { RunOutcome } from "./events.ts";
import {
  type CallPlace,
  type JournaledCall,
  type RunRow,
  runDraft,
  type SpentCycles,
} from "./run-rows.ts";
import type { ToolOutput } from "./tool.ts";
import type { WorkingFilesState } from "./working-files.ts";

/** Which run the rows are of. */
export interface RunIdentity {
  /** Id of the session. */
  readonly session: string;
  /** Id of the run. */
  readonly run: string;
  /** Id of the branch it runs on. */
  readonly branch: string;
}

/**
 * The rows that make a run survive its process (F096). Only drafts: the loop decides in which commit
 * they go, and the order is what counts.
 *
 * - `start` goes into the commit of the prompt, before the user message.
 * - `calls` is durable before any call of it is executed. In a sequential batch each call has a row of
 *   its own, just before its execution: what is not in a row was surely not begun.
 * - `result` is durable as soon as a call has ended, in whatever order. Where the tool result message
 *   can be appended at once (all calls before it have theirs), `landed` goes into that commit instead.
 * - `end` goes into the last commit of the run.
 *
 * Calls that are answered without execution (blocked, unknown tool, bad arguments) need no row.
 */
export class RunJournal {
  readonly identity: RunIdentity;

  constructor(identity: RunIdentity) {
    this.identity = identity;
  }

  /** The run begins. Closes, for readers, every run of this branch that has no end. */
  start(): EntryDraft {
    return this.#draft({ event: "start", branch: this.identity.branch });
  }

  /**
   * The run goes on on another branch of its own (foreign siblings, design.md §2): in the first commit
   * there. `resume` looks for its end on that branch.
   */
  moved(branch: string): EntryDraft {
    return this.#draft({ event: "moved", branch });
  }

  /** These calls of an assistant message are executed from now on. */
  calls(message: string, calls: readonly JournaledCall[]): EntryDraft {
    return this.#draft({ event: "calls", message, calls });
  }

  /** A call has ended; its message comes later. */
  result(place: CallPlace, output: ToolOutput): EntryDraft {
    const { terminate = false, ...rest } = output;
    return this.#draft({ event: "result", ...place, output: rest, terminate });
  }

  /** A call has ended, and its tool result message stands in the same commit. */
  landed(place: CallPlace, output: Pick<ToolOutput, "terminate">): EntryDraft {
    const { terminate = false } = output;
    return this.#draft({ event: "result", ...place, output: null, terminate });
  }

  /** What git says of the folder, before the first and after the last tool of the run. */
  files(when: "before" | "after", files: WorkingFilesState | null): EntryDraft {
    return this.#draft({ event: "files", when, files });
  }

  /** The run has ended; `spent` where a budget is in force. */
  end(outcome: RunOutcome, spent: SpentCycles | null = null): EntryDraft {
    return this.#draft({ event: "end", outcome, ...(spent === null ? {} : { spent }) });
  }

  #draft(row: UnnamedRow): EntryDraft {
    return runDraft(this.identity.session, { ...row, run: this.identity.run });
  }
}

type WithoutRun<Row> = Row extends unknown ? Omit<Row, "run"> : never;
type UnnamedRow = WithoutRun<RunRow>;
