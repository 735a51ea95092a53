import { withoutArchives } from "../../io/archive-file-system.ts";
import { FRAME_BYTES } from "../../io/archive-limits.ts";
import { readExactly } from "../../io/read-exactly.ts";
import { packFrame } from "../../io/zstd-frame.ts";
import type { Environment } from "./environment.ts";

/** Sizes in bytes. */
export interface ArchiveEstimate {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Frames that are packed to guess the rest from. */
const SAMPLES = 2;

/**
 * What archiving a file would give, from packing at most two frames of it in memory: exact but for some
 * bytes up to 16 MiB, a guess above. Writes nothing. Throws IO_FAILED, FILE_UNSAFE.
 */
export async function estimateArchive(env: Environment, path: string): Promise<ArchiveEstimate> {
  const handle = await withoutArchives(env.fileSystem).open(path, "read");
  try {
    const { size } = await handle.stat();
    const samples = Math.min(SAMPLES, Math.ceil(size / FRAME_BYTES));
    let content = 0;
    let compressed = 0;
    for (let sample = 0; sample < samples; sample++) {
      const position = Math.floor((size / samples) * sample);
      const frame = await packFrame(await readExactly(handle, position, FRAME_BYTES));
      content += frame.content;
      compressed += frame.compressed;
    }
    const ratio = content === 0 ? 0 : compressed / content;
    return { bytesBefore: size, bytesAfter: Math.round(size * ratio) };
  } finally {
    await handle.close();
  }
}
