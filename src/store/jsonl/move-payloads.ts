import { createHash } from "node:crypto";
import { type BlobRef, blobRef, stubOf } from "../../entry/blob-stub.ts";
import type { Entry } from "../../entry/entry.ts";
import { decodeLine } from "../../entry/line-decode.ts";
import { encodeEntry } from "../../entry/line-encode.ts";
import type { LinePlace } from "../../entry/problem.ts";
import { commitOf, readEntryLine } from "../../entry/session-decoder.ts";
import { BranchlineError } from "../../errors.ts";
import { publish } from "../../io/publish.ts";
import type { BlobFolder } from "./blob-folder.ts";
import type { Environment } from "./environment.ts";
import { scanBytes } from "./scan-bytes.ts";
import { SessionFile } from "./session-file.ts";
import { assertUnchanged, statOf } from "./unchanged-file.ts";

const CHUNK_BYTES: number = 1024 * 1024;

/** Which lines are moved. Sizes are those of whole lines, in bytes. */
export interface MoveRule {
  /** Lines from this size on. */
  readonly minBytes: number;
  /** Lines that are not on the way to the stored leaf, from this size on; null = like the others. */
  readonly leftMinBytes: number | null;
}

/** "plan" writes nothing. */
export type GcMode = "plan" | "apply";

/** What moving or restoring payloads did, or would do, to one session. */
export interface MovedPayloads {
  readonly path: string;
  /** Lines that were moved or put back. */
  readonly lines: number;
  /** Lines whose blob is missing: they stay stubs. */
  readonly missing: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Bytes that their blobs take on disk, shared ones counted for each session. */
  readonly blobBytes: number;
}

/** What the functions of this file work with. The caller holds the lock of the session. */
export interface BlobWork {
  readonly env: Environment;
  readonly blobs: BlobFolder;
  readonly mode: GcMode;
}

interface Replacement {
  readonly place: LinePlace;
  /** Without newline. */
  readonly line: () => Promise<Uint8Array>;
  readonly length: number;
}

/**
 * Moves large lines of a session to blobs and leaves stubs. The blobs are durable first; the new file is
 * put back together from them and compared with the old one before it takes its place. Throws
 * FILE_REPLACED with nothing changed where somebody writes meanwhile, IO_FAILED.
 */
export async function movePayloads(
  work: BlobWork,
  path: string,
  rule: MoveRule,
): Promise<MovedPayloads> {
  return await rewrite(work, path, async (session) => {
    const stubs: Replacement[] = [];
    let blobBytes = 0;
    // A file of another version is rewritten by its first append only.
    if (session.readOnly !== null || session.version !== 3)
      return { replaced: [], missing: 0, blobBytes };
    const onPath = new Set<string>();
    for (const { id } of session.tree.ancestors(session.tree.leaf())) onPath.add(id);
    for (const { id } of session.tree.entries()) {
      const place = session.placeOf(id) as LinePlace;
      const size = place.byteEnd - place.byteStart;
      const least = onPath.has(id) ? rule.minBytes : (rule.leftMinBytes ?? rule.minBytes);
      if (size < least) continue;
      const line = await session.file.read(place.byteStart, size);
      const found = await stubLine(work, line);
      if (found === null) continue;
      blobBytes += found.stored;
      stubs.push({ place, length: found.line.length, line: async () => found.line });
    }
    return { replaced: stubs, missing: 0, blobBytes };
  });
}

/** Puts moved lines back, byte for byte; what has no blob any more stays a stub. Throws as above. */
export async function restorePayloads(work: BlobWork, path: string): Promise<MovedPayloads> {
  return await rewrite(work, path, async (session) => {
    const { replaced, missing } = await originals(work.blobs, session);
    return { replaced, missing, blobBytes: 0 };
  });
}

interface Plan {
  readonly replaced: readonly Replacement[];
  readonly missing: number;
  readonly blobBytes: number;
}

