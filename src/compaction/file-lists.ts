import { isObject } from "../entry/entry-check.ts";
import type { Message } from "../entry/message.ts";

/** The files that tools touched, over all compactions of a path; sorted, a modified file is in no other list. */
export interface FileLists {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

/** Most files of each list: the lists go from compaction to compaction and must not grow for ever (F080). */
export const MAX_FILES = 500;
/** Most files of each list that the summary names to the model. */
const MAX_SHOWN = 60;

const READS = /^(?:read|view|open|cat|show|get)(?:[_-]|[A-Z]|$)/;
const WRITES =
  /^(?:write|edit|multi_?edit|create|patch|apply|append|update|replace|str_replace|delete|remove|move|rename|save)(?:[_-]|[A-Z]|$)/;
const PATH_MEMBERS = [
  "path",
  "file",
  "file_path",
  "filePath",
  "filename",
  "notebook_path",
] as const;

interface FileCall {
  readonly id: string;
  readonly path: string;
  readonly isWrite: boolean;
}

function fileCall(block: unknown): FileCall | null {
  if (!isObject(block) || block.type !== "toolCall" || !isObject(block.arguments)) return null;
  const { id, name, arguments: args } = block;
  if (typeof id !== "string" || typeof name !== "string") return null;
  const member = PATH_MEMBERS.find((key) => typeof args[key] === "string" && args[key] !== "");
  if (member === undefined) return null;
  const path = String(args[member]);
  if (WRITES.test(name)) return { id, path, isWrite: true };
  return READS.test(name) ? { id, path, isWrite: false } : null;
}

/** The newest paths of a set that is in the order of their last use, sorted. */
function newest(paths: ReadonlySet<string>): readonly string[] {
  return [...paths].slice(-MAX_FILES).sort();
}

/** Collects the files of messages in their order. */
export class FileCollector {
  readonly #read = new Set<string>();
  readonly #modified = new Set<string>();

  /** Adds the lists of an earlier compaction or branch summary, from its details of any shape. */
  addDetails(details: unknown): void {
    if (!isObject(details)) return;
    for (const path of strings(details.readFiles)) touch(this.#read, path);
    for (const path of strings(details.modifiedFiles)) touch(this.#modified, path);
  }

  /** Adds the files that tools read and changed. Calls whose result is an error changed nothing. */
  addMessages(messages: readonly Message[]): void {
    const failed = new Set<unknown>();
    for (const message of messages) {
      const isError = "isError" in message && message.isError === true;
      if (message.role === "toolResult" && isError && "toolCallId" in message) {
        failed.add(message.toolCallId);
      }
    }
    for (const message of messages) {
      const content: unknown = "content" in message ? message.content : undefined;
      if (message.role !== "assistant" || !Array.isArray(content)) continue;
      for (const block of content) {
        const call = fileCall(block);
        if (call === null || failed.has(call.id)) continue;
        touch(call.isWrite ? this.#modified : this.#read, call.path);
      }
    }
  }

  lists(): FileLists {
    const modified = newest(this.#modified);
    for (const path of this.#modified) this.#read.delete(path);
    return { readFiles: newest(this.#read), modifiedFiles: modified };
  }
}

function touch(set: Set<string>, path: string): void {
  set.delete(path);
  set.add(path);
}

function strings(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.filter((one) => typeof one === "string");
}

function block(name: string, files: readonly string[]): string {
  const rest = files.length - MAX_SHOWN;
  const shown = files.slice(0, MAX_SHOWN).join("\n");
  return `\n\n<${name}>\n${shown}${rest > 0 ? `\n(${rest} more)` : ""}\n</${name}>`;
}

/** The summary with the lists behind it, in the tags that Pi uses. */
export function withFiles(summary: string, files: FileLists): string {
  const { readFiles, modifiedFiles } = files;
  const read = readFiles.length > 0 ? block("read-files", readFiles) : "";
  return summary + read + (modifiedFiles.length > 0 ? block("modified-files", modifiedFiles) : "");
}

/** The summary without these lists: they are made anew each time. */
export function withoutFiles(summary: string): string {
  // Blanks before a list are left: looking for them costs a square of their number.
  return summary.replace(/<(read|modified)-files>[^<]*<\/\1-files>/g, "").trim();
}
