import type { FileHandle, FileSystem } from "../../io/file-system.ts";

const CHUNK_BYTES: number = 1024 * 1024;

/** The bytes of a file in chunks of at most 1 MiB. */
export function scanBytes(fileSystem: FileSystem, path: string): AsyncGenerator<Uint8Array> {
  return scanHandle(() => fileSystem.open(path, "read"));
}

/** The bytes of what `open` gives, in chunks of at most 1 MiB; it is closed at the end. */
export async function* scanHandle(open: () => Promise<FileHandle>): AsyncGenerator<Uint8Array> {
  const handle = await open();
  try {
    for (let position = 0; ; ) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      const count = await handle.read(chunk, position);
      if (count === 0) return;
      position += count;
      yield chunk.subarray(0, count);
    }
  } finally {
    await handle.close();
  }
}
