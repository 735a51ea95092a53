import { Command, CommanderError, Option, type ParseOptionsResult } from "commander";
import { safeText } from "../view/safe-text.ts";
import type { CliIo } from "./cli-io.ts";
import type { CommandLine, Globals } from "./command-line.ts";
import { usage } from "./usage.ts";
import type { Verb, VerbOption } from "./verb.ts";
import { GLOBAL_OPTIONS, loadVerb, loadVerbs } from "./verb-table.ts";
import { VERSION } from "./version.ts";

const ABOUT = `Sessions of AI agents as trees that never lose anything.

  Without a verb: the state of this folder's newest session.
  SESSION is a file, an id, a unique prefix of one, a name, or "last"; without it, the newest
  session of this folder. REV is @ (the leaf), @~3 (three up), @^ (one user turn back), @{1} (before
  the last move), a branch name, :label, an id prefix of 3 characters or more, or root. For label,
  hide, replace, unhide and show, @ is the last message or event, not a label or edit behind it.`;

const EPILOG = `
Standard output is data, standard error is talk. Exit codes: 0 ok, 1 not found or failed, 2 usage,
3 damaged, 4 conflict or busy, 5 the model failed, 130 the run was aborted, 141 the reader of a pipe went
away. "branchline help VERB" explains a verb with an example.`;

function optionOf(option: VerbOption): Option {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  const value = option.value === undefined ? "" : ` <${option.value}>`;
  const made = new Option(`${short}--${option.name}${value}`, option.about);
  // To commander `--no-redact` is the value false of `--redact`; here they are two words, and what they mean
  // together is for the verb to say.
  made.negate = false;
  if (option.choices !== undefined) made.choices([...option.choices]);
  if (option.repeat === true) {
    made.default(undefined).argParser((word: string, before: unknown) => {
      return [...(Array.isArray(before) ? before.map(String) : []), word];
    });
  }
  return made;
}

/** commander camel-cases option names; the table's own names are used everywhere else. */
function namedOptions(command: Command): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (value !== undefined) values[option.name()] = value;
  }
  return values;
}

function addVerb(
  program: Command,
  verb: Verb,
  run: (verb: Verb, command: Command) => Promise<void>,
): void {
  const command = program.command(verb.name, verb.hidden === true ? { hidden: true } : {});
  command.summary(verb.summary).description(verb.summary);
  for (const argument of verb.arguments) {
    const name = argument.rest === true ? `${argument.name}...` : argument.name;
    command.argument(argument.required === true ? `<${name}>` : `[${name}]`, argument.about);
  }
  for (const option of verb.options) command.addOption(optionOf(option));
  command.addHelpText("after", `\nExample:\n  ${verb.example}`);
  command.action(() => run(verb, command));
}

function globalsOf(program: Command): Globals {
  const text = (name: string): string | undefined => {
    const value: unknown = program.getOptionValue(name);
    return typeof value === "string" ? value : undefined;
  };
  const has = (name: string): boolean => program.getOptionValue(name) === true;
  const flags = { json: has("json"), plain: has("plain"), debug: has("debug") };
  const index = program.getOptionValue("noIndex") === true ? "off" : "on";
  const network = program.getOptionValue("allowNetwork") === true ? "allow" : "refuse";
  return { ...flags, root: text("root"), session: text("session"), index, network };
}

/**
 * Reads a command line of any form, prints help and the version, and hands a verb's line to `run`.
 * Throws USAGE with a suggestion, and what `run` throws.
 */
export async function parseCommand(
  argv: readonly string[],
  io: CliIo,
  run: (line: CommandLine) => Promise<void>,
): Promise<void> {
  const program = new Command("branchline");
  program.description(ABOUT).exitOverride().allowExcessArguments(false);
  program.version(VERSION, "-V, --version", "show the version");
  program.helpCommand("help [verb]", "explain a verb");
  program.showSuggestionAfterError(true).addHelpText("after", EPILOG);
  program.configureHelp({
    helpWidth: Math.min(100, Math.max(60, io.columns)),
    showGlobalOptions: true,
  });
  program.configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    // Its errors come out as ours, in one place.
    writeErr: () => undefined,
  });
  for (const option of GLOBAL_OPTIONS) program.addOption(optionOf(option));
  const runOne = (verb: Verb, command: Command): Promise<void> => {
    const globals = globalsOf(program);
    return run({ verb, words: command.args, options: namedOptions(command), globals });
  };
  try {
    const words = withVerb(argv);
    for (const verb of await verbsFor(words)) addVerb(program, verb, runOne);
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    throw usage(safeText(error.message.replace(/^error: /, "")), hintFor(program, argv));
  }
}

function hintFor(program: Command, argv: readonly string[]): string {
  const names = new Set(program.commands.map((command) => command.name()));
  const verb = argv.find((word) => names.has(word));
  return `\`branchline ${verb === undefined ? "--help" : `help ${verb}`}\` shows what fits.`;
}

/** No verb = status. */
function withVerb(argv: readonly string[]): readonly string[] {
  const isQuestion = argv.some((word) => QUESTIONS.has(word));
  if (isQuestion || hasOperand(argv)) return argv;
  return ["status", ...argv];
}

const QUESTIONS: ReadonlySet<string> = new Set(["-h", "--help", "-V", "--version"]);

/** The words as the global options leave them. */
function withoutGlobals(argv: readonly string[]): ParseOptionsResult {
  const bare = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of GLOBAL_OPTIONS) bare.addOption(optionOf(option));
  return bare.parseOptions([...argv]);
}

function hasOperand(argv: readonly string[]): boolean {
  const { operands, unknown } = withoutGlobals(argv);
  return operands.length > 0 || unknown.some((word) => !word.startsWith("-"));
}

/** Only the verb that was named has to be loaded; all of them for help, and for what may be a slip. */
async function verbsFor(argv: readonly string[]): Promise<readonly Verb[]> {
  if (argv.length === 1 && ["-V", "--version"].includes(argv[0] as string)) return [];
  const [name] = withoutGlobals(argv).operands;
  const verb = name === undefined ? undefined : await loadVerb(name);
  return verb === undefined ? await loadVerbs() : [verb];
}
