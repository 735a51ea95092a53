import type { CliIo } from "./cli-io.ts";
import type { ExitCode } from "./exit-code.ts";
import type { SessionLocator } from "./locate.ts";
import type { Output } from "./output.ts";
import { usage } from "./usage.ts";

/** One argument of a verb. */
export interface VerbArgument {
  readonly name: string;
  readonly about: string;
  /** What completion offers for it. */
  readonly kind: "session" | "revision" | "branch" | "text" | "folder" | "choice";
  readonly required?: true;
  /** Takes all further words. Only the last argument may. */
  readonly rest?: true;
  readonly choices?: readonly string[];
}

/** One option of a verb. A `value` makes it an option with a value. */
export interface VerbOption {
  /** Long name without dashes. */
  readonly name: string;
  /** Short name without the dash. */
  readonly short?: string;
  readonly value?: string;
  /** May stand several times. */
  readonly repeat?: true;
  readonly choices?: readonly string[];
  readonly about: string;
}

/** A verb as the table knows it: help, parser and completion are made from this. */
export interface Verb {
  readonly name: string;
  readonly summary: string;
  /** One line that works. */
  readonly example: string;
  readonly arguments: readonly VerbArgument[];
  readonly options: readonly VerbOption[];
  readonly hidden?: true;
  run(call: Call): Promise<ExitCode>;
}

/** What a verb works with. */
export interface CliContext {
  readonly io: CliIo;
  readonly out: Output;
  readonly sessions: SessionLocator;
  /** The session named by -s, if any. */
  readonly session: string | undefined;
}

/** One call of a verb: its arguments and options, and what it works with. */
export class Call {
  readonly io: CliIo;
  readonly out: Output;
  readonly sessions: SessionLocator;
  readonly #session: string | undefined;
  readonly #words: readonly string[];
  readonly #options: Readonly<Record<string, unknown>>;

  constructor(
    context: CliContext,
    words: readonly string[],
    options: Readonly<Record<string, unknown>>,
  ) {
    this.io = context.io;
    this.out = context.out;
    this.sessions = context.sessions;
    this.#session = context.session;
    this.#words = words;
    this.#options = options;
  }

  /** The arguments as they were given. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** The session of -s, else the first argument, for verbs about a session. */
  get sessionReference(): string | undefined {
    return this.#session ?? this.#words[0];
  }

  /** The session of -s, for verbs about an entry. */
  get sessionOption(): string | undefined {
    return this.#session;
  }

  /** Arguments after the session: with -s all of them, else those behind the first. */
  get wordsAfterSession(): readonly string[] {
    return this.#session === undefined ? this.#words.slice(1) : this.#words;
  }

  /** An argument that has to be there. Throws USAGE. */
  word(index: number, what: string): string {
    const word = this.#words[index];
    if (word === undefined) throw usage(`${what} is missing.`);
    return word;
  }

  has(option: string): boolean {
    const value = this.#options[option];
    return value !== undefined && value !== false;
  }

  /** The value of an option, or undefined. */
  text(option: string): string | undefined {
    const value = this.#options[option];
    return typeof value === "string" ? value : undefined;
  }

  /** The values of an option that may stand several times. */
  texts(option: string): readonly string[] {
    const value = this.#options[option];
    return Array.isArray(value) ? value.map(String) : [];
  }
}
