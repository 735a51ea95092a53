import type { Entry } from "../entry/entry.ts";
import { RUN_TYPE } from "../entry/own-state.ts";
import type { StoreSession } from "../store/store.ts";
import type { RunOutcome } from "./events.ts";
import { type CallPlace, type JournaledCall, type RunRow, runRow } from "./run-rows.ts";
import type { ToolOutput } from "./tool.ts";
import type { WorkingFilesState } from "./working-files.ts";

/** What the journal knows of one call of an assistant message. */
export interface CallRecord {
  /** null where only its result stands in the journal. */
  readonly call: JournaledCall | null;
  readonly ended: boolean;
  /** Where it has ended and the tool result message does not hold it. */
  readonly output: ToolOutput | null;
  readonly terminate: boolean;
}

/** A run without an end: it is under way, or its process died. */
export interface OpenRun {
  readonly run: string;
  readonly branch: string;
  /** Id of its start row. */
  readonly start: string;
  /** Calls by the id of their assistant message, then by their place in it. */
  readonly calls: ReadonlyMap<string, ReadonlyMap<number, CallRecord>>;
  readonly filesBefore: WorkingFilesState | null;
  readonly filesAfter: WorkingFilesState | null;
}

/** How a run ended. */
export interface EndedRun {
  readonly run: string;
  readonly branch: string;
  readonly outcome: RunOutcome;
  readonly filesBefore: WorkingFilesState | null;
  readonly filesAfter: WorkingFilesState | null;
}

interface MutableRun extends OpenRun {
  branch: string;
  readonly calls: Map<string, Map<number, CallRecord>>;
  filesBefore: WorkingFilesState | null;
  filesAfter: WorkingFilesState | null;
}

const NO_RECORD: CallRecord = { call: null, ended: false, output: null, terminate: false };

/**
 * The runs of a session as the journal tells them, a pure fold in file order. A branch has one run at a
 * time (P6), so a start closes what was open on its branch. Of runs with an end only the last one is kept.
 */
export class RunState {
  readonly #session: string;
  readonly #open = new Map<string, MutableRun>();
  #last: EndedRun | null = null;

  constructor(session: string) {
    this.#session = session;
  }

  /** Takes the next entry in file order. */
  add(entry: Entry): void {
    const row = runRow(entry, this.#session);
    if (row === null) return;
    if (row.event === "start") this.#start(row, entry.id);
    else {
      const run = this.#open.get(row.run);
      if (run !== undefined) this.#change(run, row);
    }
  }

  /** The runs without an end, oldest first. */
  get open(): readonly OpenRun[] {
    return [...this.#open.values()];
  }

  /** The run without an end on a branch, or null. */
  openOn(branch: string): OpenRun | null {
    return this.open.find((run) => run.branch === branch) ?? null;
  }

  /** The run that ended last, or null. */
  get last(): EndedRun | null {
    return this.#last;
  }

  #start({ run, branch }: RunRow & { readonly event: "start" }, start: string): void {
    this.#close(branch);
    const calls = new Map();
    this.#open.set(run, { run, branch, start, calls, filesBefore: null, filesAfter: null });
  }

  #close(branch: string): void {
    for (const other of this.#open.values()) {
      if (other.branch === branch) this.#open.delete(other.run);
    }
  }

  #change(run: MutableRun, row: Exclude<RunRow, { readonly event: "start" }>): void {
    switch (row.event) {
      case "moved":
        this.#open.delete(run.run);
        this.#close(row.branch);
        this.#open.set(run.run, run);
        run.branch = row.branch;
        break;
      case "calls":
        for (const call of row.calls)
          record(run, { message: row.message, index: call.index }, { call });
        break;
      case "result": {
        const { output, terminate } = row;
        record(run, row, { ended: true, output, terminate });
        break;
      }
      case "files":
        if (row.when === "after") run.filesAfter = row.files;
        else run.filesBefore ??= row.files;
        break;
      case "end": {
        this.#open.delete(run.run);
        const { branch, filesBefore, filesAfter } = run;
        this.#last = { run: run.run, branch, outcome: row.outcome, filesBefore, filesAfter };
      }
    }
  }
}

function record(run: MutableRun, { message, index }: CallPlace, change: Partial<CallRecord>): void {
  const calls = run.calls.get(message) ?? new Map<number, CallRecord>();
  run.calls.set(message, calls);
  calls.set(index, { ...(calls.get(index) ?? NO_RECORD), ...change });
}

/** Reads the journal of a session as its handle knows it (refresh first). Linear in the rows of runs. */
export async function readRunState(store: StoreSession): Promise<RunState> {
  const state = new RunState(store.id);
  for await (const entry of store.scan({ customTypes: [RUN_TYPE] })) state.add(entry);
  return state;
}
