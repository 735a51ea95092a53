import type { Entry } from "../entry/entry.ts";
import { isObject } from "../entry/entry-check.ts";
import { entryKind, entryText } from "../session/entry-preview.ts";
import { type Piece, styled } from "./color.ts";
import { styleOfKind } from "./tree-text.ts";

type Members = Readonly<Record<string, unknown>>;
type Lines = (readonly Piece[])[];

function byteText(base64: unknown): string {
  const bytes = typeof base64 === "string" ? Math.floor((base64.length * 3) / 4) : 0;
  return `${bytes.toLocaleString("en-US")} bytes`;
}

function blockLines(block: unknown): Lines {
  if (!isObject(block)) return [];
  switch (block.type) {
    case "text":
      return [[String(block.text ?? "")]];
    case "thinking":
      return [[styled("faint", `(thinking) ${String(block.thinking ?? "")}`)]];
    case "toolCall": {
      const args = JSON.stringify(block.arguments ?? {});
      return [[styled("tool", `→ ${String(block.name)} `), args]];
    }
    case "image":
      return [[styled("faint", `[image ${String(block.mimeType)}, ${byteText(block.data)}]`)]];
    default:
      return [[styled("faint", `[${String(block.type)}]`)]];
  }
}

/** The lines of a content of any shape. */
export function contentLines(content: unknown): Lines {
  if (typeof content === "string") return content === "" ? [] : [[content]];
  return Array.isArray(content) ? content.flatMap(blockLines) : [];
}

/** The lines of a message, whole. */
export function messageLines(message: Members): Lines {
  const lines: Lines = [];
  if (message.role === "bashExecution") {
    return [[`$ ${String(message.command)}`], [String(message.output ?? "")]];
  }
  if (message.role === "toolResult") {
    const failed = message.isError === true ? " failed" : "";
    lines.push([styled("tool", `← ${String(message.toolName ?? "tool")}${failed}`)]);
  }
  lines.push(...contentLines(message.content));
  if (isObject(message.sections)) {
    for (const [name, text] of Object.entries(message.sections)) {
      lines.push([styled("faint", `[${name}] `), String(text)]);
    }
  }
  for (const member of ["summary", "errorMessage"]) {
    if (typeof message[member] === "string") lines.push([message[member]]);
  }
  return lines;
}

/** A heading and the whole text of an entry. */
export function entryLines(entry: Entry): Lines {
  const kind = entryKind(entry);
  const heading = [styled(styleOfKind(kind), kind), "  ", styled("id", entry.id)];
  const message: unknown = entry.type === "message" && "message" in entry ? entry.message : null;
  const body = isObject(message) ? messageLines(message) : [[entryText(entry)]];
  return [heading, ...body.filter((line) => line.length > 0), []];
}
