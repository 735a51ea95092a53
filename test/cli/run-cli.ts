import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { run } from "../../src/cli/main.ts";

/** Folder of the sample sessions. */
export const SAMPLES: string = path.resolve(import.meta.dirname, "../../examples/sessions");

/** What a command said. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The JSON lines of standard output. */
  readonly rows: readonly Readonly<Record<string, never>>[];
}

/** Where a command runs. */
export interface RunOptions {
  readonly stdin?: string | AsyncIterable<string>;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** A home of its own for the commands of one test. */
export interface Desk {
  readonly home: string;
  /** A working folder inside it. */
  readonly cwd: string;
  cli(args: readonly string[], options?: RunOptions): Promise<Said>;
  /** Runs a command that must succeed. */
  ok(args: readonly string[], options?: RunOptions): Promise<Said>;
  /** Copies a sample session into the home and gives the path of the copy. */
  sample(name: string): string;
}

async function* once(text: string): AsyncIterable<string> {
  yield text;
}

function jsonRows(text: string): Readonly<Record<string, never>>[] {
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line));
}

/** Makes a home; it is removed when the test ends. */
export function makeDesk(t: TestContext): Desk {
  const home = mkdtempSync(path.join(tmpdir(), "branchline-cli-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const cwd = path.join(home, "project");
  const cli = async (args: readonly string[], options: RunOptions = {}): Promise<Said> => {
    let out = "";
    let err = "";
    const { stdin = "" } = options;
    const code = await run(args, {
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
      stdin: typeof stdin === "string" ? once(stdin) : stdin,
      env: { HOME: home, ...options.env },
      cwd,
      columns: options.columns ?? 100,
      isTTY: options.isTTY ?? false,
      canAsk: options.isTTY ?? false,
      closeStdin: () => undefined,
    });
    return { code, out, err, rows: args.includes("--json") ? jsonRows(out) : [] };
  };
  return {
    home,
    cwd,
    cli,
    async ok(args, options) {
      const said = await cli(args, options);
      if (said.code !== 0) throw new Error(`${args.join(" ")}: exit ${said.code}\n${said.err}`);
      return said;
    },
    sample(name) {
      const copy = path.join(home, name);
      cpSync(path.join(SAMPLES, name), copy);
      return copy;
    },
  };
}

/** Lines of `append` for a user question and an answer. */
export function turn(question: string, answer: string): string {
  const user = { type: "message", message: { role: "user", content: question } };
  const content = [{ type: "text", text: answer }];
  const message = { role: "assistant", content, provider: "p", model: "m", stopReason: "stop" };
  return `${JSON.stringify(user)}\n${JSON.stringify({ type: "message", message })}\n`;
}
