import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const SCRIPT = join(import.meta.dirname, "ack-writer.ts");

/** How a writer is started. */
export interface WriterOptions {
  readonly root: string;
  readonly session: string;
  readonly entries?: number;
  /** Bytes of text in each entry. */
  readonly bytes?: number;
  /** A program and its arguments that run the writer (strace, a shell with limits). */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** One acknowledged entry of a writer; times in ms that all processes of the machine share. */
export interface AckRow {
  readonly id: string;
  readonly parent: string | null;
  readonly began: number;
  readonly ended: number;
}

/** A writer in a process of its own and what it has told so far. */
export class WatchedWriter {
  readonly acks: string[] = [];
  readonly rows: AckRow[] = [];
  readonly errors: string[] = [];
  isDone = false;
  readonly process: ChildProcess;
  readonly #waiting: { readonly count: number; readonly done: () => void }[] = [];
  readonly #closed: Promise<unknown>;
  #stderr = "";

  constructor(options: WriterOptions) {
    const { root, session, entries = 1_000_000, bytes = 200, under = [], env = {} } = options;
    const command = [...under, process.execPath, SCRIPT, root, session, `${entries}`, `${bytes}`];
    const [program = "", ...args] = command;
    this.process = spawn(program, args, { env: { ...process.env, ...env }, stdio: "pipe" });
    this.#closed = once(this.process, "close");
    this.process.stderr?.on("data", (data: Buffer) => {
      this.#stderr += data;
    });
    if (this.process.stdout === null) return;
    createInterface({ input: this.process.stdout }).on("line", (line) => this.#hear(line));
  }

  /** What it said on stderr. */
  get said(): string {
    return this.#stderr;
  }

  /** Resolves when so many entries are acknowledged, or it has ended. */
  async reached(count: number): Promise<void> {
    if (this.acks.length >= count) return;
    const reached = new Promise<void>((done) => this.#waiting.push({ count, done }));
    await Promise.race([reached, this.#closed]);
  }

  /** Resolves when the process is gone and everything it told has been heard. */
  async ended(): Promise<void> {
    await this.#closed;
  }

  /** Kills it as the kernel does, and waits for its end. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.#closed;
  }

  #hear(line: string): void {
    const told = parsed(line);
    if (typeof told.ack === "string") {
      this.acks.push(told.ack);
      this.rows.push({
        id: told.ack,
        parent: typeof told.parent === "string" ? told.parent : null,
        began: Number(told.began),
        ended: Number(told.ended),
      });
    }
    if (typeof told.error === "string") this.errors.push(told.error);
    if (told.done !== undefined) this.isDone = true;
    for (const wait of this.#waiting) if (this.acks.length >= wait.count) wait.done();
  }
}

/** A line that was cut off by a kill tells nothing. */
function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
