import { BranchlineError } from "../errors.ts";
import { safeJson, safeLine } from "../view/safe-text.ts";
import type { CliIo } from "./cli-io.ts";
import { type Piece, render, styled, wantsColor } from "./color.ts";

/** How a command speaks. */
export interface OutputOptions {
  readonly json: boolean;
  readonly plain: boolean;
  readonly debug: boolean;
}

/**
 * The two channels of a command: standard output = data (text or JSON lines), standard error = talk.
 * All text of both passes through `render` or `safeJson`, so nothing from data reaches the terminal
 * as an instruction (reliability.md S16).
 */
export class Output {
  readonly json: boolean;
  readonly plain: boolean;
  /** Columns that a line may take. */
  readonly columns: number;
  readonly #io: CliIo;
  readonly #debug: boolean;
  readonly #color: boolean;

  constructor(io: CliIo, options: OutputOptions) {
    this.#io = io;
    this.json = options.json;
    this.plain = options.plain;
    this.#debug = options.debug;
    this.#color = wantsColor({ env: io.env, isTerminal: io.isTTY, plain: options.plain });
    this.columns = columnsOf(io);
  }

  /** One line of data. */
  line(...pieces: readonly Piece[]): void {
    this.#io.stdout.write(`${render(pieces, { color: this.#color })}\n`);
  }

  /** A part of a line of data, as it comes. */
  text(...pieces: readonly Piece[]): void {
    this.#io.stdout.write(render(pieces, { color: this.#color }));
  }

  /** One line of JSON. */
  object(value: unknown): void {
    this.#io.stdout.write(`${safeJson(JSON.stringify(value))}\n`);
  }

  /**
   * One line of JSON whose last member is a list that is written as it comes, so that a session of any
   * size needs no text of its whole size in memory. `head` has at least one member.
   */
  async objectWithList(
    head: Readonly<Record<string, unknown>>,
    name: string,
    items: AsyncIterable<unknown>,
  ): Promise<void> {
    const { stdout } = this.#io;
    stdout.write(safeJson(`${JSON.stringify(head).slice(0, -1)},${JSON.stringify(name)}:[`));
    let comma = "";
    for await (const item of items) {
      stdout.write(comma + safeJson(JSON.stringify(item)));
      comma = ",";
    }
    stdout.write("]}\n");
  }

  /** The JSON object with --json, else the lines. */
  either(value: unknown, lines: () => Iterable<readonly Piece[]>): void {
    if (this.json) this.object(value);
    else for (const line of lines()) this.line(...line);
  }

  /** A remark for people; never data. */
  talk(...pieces: readonly Piece[]): void {
    this.#io.stderr.write(`${render(pieces, { color: this.#color })}\n`);
  }

  /** What went wrong, where, and what to do; one JSON line with --json. */
  failure(error: unknown): void {
    if (this.json) this.#io.stderr.write(`${safeJson(JSON.stringify(describeError(error)))}\n`);
    else for (const line of errorLines(error)) this.talk(...line);
    if (this.#debug && error instanceof Error) this.talk(error.stack ?? "");
  }
}

/** Into a pipe there is no width to keep, unless COLUMNS says one: a line is cut where a screen would wrap it. */
function columnsOf(io: CliIo): number {
  if (io.isTTY) return Math.max(40, io.columns);
  const asked = /^[1-9]\d{0,5}$/.test(io.env.COLUMNS ?? "") ? Number(io.env.COLUMNS) : null;
  return asked === null ? Math.max(100, io.columns) : Math.max(40, asked);
}

/** The JSON shape of an error on standard error. */
export interface ErrorReport {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string | null;
    readonly file: string | null;
    readonly line: number | null;
    readonly byte: number | null;
    readonly fields: Readonly<Record<string, unknown>>;
  };
}

/** Any thrown value as the documented JSON shape; what is no error of ours has the code INTERNAL. */
export function describeError(error: unknown): ErrorReport {
  if (!BranchlineError.is(error)) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = "This is a fault of the program. --debug shows where it happened.";
    const place = { file: null, line: null, byte: null };
    return { error: { code: "INTERNAL", message, hint, ...place, fields: {} } };
  }
  const { code, message, hint, place } = error;
  return {
    error: {
      code,
      message,
      hint: hint ?? null,
      file: place?.file ?? null,
      line: place?.line ?? null,
      byte: place?.byte ?? null,
      fields: { ...error.fields },
    },
  };
}

function errorLines(error: unknown): Piece[][] {
  const report = describeError(error).error;
  const lines: Piece[][] = [[styled("error", "error: "), report.message]];
  if (report.file !== null) {
    const at = report.line === null ? "" : `:${report.line}`;
    const byte = report.byte === null ? "" : ` (byte ${report.byte})`;
    lines.push([styled("faint", "where: "), `${report.file}${at}${byte}`]);
  }
  if (BranchlineError.is(error, "STORE_CONFLICT")) {
    lines.push([styled("faint", "now:   "), `the leaf is ${error.fields.head ?? "root"}`]);
  }
  if (BranchlineError.is(error, "STORE_BUSY") && error.fields.owner !== null) {
    const { pid, command, host } = error.fields.owner;
    lines.push([styled("faint", "owner: "), `process ${pid} on ${host}: ${safeLine(command)}`]);
  }
  if (BranchlineError.is(error) && "matches" in error.fields) {
    for (const match of error.fields.matches.slice(0, 10)) lines.push(["  ", styled("id", match)]);
  }
  if (report.hint !== null) lines.push([styled("faint", "do:    "), report.hint]);
  return lines;
}
