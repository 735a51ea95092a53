import { BranchlineError } from "../errors.ts";
import { archiveFault } from "./archive-limits.ts";
import type { FileHandle, FileStat } from "./file-system.ts";
import { ioFailed } from "./io-failure.ts";
import { readExactly } from "./read-exactly.ts";
import { decodeSeekTable, FOOTER_BYTES, type FrameSize, seekTableLength } from "./seek-table.ts";
import { unpackFrame } from "./zstd-frame.ts";

/** Unpacked frames that are kept: a reader goes forward and looks back over one border. */
const KEPT_FRAMES = 2;

/** Options of {@link openArchive}. */
export interface ArchiveOptions {
  /** The archive's path, named in errors. */
  readonly path: string;
  /**
   * What a damaged frame is read as. "nul": NUL bytes of its size, so that the rest of the session stays
   * readable and `fsck` shows the place (P7). "refuse": IO_FAILED with errno EBADMSG.
   */
  readonly damaged: "nul" | "refuse";
}

interface Frame extends FrameSize {
  /** Offset in the archive. */
  readonly start: number;
  /** Offset of its content in the logical file. */
  readonly from: number;
}

/**
 * The file that an archive holds, as a handle that reads: any range costs the frames that hold it.
 * `stat` gives the size of the content. The methods that write fail with IO_FAILED (EROFS). Owns `raw`
 * from here on, also when it throws; closing it closes `raw`. Throws SESSION_INVALID for what is no
 * archive or would unpack to too much (reliability.md S17), IO_FAILED.
 */
export async function openArchive(raw: FileHandle, options: ArchiveOptions): Promise<FileHandle> {
  try {
    const frames = await readFrames(raw, options.path);
    return new ArchiveHandle(raw, { ...options, frames });
  } catch (error) {
    await raw.close();
    throw error;
  }
}

class ArchiveHandle implements FileHandle {
  readonly #raw: FileHandle;
  readonly #options: ArchiveOptions;
  readonly #frames: readonly Frame[];
  readonly #size: number;
  /** By the frame's offset, oldest first. */
  readonly #kept = new Map<number, Promise<Uint8Array>>();

  constructor(raw: FileHandle, options: ArchiveOptions & { readonly frames: readonly Frame[] }) {
    this.#raw = raw;
    this.#options = options;
    this.#frames = options.frames;
    const last = options.frames.at(-1);
    this.#size = last === undefined ? 0 : last.from + last.content;
  }

  async read(buffer: Uint8Array, position: number): Promise<number> {
    if (position >= this.#size || buffer.byteLength === 0) return 0;
    const frame = this.#frameAt(position);
    const content = await this.#unpacked(frame);
    const offset = position - frame.from;
    const part = content.subarray(offset, offset + buffer.byteLength);
    buffer.set(part);
    return part.byteLength;
  }

  async stat(): Promise<FileStat> {
    return { ...(await this.#raw.stat()), size: this.#size };
  }

  write(): Promise<number> {
    return this.#refuse("write");
  }

  datasync(): Promise<void> {
    return this.#refuse("datasync");
  }

  sync(): Promise<void> {
    return this.#refuse("sync");
  }

  truncate(): Promise<void> {
    return this.#refuse("truncate");
  }

  close(): Promise<void> {
    this.#kept.clear();
    return this.#raw.close();
  }

  async #refuse(operation: string): Promise<never> {
    throw ioFailed({ operation, path: this.#options.path }, "EROFS");
  }

  /** The frame that holds a byte of the content, by binary search. */
  #frameAt(position: number): Frame {
    let low = 0;
    let high = this.#frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#frames[middle] as Frame).from <= position) low = middle;
      else high = middle - 1;
    }
    return this.#frames[low] as Frame;
  }

  #unpacked(frame: Frame): Promise<Uint8Array> {
    const kept = this.#kept.get(frame.start) ?? this.#unpack(frame);
    this.#kept.delete(frame.start);
    this.#kept.set(frame.start, kept);
    // A failed read is no answer for the next one.
    kept.catch(() => this.#kept.delete(frame.start));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_FRAMES) this.#kept.delete(oldest as number);
    return kept;
  }

  async #unpack(frame: Frame): Promise<Uint8Array> {
    const bytes = await readExactly(this.#raw, frame.start, frame.compressed);
    const content = await unpackFrame(bytes, frame);
    if (content !== null) return content;
    if (this.#options.damaged === "nul") return new Uint8Array(frame.content);
    throw ioFailed({ operation: "read", path: this.#options.path }, "EBADMSG");
  }
}

async function readFrames(raw: FileHandle, path: string): Promise<readonly Frame[]> {
  const { size } = await raw.stat();
  const footer = await readExactly(raw, Math.max(0, size - FOOTER_BYTES), FOOTER_BYTES);
  const length = seekTableLength(footer);
  // Checked before anything of that size is asked for: the number may be anything.
  if (length === null || length > size) throw damagedArchive(path, "it has no table of frames");
  const rows = decodeSeekTable(await readExactly(raw, size - length, length));
  if (rows === null) throw damagedArchive(path, "its table of frames is damaged");
  const fault = archiveFault(rows);
  if (fault !== null) throw damagedArchive(path, fault);
  const frames: Frame[] = [];
  let start = 0;
  let from = 0;
  for (const row of rows) {
    // An empty frame holds no byte that anybody asks for.
    if (row.content > 0) frames.push({ ...row, start, from });
    start += row.compressed;
    from += row.content;
  }
  if (start !== size - length) throw damagedArchive(path, "its size is not that of its frames");
  return frames;
}

function damagedArchive(path: string, reason: string): BranchlineError<"SESSION_INVALID"> {
  return new BranchlineError(
    "SESSION_INVALID",
    { path, reason },
    {
      message: `${path} is no archive that can be read: ${reason}.`,
      hint: "`zstd -d` unpacks what is whole in it; keep the file.",
      place: { file: path },
    },
  );
}
