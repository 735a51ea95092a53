import { isObject } from "../entry/entry-check.ts";
import type { ToolSpec } from "./model.ts";
import type { Wish, WishKind } from "./offline-wish.ts";

/** A call that the offline model makes. */
export interface OfflineCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What is known in the turn when calls are made. */
export interface CallKnowledge {
  /** Names that tools have listed in this turn. */
  readonly listed: readonly string[];
  /** What is noted where the person did not say what. */
  readonly digest: string;
}

/** Names of tools that do a kind of thing, best first. */
const TOOL_NAMES: Readonly<Record<WishKind, readonly string[]>> = {
  list: ["list_files", "list", "ls"],
  read: ["read_file", "read", "cat"],
  search: ["search_files", "search", "grep"],
  write: ["write_note", "write_file", "write"],
  recall: ["recall"],
  test: ["run_tests"],
};

const PATH_NAMES = ["path", "file", "fileName", "file_path", "filename", "folder", "dir"];
const QUERY_NAMES = ["text", "query", "pattern", "q"];
const CONTENT_NAMES = ["text", "content", "body", "note"];

/** The name under which a tool takes something; null = it does not. */
function memberOf(tool: ToolSpec, names: readonly string[]): string | null {
  const { properties } = tool.parameters;
  return names.find((name) => isObject(properties) && Object.hasOwn(properties, name)) ?? null;
}

/** The tool for a wish; null = none is offered. */
export function toolFor(kind: WishKind, tools: readonly ToolSpec[]): ToolSpec | null {
  const name = TOOL_NAMES[kind].find((one) => tools.some((tool) => tool.name === one));
  return tools.find((tool) => tool.name === name) ?? null;
}

const TEXT_FILE = /\.(md|txt|json|ts|js|csv|ya?ml)$/i;

/** The path of a wish; where a file is meant and none is named, the first readable one that was listed. */
function pathFor(wish: Wish, { listed }: CallKnowledge): string {
  if (wish.path !== null) return wish.path;
  if (wish.kind === "list") return ".";
  if (wish.kind === "write") return "note.md";
  return listed.find((name) => TEXT_FILE.test(name)) ?? listed[0] ?? "README.md";
}

/** The call for a wish with a tool. Members that the tool does not have are left out. */
export function callFor(wish: Wish, tool: ToolSpec, knowledge: CallKnowledge): OfflineCall {
  const { kind, text } = wish;
  const path = memberOf(tool, PATH_NAMES);
  const query = kind === "search" || kind === "recall" ? memberOf(tool, QUERY_NAMES) : null;
  const content = kind === "write" ? memberOf(tool, CONTENT_NAMES) : null;
  const hasPath = path !== null && kind !== "search" && kind !== "recall";
  return {
    name: tool.name,
    arguments: {
      ...(hasPath && { [path]: pathFor(wish, knowledge) }),
      ...(query !== null && { [query]: text ?? knowledge.digest }),
      ...(content !== null && { [content]: text ?? knowledge.digest }),
    },
  };
}

/** Names in the text of a listing: the first word of each line, without folders. */
export function namesIn(listing: string): readonly string[] {
  const names = listing.split("\n").map((line) => line.trim().split(/ \(|\t| {2}/)[0] ?? "");
  return names.filter((name) => name !== "" && !name.endsWith("/") && /^[^\s:]+$/.test(name));
}