async function rewrite(
  work: BlobWork,
  path: string,
  plan: (session: SessionFile) => Promise<Plan>,
): Promise<MovedPayloads> {
  const { env, mode } = work;
  const { fileSystem, random, durability } = env;
  const before = await statOf(fileSystem, path);
  const session = await SessionFile.open(fileSystem, path, { mode: "read" });
  try {
    const { replaced, missing, blobBytes } = await plan(session);
    let bytesAfter = before.size;
    for (const { place, length } of replaced)
      bytesAfter += length - place.byteEnd + place.byteStart;
    const result = {
      path,
      lines: replaced.length,
      missing,
      bytesBefore: before.size,
      bytesAfter,
      blobBytes,
    };
    if (mode === "plan" || replaced.length === 0) return result;
    await publish(fileSystem, {
      path,
      content: replacedContent(session, replaced, before.size),
      overwrite: "replace",
      random,
      durability,
      ifUnchanged: before,
      verify: async (temporary) => {
        // First who it is: other bytes are no fault of the new file.
        await assertUnchanged(fileSystem, path, before);
        await assertSameSession(work, path, temporary);
      },
    });
    return result;
  } finally {
    await session.file.close();
  }
}

async function stubLine(
  { blobs, mode }: BlobWork,
  line: Uint8Array,
): Promise<{ readonly line: Uint8Array; readonly stored: number } | null> {
  const [part, ...others] = decodeLine(line).parts;
  const entry = readEntryLine(line);
  // Damaged and glued lines stay as they are, for whoever repairs them.
  if (entry === null || part?.kind !== "record" || others.length > 0 || part.crc === "wrong")
    return null;
  const draft = stubText(entry, { sha256: "0".repeat(64), bytes: line.length }, part);
  if (draft === null || draft.length * 2 > line.length) return null;
  const { stored, ...ref } = await (mode === "apply" ? blobs.put(line) : blobs.measure(line));
  return { line: stubText(entry, ref, part) as Uint8Array, stored };
}

/** The stub's line without newline; it keeps what the line said about its commit. */
function stubText(
  entry: Entry,
  ref: BlobRef,
  stamp: { readonly key: unknown; readonly commit: unknown },
): Uint8Array | null {
  const stub = stubOf(entry, ref);
  if (stub === null) return null;
  const commit = commitOf(stamp.commit);
  const line = encodeEntry(stub, {
    ...(typeof stamp.key === "string" ? { key: stamp.key } : {}),
    ...(commit === null ? {} : { commit }),
  });
  return line.subarray(0, -1);
}

/** The stubs of a session whose blobs are there, to be replaced by their lines. */
async function originals(
  blobs: BlobFolder,
  session: SessionFile,
): Promise<{ readonly replaced: readonly Replacement[]; readonly missing: number }> {
  const replaced: Replacement[] = [];
  let missing = 0;
  for (const { id } of session.tree.entries()) {
    const entry = session.get(id) as Entry;
    const ref = blobRef(entry);
    if (ref === null) continue;
    const place = session.placeOf(id) as LinePlace;
    if ((await blobs.resolve(entry)) === null) missing++;
    else {
      const line = async (): Promise<Uint8Array> => (await blobs.read(ref)) as Uint8Array;
      replaced.push({ place, length: ref.bytes, line });
    }
  }
  return { replaced, missing };
}

/** The bytes of a session file with some lines replaced. */
async function* replacedContent(
  session: SessionFile,
  replaced: readonly Replacement[],
  size: number,
): AsyncGenerator<Uint8Array> {
  let position = 0;
  for (const { place, line } of [...replaced].sort(
    (a, b) => a.place.byteStart - b.place.byteStart,
  )) {
    yield* raw(session, position, place.byteStart);
    yield await line();
    position = place.byteEnd;
  }
  yield* raw(session, position, size);
}

async function* raw(session: SessionFile, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let position = from; position < to; position += CHUNK_BYTES) {
    yield await session.file.read(position, Math.min(CHUNK_BYTES, to - position));
  }
}

/** With all blobs put back, old and new file are the same bytes. */
async function assertSameSession(work: BlobWork, path: string, temporary: string): Promise<void> {
  const [before, after] = [await restoredHash(work, path), await restoredHash(work, temporary)];
  if (before === after) return;
  throw new BranchlineError(
    "IO_FAILED",
    { operation: "read", path: temporary, errno: "EBADMSG" },
    {
      message: `${path} would not come back as it is; nothing was changed.`,
      place: { file: path },
    },
  );
}

async function restoredHash({ env, blobs }: BlobWork, path: string): Promise<string> {
  const hash = createHash("sha256");
  const session = await SessionFile.open(env.fileSystem, path, { mode: "read" });
  try {
    const { replaced } = await originals(blobs, session);
    const content =
      replaced.length === 0
        ? scanBytes(env.fileSystem, path)
        : replacedContent(session, replaced, session.file.size);
    for await (const chunk of content) hash.update(chunk);
    return hash.digest("hex");
  } finally {
    await session.file.close();
  }
}
