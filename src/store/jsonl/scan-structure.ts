import type { SessionHeader } from "../../entry/entry.ts";
import type { LinePlace } from "../../entry/problem.ts";
import type { AppendFile } from "../../io/append-file.ts";
import { byteTools } from "../../io/byte-tools.ts";
import { scanChunks } from "../../io/chunk-lines.ts";
import { ColumnBase } from "../../tree/column-base.ts";
import { floatColumn, intColumn } from "../../tree/growing-column.ts";
import { type ScannedLine, StructureScanner } from "../../tree/structure-scanner.ts";
import type { KnownSession } from "./known-session.ts";

/** How many of the last bytes tell a file. */
const FINGERPRINT_BYTES = 64;

/** No line that we write is half as long. */
const MAX_LINE_BYTES: number = 64 * 1024 * 1024;

/**
 * Reads the structure of a session file, once, in bounded memory: about 200 bytes an entry, whatever its
 * payload (performance.md T2, T3). null where anything is unusual: such a file has to be read as a whole.
 * Throws ABORTED, IO_FAILED. The file belongs to the caller; what stands behind its `size` is not read.
 */
export async function scanStructure(
  file: AppendFile,
  signal?: AbortSignal,
): Promise<KnownSession | null> {
  const lines = new Lines();
  const scanner = new StructureScanner(byteTools, (header) => lines.begin(header));
  const handle = {
    read: (buffer: Uint8Array, position: number) => file.readInto(buffer, position),
  };
  const { tooLong } = await scanChunks(
    handle,
    { from: 0, to: file.size, maxLineBytes: MAX_LINE_BYTES, signal },
    {
      range: (bytes) => scanner.range(bytes),
      line: (bytes, start) => scanner.line(bytes, start),
      chunkEnd: () => scanner.pause(),
    },
  );
  const { header, known, nextLine } = scanner;
  if (tooLong || !scanner.pause() || header === null) return null;
  const length = Math.min(known, FINGERPRINT_BYTES);
  return {
    identity: file.identity,
    known,
    nextLine,
    fingerprint: await file.read(known - length, length),
    header,
    base: lines.base as ColumnBase,
    placeOf: (id) => lines.placeOf(id),
    idsOfKey: (key) => lines.keys.get(key),
    isAlive: () => true,
  };
}

/** What is kept of the lines. */
class Lines {
  base: ColumnBase | null = null;
  readonly keys = new Map<string, string[]>();
  readonly #start = floatColumn();
  readonly #length = intColumn();
  readonly #line = intColumn();

  begin(header: SessionHeader): (scanned: ScannedLine) => boolean {
    const base = new ColumnBase(header.id);
    this.base = base;
    return (scanned) => {
      if (!base.add(scanned)) return false;
      const { key, entry, start, end, line } = scanned;
      this.#start.push(start);
      this.#length.push(end - start);
      this.#line.push(line);
      if (key === null) return true;
      const ids = this.keys.get(key);
      if (ids === undefined) this.keys.set(key, [entry.id]);
      else ids.push(entry.id);
      return true;
    };
  }

  placeOf(id: string): LinePlace | null {
    const ordinal = this.base?.ordinalOf(id);
    if (ordinal === undefined) return null;
    const byteStart = this.#start.at(ordinal);
    const byteEnd = byteStart + this.#length.at(ordinal);
    return { line: this.#line.at(ordinal), byteStart, byteEnd };
  }
}
