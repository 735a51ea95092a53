import { isObject } from "../entry/entry-check.ts";

type Members = Readonly<Record<string, unknown>>;

function byteText(base64: unknown): string {
  const bytes = typeof base64 === "string" ? Math.floor((base64.length * 3) / 4) : 0;
  return `${bytes.toLocaleString("en-US")} bytes`;
}

function blockText(block: unknown): string {
  if (!isObject(block)) return "";
  switch (block.type) {
    case "text":
      return String(block.text ?? "");
    case "thinking":
      return `(thinking) ${String(block.thinking ?? "")}`;
    case "toolCall":
      return `→ ${String(block.name)} ${JSON.stringify(block.arguments ?? {})}`;
    case "image":
      return `[image ${String(block.mimeType)}, ${byteText(block.data)}]`;
    default:
      return `[${String(block.type)}]`;
  }
}

function contentTexts(content: unknown): readonly string[] {
  if (typeof content === "string") return content === "" ? [] : [content];
  return Array.isArray(content) ? content.map(blockText).filter((text) => text !== "") : [];
}

/** The whole text of a message of any role, its parts apart by an empty line. */
export function messageText(message: Members): string {
  if (message.role === "bashExecution") {
    return `$ ${String(message.command)}\n\n${String(message.output ?? "")}`;
  }
  const texts: string[] = [];
  if (message.role === "toolResult") {
    const failed = message.isError === true ? " failed" : "";
    texts.push(`← ${String(message.toolName ?? "tool")}${failed}`);
  }
  texts.push(...contentTexts(message.content));
  if (isObject(message.sections)) {
    for (const [name, text] of Object.entries(message.sections)) {
      texts.push(`[${name}] ${String(text)}`);
    }
  }
  for (const member of ["summary", "errorMessage"]) {
    if (typeof message[member] === "string") texts.push(message[member]);
  }
  return texts.join("\n\n");
}
