import type { FileHandle } from "./file-system.ts";

/** Reads until `length` bytes are there or the file ends. */
export async function readExactly(
  handle: FileHandle,
  position: number,
  length: number,
): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const count = await handle.read(buffer.subarray(filled), position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}
