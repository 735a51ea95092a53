import { BranchlineError } from "../errors.ts";
import type { Listeners } from "./listeners.ts";
import { RunControl } from "./run-control.ts";

/** What a harness can be at. */
export type Doing = "running" | "compacting" | "navigating";

/** One thing that a harness does. */
export interface Operation {
  readonly doing: Doing;
  readonly control: RunControl;
  /** Resolves when it is over, whatever came of it. */
  readonly over: Promise<void>;
  /** Ends it. */
  finish(): void;
  /** From the end of its work on, the harness is idle; `over` comes with the last event. */
  leave(): void;
}

/**
 * One run, compaction or move at a time (harness.md §5). Entering is synchronous, so that a harness is
 * busy before anything is told or awaited (F091).
 */
export class OperationGate {
  readonly #listeners: Listeners;
  #current: Operation | null = null;
  /** Also what has left and still tells its last event. */
  readonly #unfinished = new Set<Operation>();

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  get current(): Operation | null {
    return this.#current;
  }

  /** Throws HARNESS_BUSY. */
  enter(doing: Doing): Operation {
    if (this.#current !== null) throw harnessBusy(this.#current.doing);
    const { promise, resolve } = Promise.withResolvers<void>();
    const operation: Operation = {
      doing,
      control: new RunControl(this.#listeners),
      over: promise,
      leave: () => {
        if (this.#current === operation) this.#current = null;
      },
      finish: () => {
        operation.leave();
        this.#unfinished.delete(operation);
        resolve();
      },
    };
    this.#current = operation;
    this.#unfinished.add(operation);
    return operation;
  }

  /** Resolves when nothing is under way any more, what started meanwhile included. */
  async idle(): Promise<void> {
    for (let [next] = this.#unfinished; next !== undefined; [next] = this.#unfinished) {
      await next.over;
    }
  }
}

/** The refusal of what does not fit to what the harness is at. */
export function harnessBusy(doing: Doing): BranchlineError<"HARNESS_BUSY"> {
  return new BranchlineError(
    "HARNESS_BUSY",
    { doing },
    {
      message: `The harness is ${doing}.`,
      hint: "Queue the message, wait until it has settled, or abort what it does.",
    },
  );
}
