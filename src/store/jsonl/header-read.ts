import type { SessionHeader } from "../../entry/entry.ts";
import type { LinePlace } from "../../entry/problem.ts";
import type { LineDecoder } from "../../entry/session-decoder.ts";
import type { FileSystem } from "../../io/file-system.ts";
import { scanLines } from "../../io/line-scanner.ts";
import { decoderFor } from "./decoder-for.ts";

/** Most bytes that are read to find a header, as in Pi (formats.md §2). */
const MAX_HEADER_BYTES: number = 1024 * 1024;

/** A header and where it stands. */
export interface FoundHeader {
  readonly header: SessionHeader;
  /** Pi's version of the file. */
  readonly version: number;
  /** True for a newer format than ours. */
  readonly newer: boolean;
  readonly place: LinePlace;
}

/** The header of a file, or null where none stands in its first MiB. Reads no further. */
export async function readHeader(
  fileSystem: FileSystem,
  path: string,
): Promise<FoundHeader | null> {
  const handle = await fileSystem.open(path, "read");
  try {
    let decoder: LineDecoder | null = null;
    const options = { from: 0, to: MAX_HEADER_BYTES, chunkBytes: 16 * 1024 };
    for await (const batch of scanLines(handle, options)) {
      for (const line of batch) {
        decoder ??= await decoderFor(line);
        decoder.push(line);
        const { header, version, newer } = decoder;
        if (header !== null) return { header, version, newer, place: line };
      }
    }
    return null;
  } finally {
    await handle.close();
  }
}
