import { ioFailed } from "../io-failure.ts";

/** Names of the operations of the file system and its handles, as in the operation log. */
export type Operation =
  | "close"
  | "datasync"
  | "link"
  | "lstat"
  | "makeDirectory"
  | "open"
  | "read"
  | "readDirectory"
  | "readFile"
  | "realpath"
  | "removeFile"
  | "rename"
  | "setTimes"
  | "stat"
  | "sync"
  | "syncDirectory"
  | "truncate"
  | "write";

/** What goes wrong the next time. */
export interface Fault {
  /** The errno to fail with; without it (writes only) the write is short and reports no error. */
  readonly errno?: string;
  /** Only for this path; default: any. */
  readonly path?: string;
  /** Writes only: this many bytes reach the file all the same; default 0. */
  readonly partialBytes?: number;
  /** How many matching operations go well before; default 0. */
  readonly after?: number;
  /** How many operations then fail; default 1. */
  readonly times?: number;
}

/** An operation that was stopped on its way. */
export interface Pause {
  /** Resolves when the operation has arrived. */
  readonly reached: Promise<void>;
  /** Lets it go on. */
  resume(): void;
}

interface PlannedFault {
  readonly operation: Operation;
  readonly fault: Fault;
  skip: number;
  left: number;
}

interface PlannedPause {
  readonly operation: Operation;
  readonly path: string | undefined;
  readonly arrive: () => void;
  readonly resumed: Promise<void>;
}

/** The faults and pauses that tests ask for, matched in the order in which they were asked for. */
export class FaultPlan {
  readonly #faults: PlannedFault[] = [];
  readonly #pauses: PlannedPause[] = [];
  /** Operations that began so far, those that failed included. */
  operations = 0;
  #numbered: { left: number; readonly fault: Fault; met: Operation | null } | null = null;

  /** Plans a fault. */
  failNext(operation: Operation, fault: Fault): void {
    this.#faults.push({
      operation,
      fault,
      skip: fault.after ?? 0,
      left: fault.times ?? 1,
    });
  }

  /** Plans a fault of the `number`-th operation from now, from 1, whatever it is; one at a time. */
  failOperation(number: number, fault: Fault): void {
    this.#numbered = { left: number, fault, met: null };
  }

  /** The operation that the numbered fault hit, or null while it has hit none. */
  get numberedMet(): Operation | null {
    return this.#numbered?.met ?? null;
  }

  /** Plans a stop of the next such operation, before it does anything. */
  pauseNext(operation: Operation, path?: string): Pause {
    const reached = Promise.withResolvers<void>();
    const resumed = Promise.withResolvers<void>();
    this.#pauses.push({
      operation,
      path,
      arrive: reached.resolve,
      resumed: resumed.promise,
    });
    return { reached: reached.promise, resume: resumed.resolve };
  }

  /** Called by every operation first: stops if planned, then gives the fault that hits it, if any. */
  async meet(operation: Operation, path: string): Promise<Fault | undefined> {
    this.operations += 1;
    const index = this.#pauses.findIndex(
      (pause) => pause.operation === operation && (pause.path ?? path) === path,
    );
    const [pause] = index < 0 ? [] : this.#pauses.splice(index, 1);
    pause?.arrive();
    await pause?.resumed;
    return this.#takeNumbered(operation) ?? this.#take(operation, path);
  }

  /** Like `meet`, and throws the fault as `IO_FAILED`. */
  async pass(operation: Operation, path: string): Promise<void> {
    const fault = await this.meet(operation, path);
    if (fault?.errno !== undefined) throw ioFailed({ operation, path }, fault.errno);
  }

  #takeNumbered(operation: Operation): Fault | undefined {
    if (this.#numbered === null || this.#numbered.met !== null) return undefined;
    this.#numbered.left -= 1;
    if (this.#numbered.left > 0) return undefined;
    this.#numbered.met = operation;
    return this.#numbered.fault;
  }

  #take(operation: Operation, path: string): Fault | undefined {
    for (const planned of this.#faults) {
      const matches = planned.operation === operation && (planned.fault.path ?? path) === path;
      if (!matches || planned.left === 0) continue;
      if (planned.skip > 0) {
        planned.skip -= 1;
        continue;
      }
      planned.left -= 1;
      return planned.fault;
    }
    return undefined;
  }
}
