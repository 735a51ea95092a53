import { freezeParsed } from "../entry/freeze.ts";
import { isTooDeep } from "../entry/json-depth.ts";
import { MAX_ENTRY_BYTES } from "../entry/line-encode.ts";
import { BranchlineError } from "../errors.ts";
import { entryInvalid } from "./refusals.ts";

const encoder = new TextEncoder();

function textOf(value: unknown): string {
  let text: string | undefined;
  try {
    // Before any walk over the value itself: a circle ends here instead of in an endless loop.
    text = JSON.stringify(value);
  } catch (cause) {
    throw entryInvalid("it is not representable as JSON", cause);
  }
  if (text === undefined) throw entryInvalid("it is not representable as JSON");
  return text;
}

function checkSize(text: string): void {
  // No UTF-16 unit takes more than three bytes, so most texts need no count.
  if (text.length * 3 <= MAX_ENTRY_BYTES) return;
  const bytes = text.length > MAX_ENTRY_BYTES ? text.length : encoder.encode(text).length;
  if (bytes <= MAX_ENTRY_BYTES) return;
  throw new BranchlineError(
    "ENTRY_TOO_LARGE",
    { bytes, limit: MAX_ENTRY_BYTES },
    {
      message: `The data has at least ${bytes} bytes, more than the limit of ${MAX_ENTRY_BYTES}.`,
      hint: "Keep large payloads in a file and store a reference to it.",
    },
  );
}

/** A value that went through JSON, and the text that it was on its way. */
export interface JsonForm {
  readonly text: string;
  readonly copy: unknown;
}

/** As {@link jsonCopy}, with the text, which nobody has to make again then. */
export function jsonForm(value: unknown): JsonForm {
  const text = textOf(value);
  checkSize(text);
  const copy: unknown = JSON.parse(text);
  // A level of nesting takes two characters, so short texts need no walk.
  if (text.length > 2000 && isTooDeep(copy))
    throw entryInvalid("it nests deeper than 1,000 levels");
  return { text, copy: freezeParsed(copy) };
}

/**
 * What a reader would get back after the value went through JSON, deeply frozen: nothing that the
 * caller does to its own object later shows in it (P8, reliability.md §3 row 39). Throws
 * ENTRY_INVALID for what JSON cannot hold or what nests deeper than 1,000 levels, ENTRY_TOO_LARGE
 * above {@link MAX_ENTRY_BYTES} bytes.
 */
export function jsonCopy(value: unknown): unknown {
  return jsonForm(value).copy;
}
