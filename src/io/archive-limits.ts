import type { FrameSize } from "./seek-table.ts";

/** Content of one frame at most, in bytes: what a read of one byte may cost. */
export const FRAME_BYTES: number = 8 * 1024 * 1024;
/** Most content per stored byte (reliability.md S17). Measured on real sessions: 4 to 12. */
const MAX_RATIO = 100;
/** Content that is accepted whatever the ratio: small files of one repeated byte are no attack. */
const FREE_BYTES: number = 64 * 1024 * 1024;
/** Most frames: bounds the memory of the table (2^17 frames of 8 MiB are 1 TiB). */
const MAX_FRAMES = 131_072;

/** Why an archive of these frames is not read and not written, or null where it is fine. */
export function archiveFault(frames: readonly FrameSize[]): string | null {
  if (frames.length > MAX_FRAMES) return "it has too many frames";
  let compressed = 0;
  let content = 0;
  for (const frame of frames) {
    if (frame.content > FRAME_BYTES) return "a frame is larger than any that is written";
    compressed += frame.compressed;
    content += frame.content;
  }
  const isBomb = content > FREE_BYTES && content > compressed * MAX_RATIO;
  return isBomb ? `it would unpack to more than ${MAX_RATIO} times its size` : null;
}
