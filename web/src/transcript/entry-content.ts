/**
 * Reads what an entry of a file holds. Files are hostile input: every member is checked, what does not
 * fit is left out, and nothing here throws.
 */

/** A plain object. */
export type Fields = Readonly<Record<string, unknown>>;

/** One part of a message as the page shows it. */
export type ShownBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "call";
      readonly id: string;
      readonly name: string;
      readonly arguments: unknown;
    }
  | { readonly type: "image"; readonly source: string | null; readonly mime: string }
  | { readonly type: "other"; readonly value: unknown };

/** The value as an object, empty where it is none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

/** The value as text, empty where it is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The message of a message entry; empty for others. */
export function messageOf(entry: unknown): Fields {
  return fieldsOf(fieldsOf(entry).message);
}

/** Parts of a content: plain text or blocks. */
export function blocksOf(content: unknown): readonly ShownBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.map(blockOf) : [];
}

const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp)$/;

function blockOf(value: unknown): ShownBlock {
  const block = fieldsOf(value);
  switch (block.type) {
    case "text":
      return { type: "text", text: textOf(block.text) };
    case "thinking":
      return { type: "thinking", text: textOf(block.thinking) };
    case "toolCall":
      return {
        type: "call",
        id: textOf(block.id),
        name: textOf(block.name),
        arguments: block.arguments,
      };
    case "image": {
      const mime = textOf(block.mimeType);
      const isSafe =
        IMAGE_TYPE.test(mime) && /^[A-Za-z0-9+/=\s]+$/.test(textOf(block.data).slice(0, 4096));
      return {
        type: "image",
        mime,
        source: isSafe ? `data:${mime};base64,${textOf(block.data)}` : null,
      };
    }
    default:
      return { type: "other", value };
  }
}

/** All text of a content, blocks apart by an empty line. */
export function plainText(content: unknown): string {
  return blocksOf(content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n\n");
}

/** Readable JSON of anything. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value);
}
