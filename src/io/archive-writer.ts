import { BranchlineError } from "../errors.ts";
import { archiveFault, FRAME_BYTES } from "./archive-limits.ts";
import { encodeSeekTable, type FrameSize } from "./seek-table.ts";
import { packFrame } from "./zstd-frame.ts";

const NEWLINE = 0x0a;

/** What {@link packArchive} is told about the file that it packs. */
export interface PackOptions {
  /** Named in errors only. */
  readonly path: string;
}

/**
 * Packs bytes into an archive: zstd frames of whole lines, at most 8 MiB of content each (a longer line
 * goes on in the next frame), then the table of frames. Holds one frame in memory. `zstd -d` unpacks
 * the result, too. Throws NOT_SUPPORTED for what would not be read again (see {@link archiveFault}),
 * and what `content` throws.
 */
export async function* packArchive(
  content: AsyncIterable<Uint8Array>,
  options: PackOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const frames: FrameSize[] = [];
  for await (const piece of framesOf(content)) {
    const { bytes, ...row } = await packFrame(piece);
    frames.push(row);
    yield bytes;
  }
  const fault = archiveFault(frames);
  if (fault !== null) {
    throw new BranchlineError(
      "NOT_SUPPORTED",
      { feature: "archive" },
      {
        message: `${options.path} is not archived: ${fault}.`,
        hint: "Leave it as it is, or pack it with another tool.",
        place: { file: options.path },
      },
    );
  }
  yield encodeSeekTable(frames);
}

/** Cuts bytes into pieces of one frame each, behind a newline where one is in the piece. */
async function* framesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffer = Buffer.allocUnsafe(FRAME_BYTES);
  let length = 0;
  for await (const chunk of content) {
    let rest = chunk;
    while (rest.byteLength > 0) {
      const taken = rest.subarray(0, FRAME_BYTES - length);
      buffer.set(taken, length);
      length += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
      if (length < FRAME_BYTES) continue;
      const cut = buffer.lastIndexOf(NEWLINE) + 1 || length;
      const next = Buffer.allocUnsafe(FRAME_BYTES);
      next.set(buffer.subarray(cut));
      yield buffer.subarray(0, cut);
      buffer = next;
      length -= cut;
    }
  }
  if (length > 0) yield buffer.subarray(0, length);
}
