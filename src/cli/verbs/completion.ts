import { completionScript, isShell, SHELLS } from "../completion-script.ts";
import { type Call, usage, type Verb, type VerbOption } from "../verb.ts";

/** What completion needs to know of the command line. */
export interface CompletionSource {
  readonly verbs: () => readonly Verb[];
  readonly options: readonly VerbOption[];
}

/** More words than this help nobody. */
const MOST_WORDS = 200;

function optionWords(options: readonly VerbOption[]): string[] {
  return options.map((option) => `--${option.name}`);
}

async function sessionWords(call: Call): Promise<string[]> {
  const rows = await call.sessions.list();
  // Names with characters that a shell would act on are left out: ids always work.
  const plain = /^[\p{L}\p{N}._-]+$/u;
  const words = rows.flatMap((row) => [row.id, ...(row.name === null ? [] : [row.name])]);
  return ["last", ...words.filter((word) => plain.test(word)).slice(0, MOST_WORDS)];
}

async function branchWords(call: Call): Promise<string[]> {
  const session = await call.sessions.open(call.sessionOption);
  const plain = /^[\p{L}\p{N}._-]+$/u;
  const names = session.tree.branches().flatMap((branch) => branch.name ?? []);
  return ["@", ...names.filter((name) => plain.test(name))];
}

/** Words that may stand where the cursor is; `typed` ends with the word under the cursor. */
async function candidates(
  call: Call,
  source: CompletionSource,
  typed: readonly string[],
): Promise<readonly string[]> {
  const current = typed.at(-1) ?? "";
  const before = typed.at(-2);
  const verbs = source.verbs().filter((verb) => verb.hidden !== true);
  const verb = verbs.find((one) => typed.slice(0, -1).includes(one.name));
  const options = [...source.options, ...(verb?.options ?? [])];
  if (before === "-s" || before === "--session") return await sessionWords(call);
  const valued = options.find((option) => `--${option.name}` === before);
  if (valued?.choices !== undefined) return valued.choices;
  if (current.startsWith("-")) return optionWords(options);
  if (verb === undefined) return verbs.map((one) => one.name);
  const position = typed.slice(typed.indexOf(verb.name) + 1, -1).filter((w) => !w.startsWith("-"));
  const argument = verb.arguments[position.length] ?? verb.arguments.at(-1);
  if (argument?.kind === "session") return await sessionWords(call);
  if (argument?.kind === "choice") return argument.choices ?? [];
  if (argument?.kind === "revision" || argument?.kind === "branch") return await branchWords(call);
  return [];
}

/** The verb that prints a script, and the hidden one that the script asks. */
export function completionVerbs(source: CompletionSource): readonly Verb[] {
  const completion: Verb = {
    name: "completion",
    summary: "print a completion script for your shell",
    example: 'eval "$(branchline completion bash)"',
    arguments: [
      { name: "shell", about: SHELLS.join(", "), kind: "choice", choices: SHELLS, required: true },
    ],
    options: [],
    async run(call) {
      const shell = call.word(0, "The shell");
      if (!isShell(shell)) throw usage(`${shell} is not known.`, `Known are ${SHELLS.join(", ")}.`);
      call.out.line(completionScript(shell).trimEnd());
      return 0;
    },
  };
  const complete: Verb = {
    name: "__complete",
    summary: "words for the completion script",
    example: "branchline __complete tr",
    arguments: [{ name: "words", about: "what was typed", kind: "text", rest: true }],
    options: [],
    hidden: true,
    async run(call) {
      // Completion never complains: a shell would print it into the line that is being typed.
      const words = await candidates(call, source, call.words).catch(() => []);
      const current = call.words.at(-1) ?? "";
      for (const word of new Set(words)) if (word.startsWith(current)) call.out.line(word);
      return 0;
    },
  };
  return [completion, complete];
}
