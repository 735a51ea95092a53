import { isObject } from "../entry/entry-check.ts";

/** Characters of unreadable arguments that an error repeats. */
const SHOWN = 2000;

/** The arguments of a call, as its block holds them. */
export interface ToolArguments {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Where the text was no JSON object; `arguments` is then `{}`. */
  readonly argumentsError?: string;
}

function refused(reason: string, text: string): ToolArguments {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return { arguments: {}, argumentsError: `${reason}\n\nReceived arguments:\n${shown}` };
}

/**
 * Reads the whole text of a call's arguments, once, at its end. No text is no arguments. What is no JSON
 * object is not guessed at: half of a command is another command.
 */
export function parseToolArguments(text: string): ToolArguments {
  if (text.trim() === "") return { arguments: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused(error instanceof SyntaxError ? error.message : String(error), text);
  }
  return isObject(value)
    ? { arguments: value }
    : refused("The arguments are no JSON object.", text);
}
