import { promisify } from "node:util";
import type { FrameSize } from "./seek-table.ts";

const CHECKSUM_BYTES = 4;

interface Zstd {
  compress(content: Uint8Array): Promise<Uint8Array>;
  decompress(bytes: Uint8Array, limits: { readonly maxOutputLength: number }): Promise<Uint8Array>;
}

let loaded: Promise<Zstd> | undefined;

/** Loaded with the first frame: Node takes 2 ms for it, and most processes never meet one (T14). */
function zstd(): Promise<Zstd> {
  loaded ??= load();
  return loaded;
}

/**
 * Level 6 with a window as large as a frame: sessions repeat themselves over long distances. Measured
 * on the benchmark's data: 0.18 of the size at 90 MB/s on one core (docs/archive.md).
 */
async function load(): Promise<Zstd> {
  const { constants, zstdCompress, zstdDecompress } = await import("node:zlib");
  const params = {
    [constants.ZSTD_c_compressionLevel]: 6,
    [constants.ZSTD_c_windowLog]: 23,
    [constants.ZSTD_c_checksumFlag]: 1,
  };
  const compress = promisify(zstdCompress);
  return {
    compress: (content) => compress(content, { params }),
    decompress: promisify(zstdDecompress),
  };
}

/** A compressed frame and its row of the table. */
export interface PackedFrame extends FrameSize {
  readonly bytes: Uint8Array;
}

/** Compresses one frame outside the event loop's thread. */
export async function packFrame(content: Uint8Array): Promise<PackedFrame> {
  const bytes = await (await zstd()).compress(content);
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
  const { decompress } = await zstd();
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
