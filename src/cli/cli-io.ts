import process from "node:process";

/** Where text goes. */
export interface TextSink {
  write(text: string): unknown;
}

/** Everything a command touches outside the engine; tests hand in their own. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the current folder. */
  readonly cwd: string;
  /** Width of the terminal. */
  readonly columns: number;
  /** True where standard output is a terminal. */
  readonly isTTY: boolean;
  /** True where standard input is a terminal, so that a question can be asked. */
  readonly canAsk: boolean;
  /** Stops reading standard input, so that an open pipe does not keep the process alive. */
  closeStdin(): void;
}

/** The streams and settings of this process. Standard input is opened by the first verb that asks for it. */
export function processIo(): CliIo {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    get stdin() {
      return process.stdin;
    },
    env: process.env,
    cwd: process.cwd(),
    columns: process.stdout.columns ?? 100,
    isTTY: process.stdout.isTTY === true,
    get canAsk() {
      return process.stdin.isTTY === true;
    },
    closeStdin: () => void process.stdin.destroy(),
  };
}
