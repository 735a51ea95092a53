import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { entryKind, entryText } from "../session/entry-preview.ts";
import { safeLine, safeText } from "../view/safe-text.ts";
import { messageText } from "./message-text.ts";

/** What stands above the exported path. */
export interface ExportHeading {
  readonly title: string;
  readonly session: string;
  readonly cwd: string;
  readonly created: string;
  readonly entries: number;
}

/** A fence that is longer than any run of backticks in the text, so that the text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(
    2,
    ...[...text.matchAll(/`+/g)].slice(0, 10_000).map((m) => m[0].length),
  );
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Text of a heading: one line, nothing that Markdown or HTML would act on. */
function heading(text: string): string {
  return safeLine(text).replace(/[\\`*_[\]<>#|]/g, "\\$&");
}

/** The first lines of the document. */
export function markdownHeading(about: ExportHeading): string {
  return [
    `# ${heading(about.title)}`,
    "",
    `- session: \`${about.session}\``,
    `- folder: ${heading(about.cwd)}`,
    `- started: ${heading(about.created)}`,
    `- entries on this path: ${about.entries}`,
    "",
  ].join("\n");
}

/** What is written in full; the rest of the types become one line. */
const PROSE: ReadonlySet<string> = new Set(["user", "assistant"]);

/** One entry as a section, or as a line where it only changes a setting. */
export function markdownEntry(entry: Entry): string {
  const kind = entryKind(entry);
  const title = `## ${heading(kind)}\n\n<!-- ${heading(entry.id)} ${heading(entry.timestamp)} -->\n`;
  const message: unknown = isEntry(entry, "message") ? entry.message : null;
  if (isObject(message)) {
    const text = messageText(message);
    return `${title}\n${PROSE.has(kind) ? safeText(text) : fenced(safeText(text))}\n`;
  }
  const text = safeText(entryText(entry));
  if (isEntry(entry, "compaction") || isEntry(entry, "branch_summary")) {
    return `${title}\n${fenced(text)}\n`;
  }
  if (isEntry(entry, "custom_message")) return `${title}\n${fenced(text)}\n`;
  return `*${heading(kind)}: ${heading(text)}*\n`;
}
