import type { CliIo } from "./cli-io.ts";
import { usage } from "./usage.ts";

/** One line of standard input. */
export interface InputLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** More than one entry may have; the engine has its own limit for entries, this one bounds memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

function decode(parts: readonly Uint8Array[], number: number): string {
  const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r$/, "");
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw usage(`Line ${number} of standard input is no UTF-8.`);
  }
}

/** The lines of standard input as they come, split on LF only; the last one may lack it. */
export async function* stdinLines(io: CliIo): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let number = 1;
  for await (const chunk of io.stdin) {
    let rest = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield { number, text: decode([...parts, rest.subarray(0, end)], number) };
      rest = rest.subarray(end + 1);
      parts = [];
      size = 0;
      number++;
    }
    size += rest.length;
    if (size > MAX_LINE_BYTES) throw usage(`Line ${number} of standard input is too long.`);
    if (rest.length > 0) parts.push(rest);
  }
  if (size > 0) yield { number, text: decode(parts, number) };
}

/** Asks on the terminal and reads one line. */
export async function ask(io: CliIo, question: string): Promise<string> {
  io.stderr.write(question);
  try {
    for await (const line of stdinLines(io)) return line.text.trim();
    return "";
  } finally {
    io.closeStdin();
  }
}
