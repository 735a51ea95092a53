import { isObject } from "../entry/entry-check.ts";
import type { Message } from "../entry/message.ts";

/** Names, quotes and braces around the content of one message. */
const AROUND = 40;
const NOT_ASCII = /[^\0-\x7f]/;
const encoder = new TextEncoder();
const known = new WeakMap<Message, number>();

/** Bytes of a value as JSON in UTF-8; 0 for what JSON leaves out. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value) ?? "";
  return NOT_ASCII.test(text) ? encoder.encode(text).length : text.length;
}

/** base64 is counted as it is, without a copy of it. */
function blockBytes(block: unknown): number {
  const isImage = isObject(block) && block.type === "image" && typeof block.data === "string";
  return isImage ? (block.data as string).length + AROUND : jsonBytes(block);
}

function contentBytes(content: unknown): number {
  if (!Array.isArray(content)) return jsonBytes(content);
  let bytes = 0;
  for (const block of content) bytes += blockBytes(block);
  return bytes;
}

function measure(message: Message): number {
  const { role, content, summary, command, output, sections, toolsAdded }: Record<string, unknown> =
    { ...message };
  if (role === "bashExecution") return AROUND + jsonBytes(command) + jsonBytes(output);
  if (role === "system") return AROUND + contentBytes(content) + jsonBytes([sections, toolsAdded]);
  return AROUND + contentBytes(content ?? summary);
}

/**
 * Bytes that a message adds to a request, base64 of images included (F065); an estimate, since each
 * provider writes its own JSON. Details of tool results are not sent and do not count. Worked out once for
 * each message, which is frozen.
 */
export function messageBytes(message: Message): number {
  let bytes = known.get(message);
  if (bytes === undefined) {
    bytes = measure(message);
    known.set(message, bytes);
  }
  return bytes;
}
