import { isUtf8 } from "node:buffer";
import type { Entry } from "../../entry/entry.ts";
import { entryFault } from "../../entry/entry-check.ts";
import { decodeLine } from "../../entry/line-decode.ts";
import type { FileHandle } from "../../io/file-system.ts";

/** A row of `entry`: which entry, and where its line lies. */
export interface EntryRow {
  readonly ordinal: number;
  readonly id: string;
  /** First byte of the line. */
  readonly start: number;
  /** Bytes of the line without its newline. */
  readonly length: number;
}

/** Reads the bytes `from` … `from + length`; fewer where the file ends before. */
export async function readRange(
  handle: FileHandle,
  from: number,
  length: number,
): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = await handle.read(buffer.subarray(filled), from + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

/** The entry with this id on a line of Pi v3 or ours, or null where it does not stand there. */
export function entryOnLine(bytes: Uint8Array, id: string): Entry | null {
  const value = parsed(bytes);
  if (entryFault(value) === null && (value as Entry).id === id) return value as Entry;
  for (const part of decodeLine(bytes).parts) {
    if (part.kind !== "record" || entryFault(part.value) !== null) continue;
    if (part.value.id === id) return part.value as unknown as Entry;
  }
  return null;
}

function parsed(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) return null;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch {
    return null;
  }
}
