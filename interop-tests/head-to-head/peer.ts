import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { SideName } from "./side.ts";

const SCRIPT = join(import.meta.dirname, "peer-process.ts");

/** A further process with one engine that does what it is told, for cases with several writers. */
export class Peer {
  readonly process: ChildProcess;
  /** Texts that it was told were written, in order. */
  readonly acknowledged: string[] = [];
  readonly #waiting: ((answer: string) => void)[] = [];
  readonly #counts: { readonly count: number; readonly done: () => void }[] = [];
  readonly #closed: Promise<unknown>;

  constructor(side: SideName, env: Readonly<Record<string, string>> = {}) {
    const args = ["--disable-warning=ExperimentalWarning", SCRIPT, side];
    this.process = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#closed = once(this.process, "close");
    // A peer that dies takes its input with it; that shows as "gone".
    this.process.stdin?.on("error", () => undefined);
    const lines = createInterface({ input: this.process.stdout as NodeJS.ReadableStream });
    lines.on("line", (line) => this.#hear(line));
    void this.#closed.then(() => this.#end());
  }

  /** The answer of one command: "ok …", "error CODE", or "gone" where the process has died. */
  async ask(...command: readonly string[]): Promise<string> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return "gone";
    const answer = new Promise<string>((resolve) => this.#waiting.push(resolve));
    this.process.stdin?.write(`${JSON.stringify(command)}\n`);
    return await answer;
  }

  /** Resolves once so many texts were acknowledged, or the process has ended. */
  async reached(count: number): Promise<void> {
    if (this.acknowledged.length >= count) return;
    const reached = new Promise<void>((done) => this.#counts.push({ count, done }));
    await Promise.race([reached, this.#closed]);
  }

  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.#closed;
  }

  #hear(line: string): void {
    if (line.startsWith("ack ")) {
      this.acknowledged.push(line.slice(4));
      for (const { count, done } of this.#counts) if (this.acknowledged.length >= count) done();
    } else this.#waiting.shift()?.(line);
  }

  #end(): void {
    for (const answer of this.#waiting.splice(0)) answer("gone");
  }
}
