import { BranchlineError } from "../errors.ts";
import { type CliIo, processIo } from "./cli-io.ts";
import { exitCodeOf } from "./exit-code.ts";
import { Output } from "./output.ts";
import { runProgram } from "./program.ts";

/** Verbs that may have written before they said anything: they are never run a second time. */
const ONCE: ReadonlySet<string> = new Set([
  ...["append", "ask", "chat", "compact", "edit", "merge", "pick", "queue", "resume", "retry"],
]);

/**
 * Runs one command line (without node and script) and gives its exit code. Never throws: what goes
 * wrong is told on standard error, with a stack trace only under --debug.
 */
export async function run(argv: readonly string[], io: CliIo = processIo()): Promise<number> {
  const watched = watchOutput(io);
  try {
    return await runProgram(argv, watched.io);
  } catch (error) {
    // Nothing was said yet, so the same question can be put to the files themselves.
    const mayRepeat = !argv.some((word) => ONCE.has(word));
    if (isIndexTrouble(error) && watched.isSilent() && mayRepeat) {
      return await run(argv, { ...io, env: { ...io.env, BRANCHLINE_INDEX: "off" } });
    }
    // The parser may be what failed, so the flags of the report are looked for by hand.
    const has = (flag: string): boolean => argv.includes(flag);
    const flags = { json: has("--json"), plain: has("--plain"), debug: has("--debug") };
    new Output(io, flags).failure(error);
    return exitCodeOf(error);
  }
}

/** The index gave way in the middle of a question: damaged, removed or rebuilt by another process. */
function isIndexTrouble(error: unknown): boolean {
  return BranchlineError.is(error, "IO_FAILED") && error.fields.operation === "index";
}

function watchOutput(io: CliIo): { readonly io: CliIo; readonly isSilent: () => boolean } {
  let isSilent = true;
  const stdout: CliIo["stdout"] = {
    write: (text) => {
      isSilent = false;
      return io.stdout.write(text);
    },
  };
  // A copy would open standard input, which most verbs never read.
  const watched: CliIo = Object.create(io, { stdout: { value: stdout } });
  return { io: watched, isSilent: () => isSilent };
}
