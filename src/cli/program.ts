import type { CliIo } from "./cli-io.ts";
import { type CommandLine, readCommandLine } from "./command-line.ts";
import type { ExitCode } from "./exit-code.ts";
import { SessionLocator } from "./locate.ts";
import { Output } from "./output.ts";
import { usage, withHelp } from "./usage.ts";
import { Call } from "./verb.ts";

/** Runs one command line to its end and gives the exit code. Throws what the verb throws. */
export async function runProgram(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const line = await readCommandLine(argv);
  if (line !== undefined) return await runVerb(line, io);
  let exitCode: ExitCode = 0;
  const { parseCommand } = await import("./parse-command.ts");
  await parseCommand(argv, io, async (parsed) => {
    exitCode = await runVerb(parsed, io);
  });
  return exitCode;
}

async function runVerb(line: CommandLine, io: CliIo): Promise<ExitCode> {
  const { verb, words, options, globals } = line;
  const [first, second] = verb.arguments;
  const namesSession = first?.kind === "session" && second === undefined && first.rest !== true;
  if (namesSession && globals.session !== undefined && words.length > 0) {
    throw usage("Two sessions are named: one as argument, one by -s.", "Name one of them.");
  }
  const out = new Output(io, globals);
  await using sessions = new SessionLocator(io, {
    root: globals.root,
    index: globals.index,
    network: globals.network,
    onDamage: (text) => out.talk(text),
  });
  const context = { io, out, sessions, session: globals.session };
  try {
    return await verb.run(new Call(context, words, options));
  } catch (error) {
    throw withHelp(error, verb.name);
  }
}
