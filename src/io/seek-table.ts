/**
 * The table at the end of an archive: the "seekable format" of zstd's contrib folder (a skippable frame
 * that ordinary zstd tools pass over), with check sums. All numbers are little-endian.
 */

const SKIPPABLE_MAGIC = 0x184d2a5e;
const SEEKABLE_MAGIC = 0x8f92eab1;
const HEAD_BYTES = 8;
const ROW_BYTES = 12;
const WITH_CHECKSUMS = 0x80;

/** Bytes of the table's last part, which tells how long the table is. */
export const FOOTER_BYTES = 9;

/** One compressed frame. Sizes in bytes. */
export interface FrameSize {
  readonly compressed: number;
  /** Size of what is in it. */
  readonly content: number;
  /** The low 32 bits of XXH64 of the content: the last four bytes of the frame itself. */
  readonly checksum: number;
}

/** The table as the bytes of a skippable frame. */
export function encodeSeekTable(frames: readonly FrameSize[]): Uint8Array {
  const body = frames.length * ROW_BYTES + FOOTER_BYTES;
  const table = Buffer.alloc(HEAD_BYTES + body);
  table.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  table.writeUInt32LE(body, 4);
  let at = HEAD_BYTES;
  for (const { compressed, content, checksum } of frames) {
    table.writeUInt32LE(compressed, at);
    table.writeUInt32LE(content, at + 4);
    table.writeUInt32LE(checksum, at + 8);
    at += ROW_BYTES;
  }
  table.writeUInt32LE(frames.length, at);
  table.writeUInt8(WITH_CHECKSUMS, at + 4);
  table.writeUInt32LE(SEEKABLE_MAGIC, at + 5);
  return table;
}

/** Length of the whole table, from its last {@link FOOTER_BYTES} bytes; null where they are none. */
export function seekTableLength(footer: Uint8Array): number | null {
  if (footer.byteLength !== FOOTER_BYTES) return null;
  const view = Buffer.from(footer.buffer, footer.byteOffset, footer.byteLength);
  if (view.readUInt32LE(5) !== SEEKABLE_MAGIC || view[4] !== WITH_CHECKSUMS) return null;
  return HEAD_BYTES + view.readUInt32LE(0) * ROW_BYTES + FOOTER_BYTES;
}

/** The frames that a table of the right length lists, or null where it is no table. */
export function decodeSeekTable(table: Uint8Array): readonly FrameSize[] | null {
  const view = Buffer.from(table.buffer, table.byteOffset, table.byteLength);
  const isTable =
    view.byteLength === seekTableLength(view.subarray(-FOOTER_BYTES)) &&
    view.readUInt32LE(0) === SKIPPABLE_MAGIC &&
    view.readUInt32LE(4) === view.byteLength - HEAD_BYTES;
  if (!isTable) return null;
  const frames: FrameSize[] = [];
  for (let at = HEAD_BYTES; at < view.byteLength - FOOTER_BYTES; at += ROW_BYTES) {
    frames.push({
      compressed: view.readUInt32LE(at),
      content: view.readUInt32LE(at + 4),
      checksum: view.readUInt32LE(at + 8),
    });
  }
  return frames;
}
