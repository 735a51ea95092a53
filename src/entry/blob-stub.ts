import type { Entry } from "./entry.ts";
import { isEntry, isObject } from "./entry-check.ts";

/**
 * An entry whose line was moved to a content-addressed blob leaves a stub in its place: the same entry
 * with a shorter content, valid for Pi, and `branchline.blob` naming the bytes of the whole line
 * (docs/format.md "Payloads in blobs").
 */
export interface BlobRef {
  /** SHA-256 of the line without its newline, as 64 lower-case hex digits. */
  readonly sha256: string;
  /** Length of the line without its newline. */
  readonly bytes: number;
}

/** Longest line that is read back from a blob, in bytes: the limit of the line scanner. */
export const MAX_BLOB_BYTES: number = 256 * 1024 * 1024;

/** Text blocks and tool arguments up to this length stay in the stub, in UTF-16 units. */
const KEPT_LENGTH = 1000;

const SHA256 = /^[0-9a-f]{64}$/;

/** The blob that holds the entry's line, or null. Checked: it becomes a part of a path (P10). */
export function blobRef(entry: Entry): BlobRef | null {
  const own: unknown = "branchline" in entry ? entry.branchline : undefined;
  const blob: unknown = isObject(own) ? own.blob : undefined;
  if (!isObject(blob)) return null;
  const { sha256, bytes } = blob;
  const fits = typeof sha256 === "string" && SHA256.test(sha256) && Number.isSafeInteger(bytes);
  if (!fits || (bytes as number) < 1 || (bytes as number) > MAX_BLOB_BYTES) return null;
  return { sha256, bytes: bytes as number };
}

/** What an entry would be moved for: the kinds of its large parts, such as `image/png` or `text`. */
interface Shortened {
  readonly content: unknown;
  readonly kinds: ReadonlySet<string>;
}

/**
 * The stub that stands for an entry, or null where nothing of it is worth moving. Type, id, parent, time,
 * role, usage, model and tool calls stay, so every fold and every pair stays as it is (P9).
 */
export function stubOf(entry: Entry, ref: BlobRef): Entry | null {
  if ("branchline" in entry) return null;
  const branchline = { blob: { sha256: ref.sha256, bytes: ref.bytes } };
  if (isEntry(entry, "custom_message")) {
    const { content, kinds } = shorten(entry.content, ref);
    return kinds.size === 0 ? null : ({ ...entry, content, branchline } as Entry);
  }
  if (!isEntry(entry, "message")) return null;
  const message = shortMessage(entry.message as unknown as Members, ref);
  return message === null ? null : ({ ...entry, message, branchline } as unknown as Entry);
}

type Members = Readonly<Record<string, unknown>>;

function shortMessage(message: Members, ref: BlobRef): Members | null {
  if (message.role === "bashExecution") {
    const { output } = message;
    const isLong = typeof output === "string" && output.length > KEPT_LENGTH;
    return isLong ? { ...message, output: noteOf(ref, new Set(["text"])) } : null;
  }
  const { content, kinds } = shorten(message.content, ref);
  if (kinds.size === 0) return null;
  const { details, ...rest } = message;
  const keepsDetails = details !== undefined && isShort(details);
  return { ...rest, content, ...(keepsDetails ? { details } : {}) };
}

function shorten(content: unknown, ref: BlobRef): Shortened {
  const kinds = new Set<string>();
  if (typeof content === "string") {
    if (content.length <= KEPT_LENGTH) return { content, kinds };
    kinds.add("text");
    return { content: noteOf(ref, kinds), kinds };
  }
  if (!Array.isArray(content)) return { content, kinds };
  const kept: unknown[] = [];
  for (const block of content) {
    const short = shortBlock(block);
    if (short.kind !== null) kinds.add(short.kind);
    if (short.block !== null) kept.push(short.block);
  }
  if (kinds.size > 0) kept.push({ type: "text", text: noteOf(ref, kinds) });
  return { content: kept, kinds };
}

/** The block as it stays, or null where it goes; and its kind where something of it goes. */
function shortBlock(block: unknown): {
  readonly block: unknown;
  readonly kind: string | null;
} {
  const { type, mimeType } = Object(block) as {
    readonly type?: unknown;
    readonly mimeType?: unknown;
  };
  if (type !== "image" && isShort(block)) return { block, kind: null };
  // A call stays a call, so that its result keeps its partner.
  if (type === "toolCall") return { block: { ...Object(block), arguments: {} }, kind: "toolCall" };
  if (typeof mimeType === "string") return { block: null, kind: mimeType.slice(0, 100) };
  return { block: null, kind: typeof type === "string" ? type.slice(0, 100) : "data" };
}

function isShort(value: unknown): boolean {
  return JSON.stringify(value).length <= KEPT_LENGTH;
}

function noteOf(ref: BlobRef, kinds: ReadonlySet<string>): string {
  const kind = [...kinds].sort().join(", ");
  return `[Moved to a blob: ${kind}, ${ref.bytes} bytes. "branchline gc --restore" brings it back.]`;
}
