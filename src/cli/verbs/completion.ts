import { completionScript, isShell, SHELLS } from "../completion-script.ts";
import { usage } from "../usage.ts";
import type { Call, Verb, VerbOption } from "../verb.ts";

/** What completion needs to know of the command line. */
export interface CompletionSource {
  readonly verbs: () => Promise<readonly Verb[]>;
  readonly options: readonly VerbOption[];
}

/** The verb that prints a script, and the hidden one that the script asks. */
export interface CompletionVerbs {
  readonly completion: Verb;
  readonly complete: Verb;
}

/** What stands on the command line, once all verbs are known. */
interface Known {
  readonly verbs: readonly Verb[];
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

async function branchWords(call: Call, reference: string | undefined): Promise<string[]> {
  const session = await call.sessions.open(reference ?? call.sessionOption);
  const plain = /^[\p{L}\p{N}._-]+$/u;
  const names = session.tree.branches().flatMap((branch) => branch.name ?? []);
  return ["@", ...names.filter((name) => plain.test(name))];
}

/** What was typed before the word under the cursor, taken apart. */
interface Typed {
  readonly verb: Verb | undefined;
  /** The option whose value the cursor is on. */
  readonly open: VerbOption | undefined;
  readonly session: string | undefined;
  /** Arguments behind the verb. */
  readonly words: readonly string[];
}

function parseTyped(known: Known, typed: readonly string[]): Typed {
  const words: string[] = [];
  let verb: Verb | undefined;
  let session: string | undefined;
  let open: VerbOption | undefined;
  for (const word of typed) {
    if (open !== undefined) {
      if (open.name === "session") session = word;
      open = undefined;
    } else if (word.startsWith("-")) {
      const options = [...known.options, ...(verb?.options ?? [])];
      const option = options.find(
        ({ name, short }) => word === `--${name}` || word === `-${short}`,
      );
      if (option?.value !== undefined) open = option;
    } else if (verb === undefined) verb = known.verbs.find(({ name }) => name === word);
    else words.push(word);
  }
  return { verb, open, session, words };
}

/** Words that may stand where the cursor is; `typed` ends with the word under the cursor. */
async function candidates(
  call: Call,
  source: CompletionSource,
  typed: readonly string[],
): Promise<readonly string[]> {
  const known = { verbs: await source.verbs(), options: source.options };
  const { verb, open, session, words } = parseTyped(known, typed.slice(0, -1));
  if (open?.name === "session") return await sessionWords(call);
  if (open !== undefined) return open.choices ?? [];
  if (typed.at(-1)?.startsWith("-")) {
    return optionWords([...source.options, ...(verb?.options ?? [])]);
  }
  if (verb === undefined) {
    const visible = known.verbs.filter((one) => one.hidden !== true);
    return visible.map((one) => one.name);
  }
  const argument = verb.arguments[words.length] ?? verb.arguments.at(-1);
  switch (argument?.kind) {
    case "session":
      return await sessionWords(call);
    case "choice":
      return argument.choices ?? [];
    case "revision":
    case "branch":
      return await branchWords(call, session);
    default:
      return [];
  }
}

/** Makes both verbs. */
export function completionVerbs(source: CompletionSource): CompletionVerbs {
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
  return { completion, complete };
}
