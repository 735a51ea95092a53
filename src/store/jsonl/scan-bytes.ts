import type { FileSystem } from "../../io/file-system.ts";

const CHUNK_BYTES: number = 1024 * 1024;

/** The bytes of a file in chunks of at most 1 MiB. */
export async function* scanBytes(fileSystem: FileSystem, path: string): AsyncGenerator<Uint8Array> {
  const handle = await fileSystem.open(path, "read");
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
