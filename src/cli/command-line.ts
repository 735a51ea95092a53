import type { Verb, VerbOption } from "./verb.ts";
import { GLOBAL_OPTIONS, loadVerb } from "./verb-table.ts";

/** The global options of a command line. */
export interface Globals {
  readonly json: boolean;
  readonly plain: boolean;
  readonly debug: boolean;
  readonly root: string | undefined;
  readonly session: string | undefined;
  /** "off" = --no-index. */
  readonly index: "on" | "off";
  /** "allow" = --allow-network. */
  readonly network: "allow" | "refuse";
}

/** A command line that names a verb, taken apart. */
export interface CommandLine {
  readonly verb: Verb;
  /** Arguments of the verb. */
  readonly words: readonly string[];
  /** Values of the verb's options, under their names without dashes. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly globals: Globals;
}

/**
 * Reads the plain form of a command line: known options written out, values as words of their own. Gives
 * undefined for every other form, for help, and for whatever is wrong: then the full parser has to read
 * it. The full parser would give the same for what this reads, but loading it takes longer than `ls`.
 */
export async function readCommandLine(argv: readonly string[]): Promise<CommandLine | undefined> {
  const before = takeOptions(argv, GLOBAL_OPTIONS, "first word");
  if (before === undefined) return undefined;
  const verb = await loadVerb(before.words[0] ?? "status");
  if (verb === undefined) return undefined;
  const after = takeOptions(before.words.slice(1), [...GLOBAL_OPTIONS, ...verb.options], "all");
  if (after === undefined || !fits(verb, after.words)) return undefined;
  const values = { ...before.values, ...after.values };
  const own = verb.options.map(({ name }) => name).filter((name) => values[name] !== undefined);
  const options = Object.fromEntries(own.map((name) => [name, values[name]]));
  return { verb, words: after.words, options, globals: globalsOf(values) };
}

interface Taken {
  readonly values: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

/** Takes the options out, up to the first word or up to the end. */
function takeOptions(
  argv: readonly string[],
  known: readonly VerbOption[],
  until: "first word" | "all",
): Taken | undefined {
  const values: Record<string, unknown> = {};
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string;
    if (!word.startsWith("-")) {
      if (until === "first word") return { values, words: argv.slice(at) };
      words.push(word);
      continue;
    }
    const option = known.find(({ name, short }) => word === `--${name}` || word === `-${short}`);
    if (option === undefined) return undefined;
    const value = option.value === undefined ? true : argv[++at];
    if (value === undefined || !isPlainValue(option, value)) return undefined;
    values[option.name] =
      option.repeat === true ? [values[option.name] ?? [], value].flat() : value;
  }
  return { values, words };
}

function isPlainValue({ choices }: VerbOption, value: string | true): boolean {
  if (value === true) return true;
  return !value.startsWith("-") && (choices === undefined || choices.includes(value));
}

/** Whether the verb takes so many arguments. */
function fits(verb: Verb, words: readonly string[]): boolean {
  const needed = verb.arguments.filter(({ required }) => required === true).length;
  const takesRest = verb.arguments.at(-1)?.rest === true;
  return words.length >= needed && (takesRest || words.length <= verb.arguments.length);
}

function globalsOf(values: Readonly<Record<string, unknown>>): Globals {
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  const has = (name: string): boolean => values[name] === true;
  const flags = { json: has("json"), plain: has("plain"), debug: has("debug") };
  const index = has("no-index") ? "off" : "on";
  const network = has("allow-network") ? "allow" : "refuse";
  return { ...flags, root: text("root"), session: text("session"), index, network };
}
