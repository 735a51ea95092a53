import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import type { FrameSize } from "./seek-table.ts";

/**
 * Level 6 with a window as large as a frame: sessions repeat themselves over long distances. Measured
 * on the benchmark's data: 0.18 of the size at 90 MB/s on one core (docs/archive.md).
 */
const PARAMS: Readonly<Record<number, number>> = {
  [constants.ZSTD_c_compressionLevel]: 6,
  [constants.ZSTD_c_windowLog]: 23,
  [constants.ZSTD_c_checksumFlag]: 1,
};

const CHECKSUM_BYTES = 4;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** A compressed frame and its row of the table. */
export interface PackedFrame extends FrameSize {
  readonly bytes: Uint8Array;
}

/** Compresses one frame outside the event loop's thread. */
export async function packFrame(content: Uint8Array): Promise<PackedFrame> {
  const bytes = await compress(content, { params: PARAMS });
  return {
    bytes,
    compressed: bytes.byteLength,
    content: content.byteLength,
    checksum: checksumOf(bytes),
  };
}

/**
 * The content of a frame, or null where it is damaged: not what its row says in size or check sum.
 * Never unpacks more than the row says (S17).
 */
export async function unpackFrame(bytes: Uint8Array, row: FrameSize): Promise<Uint8Array | null> {
  if (bytes.byteLength < CHECKSUM_BYTES || checksumOf(bytes) !== row.checksum) return null;
  // Zero is no limit for zlib.
  const maxOutputLength = Math.max(1, row.content);
  const content = await decompress(bytes, { maxOutputLength }).catch(() => null);
  return content?.byteLength === row.content ? content : null;
}

/** The content of a file of one frame, or null where it is not `length` bytes long or damaged. */
export async function unpackWhole(bytes: Uint8Array, length: number): Promise<Uint8Array | null> {
  if (bytes.byteLength < CHECKSUM_BYTES) return null;
  const checksum = checksumOf(bytes);
  return await unpackFrame(bytes, { compressed: bytes.byteLength, content: length, checksum });
}

/** A frame with the check sum flag ends with the check sum of its content. */
function checksumOf(frame: Uint8Array): number {
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).readUInt32LE(
    frame.byteLength - CHECKSUM_BYTES,
  );
}
