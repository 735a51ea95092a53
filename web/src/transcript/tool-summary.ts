import { fieldsOf, textOf } from "./entry-content.ts";

/** Members that say best what a call is about, in this order. */
const TELLING = [
  "command",
  "path",
  "file_path",
  "filePath",
  "pattern",
  "query",
  "text",
  "url",
  "name",
];

/** One line about the arguments of a call, at most 160 characters. */
export function callSummary(given: unknown): string {
  const fields = fieldsOf(given);
  const told = TELLING.map((name) => textOf(fields[name])).find((value) => value !== "");
  const line = told ?? restOf(fields);
  return line.replace(/\s+/g, " ").slice(0, 160);
}

function restOf(fields: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(fields);
  return names.length === 0 ? "" : JSON.stringify(fields).slice(0, 160);
}

/** A change of a file that a call asks for. */
export interface FileChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The file that a call names, or "". */
export function filePath(given: unknown): string {
  const fields = fieldsOf(given);
  return textOf(fields.path) || textOf(fields.file_path) || textOf(fields.filePath);
}

/** Changes that the arguments describe, in the shapes that agents use; empty for other calls. */
export function fileChanges(given: unknown): readonly FileChange[] {
  const fields = fieldsOf(given);
  const path = filePath(given);
  const edits = Array.isArray(fields.edits) ? fields.edits : [fields];
  return edits.flatMap((edit) => {
    const one = fieldsOf(edit);
    const before = one.oldText ?? one.old_string ?? one.oldString;
    const after = one.newText ?? one.new_string ?? one.newString;
    if (typeof before === "string" && typeof after === "string") return [{ path, before, after }];
    return typeof one.content === "string" && path !== ""
      ? [{ path, before: "", after: one.content }]
      : [];
  });
}
