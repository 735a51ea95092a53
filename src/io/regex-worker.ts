import { Worker } from "node:worker_threads";

/** Where the expression matched: which text of an entry, and the match in UTF-16 units. */
export interface RegexWorkerMatch {
  readonly piece: number;
  readonly start: number;
  readonly end: number;
}

/** One entry's answer. */
export type RegexWorkerAnswer = RegexWorkerMatch | null | "gave up";

/** Limits of a regular expression, in ms of matching. */
export interface RegexWorkerOptions {
  readonly pattern: string;
  readonly flags: string;
  /** For one batch, after which the entry that holds it up is given up. Default 250. */
  readonly batchMs?: number;
  /** For everything. Default 2,000. */
  readonly totalMs?: number;
}

/**
 * The worker's program. Text, because a worker's file would have another name in the built package. It
 * tells each answer at once, so that the main thread knows which entry it hangs at.
 */
const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const regex = new RegExp(workerData.pattern, workerData.flags);
parentPort.postMessage({ ready: true });
parentPort.on("message", (entries) => {
  for (let at = 0; at < entries.length; at++) {
    let answer = null;
    for (let piece = 0; piece < entries[at].length && answer === null; piece++) {
      const found = regex.exec(entries[at][piece]);
      if (found !== null) answer = { piece, start: found.index, end: found.index + found[0].length };
    }
    parentPort.postMessage({ answer });
  }
});
`;

interface Message {
  readonly answer: RegexWorkerMatch | null;
}

/**
 * Runs one regular expression in a worker thread, which is ended where it takes too long (S7). The
 * expression is valid. Close it: the thread keeps running until then.
 */
export class RegexWorker implements AsyncDisposable {
  readonly #options: RegexWorkerOptions;
  readonly #batchMs: number;
  #left: number;
  #worker: Worker | null = null;

  constructor(options: RegexWorkerOptions) {
    this.#options = options;
    this.#batchMs = options.batchMs ?? 250;
    this.#left = options.totalMs ?? 2000;
  }

  /** True once the time for everything is used up. */
  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** One answer for each entry, in order. */
  async test(entries: readonly (readonly string[])[]): Promise<readonly RegexWorkerAnswer[]> {
    const answers: RegexWorkerAnswer[] = [];
    while (answers.length < entries.length && !this.isSpent) {
      const rest = entries.slice(answers.length);
      const found = await this.#run(rest);
      answers.push(...found);
      if (found.length === rest.length) continue;
      // The worker hangs at the next entry: that one is given up, the others get a new worker.
      answers.push("gave up");
      await this.#stop();
    }
    while (answers.length < entries.length) answers.push("gave up");
    return answers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  /** Answers in order, as many as there were in time. */
  async #run(
    entries: readonly (readonly string[])[],
  ): Promise<readonly (RegexWorkerMatch | null)[]> {
    const worker = await this.#start();
    const started = performance.now();
    const answers: (RegexWorkerMatch | null)[] = [];
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        worker.off("message", take).off("error", end).off("exit", end);
        resolve();
      };
      const take = (message: Message): void => {
        answers.push(message.answer);
        if (answers.length === entries.length) end();
      };
      const timer = setTimeout(end, Math.min(this.#batchMs, this.#left));
      // A worker that dies (out of memory) is one that hangs: it has no more answers.
      worker.on("message", take).once("error", end).once("exit", end);
      worker.postMessage(entries);
    });
    this.#left -= performance.now() - started;
    return answers;
  }

  async #start(): Promise<Worker> {
    if (this.#worker !== null) return this.#worker;
    const { pattern, flags } = this.#options;
    const worker = new Worker(PROGRAM, {
      eval: true,
      workerData: { pattern, flags },
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    await new Promise<void>((resolve, reject) => {
      worker.once("message", () => resolve()).once("error", reject);
    });
    this.#worker = worker;
    return worker;
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}
