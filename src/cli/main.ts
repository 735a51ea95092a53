import { type CliIo, processIo } from "./cli-io.ts";
import { exitCodeOf } from "./exit-code.ts";
import { Output } from "./output.ts";
import { runProgram } from "./program.ts";

/**
 * Runs one command line (without node and script) and gives its exit code. Never throws: what goes
 * wrong is told on standard error, with a stack trace only under --debug.
 */
export async function run(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  try {
    return await runProgram(argv, io);
  } catch (error) {
    // The parser may be what failed, so the flags of the report are looked for by hand.
    const has = (flag: string): boolean => argv.includes(flag);
    const flags = { json: has("--json"), plain: has("--plain"), debug: has("--debug") };
    new Output(io, flags).failure(error);
    return exitCodeOf(error);
  }
}
