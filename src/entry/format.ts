import { isObject } from "./entry-check.ts";
import { isHeader } from "./header-check.ts";
import { readJsonLine } from "./line-decode.ts";

/** "pi-v3": one entry on a line, Pi v1 to v3 and ours. "pi-v4": lines of writes, pi-agent-core 0.87. */
export type SessionFormat = "pi-v3" | "pi-v4";

/** True for the header object of a v4 file. */
export function isV4Header(value: unknown): boolean {
  return isObject(value) && value.v === 4 && value.kind === "header";
}

/**
 * What the first line of a file says about its format; null where it is no header of either, for
 * which a reader of "pi-v3" still finds the entries (reliability.md §3 row 22).
 */
export function detectFormat(firstLineText: string): SessionFormat | null {
  const { value } = readJsonLine(new TextEncoder().encode(firstLineText));
  if (isV4Header(value)) return "pi-v4";
  return isObject(value) && isHeader(value) ? "pi-v3" : null;
}
