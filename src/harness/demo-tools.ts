import { BranchlineError } from "../errors.ts";
import { cutText } from "./cut-text.ts";
import type { Tool, ToolOutput } from "./tool.ts";
import type { Workspace, WorkspaceName } from "./workspace.ts";

/** Characters (UTF-16 units) of a file that one call of `read_file` shows. */
export const READ_CHARACTERS = 1800;
/** Bytes of a file that are looked at, to read or to search it. */
const MAX_FILE_BYTES: number = 1024 * 1024;
/** Longest note, in UTF-16 units. */
const MAX_NOTE = 100_000;
/** Most names that a list shows. */
const MAX_NAMES = 500;
/** Most files that a search looks into, and most lines that it shows. */
const MAX_SEARCHED = 2000;
const MAX_HITS = 50;
/** Longest line that a search shows, in UTF-16 units. */
const MAX_LINE = 200;

type Args = Readonly<Record<string, unknown>>;

/**
 * The demo tools: `list_files`, `read_file`, `search_files` and `write_note` in a fenced workspace. Sizes
 * are bounded. What they refuse they throw, which the loop makes an error result. All but `write_note`
 * change nothing and may be made again after a crash.
 */
export function createDemoTools(workspace: Workspace): readonly Tool[] {
  return [listFiles(workspace), readFile(workspace), searchFiles(workspace), writeNote(workspace)];
}

function listFiles(workspace: Workspace): Tool {
  return {
    name: "list_files",
    label: "List files",
    description: "Lists the files and folders in a folder of the workspace.",
    parameters: schema({ path: { type: "string", description: "Default: the workspace itself." } }),
    replay: "safe",
    async execute(args) {
      const names = await workspace.list(textOf(args, "path"), MAX_NAMES + 1);
      const lines = names.slice(0, MAX_NAMES).map(nameLine);
      if (names.length > MAX_NAMES) lines.push(`(only the first ${MAX_NAMES} names are shown)`);
      return say(lines.length === 0 ? "The folder is empty." : lines.join("\n"));
    },
  };
}

function nameLine({ path, kind, bytes }: WorkspaceName): string {
  return kind === "folder" ? `${path}/` : `${path} (${bytes} bytes)`;
}

function readFile(workspace: Workspace): Tool {
  return {
    name: "read_file",
    label: "Read file",
    description: `Reads a text file of the workspace, ${READ_CHARACTERS} characters at a time.`,
    parameters: schema(
      {
        path: { type: "string" },
        offset: { type: "integer", minimum: 0, description: "First character; default 0." },
      },
      "path",
    ),
    replay: "safe",
    async execute(args) {
      const { text, cut: isTooLong } = await workspace.read(textOf(args, "path"), MAX_FILE_BYTES);
      const offset = typeof args.offset === "number" ? Math.max(0, args.offset) : 0;
      const shown = cutText(text.slice(offset), READ_CHARACTERS);
      const end = offset + shown.length;
      if (end >= text.length && !isTooLong) return say(shown);
      const more = isTooLong ? "more than " : "";
      const next = end < text.length ? `; read on with offset ${end}` : "";
      return say(
        `${shown}\n\n(cut: characters ${offset} to ${end} of ${more}${text.length}${next})`,
      );
    },
  };
}

function searchFiles(workspace: Workspace): Tool {
  return {
    name: "search_files",
    label: "Search files",
    description: "Finds lines with a text in the files of the workspace; case does not count.",
    parameters: schema(
      { text: { type: "string", minLength: 1 }, path: { type: "string" } },
      "text",
    ),
    replay: "safe",
    async execute(args, { signal }) {
      const wanted = textOf(args, "text").toLowerCase();
      const hits: string[] = [];
      let searched = 0;
      for await (const { path } of filesBelow(workspace, textOf(args, "path"))) {
        if (signal.aborted || hits.length >= MAX_HITS || searched >= MAX_SEARCHED) break;
        searched++;
        const text = await readableText(workspace, path);
        for (const line of linesWith(text, wanted)) hits.push(`${path}:${line}`);
      }
      if (hits.length === 0) return say(`Nothing found in ${searched} files.`);
      const cut = hits.length >= MAX_HITS ? "\n(there may be more)" : "";
      return say(hits.slice(0, MAX_HITS).join("\n") + cut);
    },
  };
}

/** Nothing of a file that may not be read or is gone meanwhile: a search goes on. */
async function readableText(workspace: Workspace, path: string): Promise<string> {
  try {
    return (await workspace.read(path, MAX_FILE_BYTES)).text;
  } catch (error) {
    if (BranchlineError.is(error)) return "";
    throw error;
  }
}

/** Files below a folder, folder by folder; links are not followed, so there is an end. */
async function* filesBelow(workspace: Workspace, folder: string): AsyncGenerator<WorkspaceName> {
  const folders = [folder];
  for (let left = MAX_SEARCHED; left > 0; left--) {
    const next = folders.pop();
    if (next === undefined) return;
    for (const name of await workspace.list(next, MAX_SEARCHED)) {
      if (name.kind === "file") yield name;
      else folders.push(name.path);
    }
  }
}

/** `number: line` for each line that holds the text; none of a file that is no text. */
function linesWith(text: string, wanted: string): readonly string[] {
  if (text.includes("\0")) return [];
  const found: string[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (!line.toLowerCase().includes(wanted)) continue;
    found.push(`${at + 1}: ${cutText(line.trim(), MAX_LINE)}`);
    if (found.length >= MAX_HITS) break;
  }
  return found;
}

function writeNote(workspace: Workspace): Tool {
  return {
    name: "write_note",
    label: "Write note",
    description: "Writes a text file in the workspace, in the place of what was there.",
    parameters: schema(
      { path: { type: "string" }, text: { type: "string", maxLength: MAX_NOTE } },
      ...["path", "text"],
    ),
    replay: "never",
    async execute(args) {
      const path = textOf(args, "path");
      const text = textOf(args, "text");
      if (text.length > MAX_NOTE) return fail(`A note has at most ${MAX_NOTE} characters.`);
      await workspace.write(path, text);
      return say(`Wrote ${text.length} characters to ${path}.`);
    },
  };
}

function schema(
  properties: Readonly<Record<string, unknown>>,
  ...required: readonly string[]
): Tool["parameters"] {
  return { type: "object", properties, required, additionalProperties: false };
}

function textOf(args: Args, name: string): string {
  const value = args[name];
  return typeof value === "string" ? value : "";
}

function say(text: string): ToolOutput {
  return { content: [{ type: "text", text }] };
}

function fail(text: string): ToolOutput {
  return { ...say(text), isError: true };
}
