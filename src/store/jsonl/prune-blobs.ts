import { join } from "node:path";
import type { FileHandle } from "../../io/file-system.ts";
import { scanLines } from "../../io/line-scanner.ts";
import type { StoredBlob } from "./blob-folder.ts";
import type { BlobWork } from "./move-payloads.ts";

/** What removing unnamed blobs did, or would do. */
export interface PrunedBlobs {
  /** Blobs that are there. */
  readonly blobs: number;
  /** Blobs that no session names. */
  readonly pruned: number;
  /** Bytes on disk that they take. */
  readonly bytes: number;
  /** Blobs that no session names, but that are too young: somebody may be about to name them. */
  readonly young: number;
}

/** A blob is written before the session that names it, so a young one is never removed; in ms. */
const YOUNG_MS = 86_400_000;
const SHA256 = /[0-9a-f]{64}/g;
const MAX_DEPTH = 8;
/** A sha that is cut by a chunk's end is found in the next one. */
const OVERLAP = 63;
const CHUNK_BYTES: number = 1024 * 1024;
/** Base64 of the longest line that a repair keeps. */
const QUARANTINE_LINE_BYTES: number = 384 * 1024 * 1024;

/**
 * Removes blobs that no file below the roots names: session files, archives, the trash, and the copies
 * that repairs and upgrades left. Any file that cannot be read stops it: what cannot be seen may name a
 * blob. Throws IO_FAILED, FILE_UNSAFE, SESSION_INVALID.
 */
export async function pruneBlobs(work: BlobWork, roots: readonly string[]): Promise<PrunedBlobs> {
  const { env, blobs, mode } = work;
  const all = await blobs.list();
  const unnamed = new Map<string, StoredBlob>(all.map((blob) => [blob.sha256, blob]));
  for (const root of new Set(roots)) {
    for await (const path of filesBelow(work, root)) await strikeNamed(work, path, unnamed);
  }
  const now = env.clock.now();
  const old = [...unnamed.values()].filter((blob) => now - blob.mtimeMs >= YOUNG_MS);
  if (mode === "apply") for (const blob of old) await blobs.remove(blob);
  return {
    blobs: all.length,
    pruned: old.length,
    bytes: old.reduce((sum, { size }) => sum + size, 0),
    young: unnamed.size - old.length,
  };
}

/** Every regular file that may hold lines of a session, hidden ones and the trash included. */
async function* filesBelow({ env }: BlobWork, root: string): AsyncGenerator<string> {
  const { fileSystem } = env;
  if ((await fileSystem.stat(root))?.kind !== "directory") return;
  const folders = [{ path: root, depth: 0 }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { name, kind } of await fileSystem.readDirectory(folder.path)) {
      const path = join(folder.path, name);
      if (kind === "directory" && folder.depth < MAX_DEPTH)
        folders.push({ path, depth: folder.depth + 1 });
      if (kind === "link") {
        const target = await fileSystem.stat(path);
        if (target?.kind === "file" && name.includes(".jsonl"))
          yield await fileSystem.realpath(path);
      }
      if (kind === "file" && name.includes(".jsonl")) yield path;
    }
  }
}

async function strikeNamed(
  { env }: BlobWork,
  path: string,
  unnamed: Map<string, StoredBlob>,
): Promise<void> {
  if (unnamed.size === 0 || /\.(lock|owner)$/.test(path)) return;
  const handle = await env.fileSystem.open(path, "read");
  try {
    const texts = path.includes(".quarantine-") ? quarantinedTexts(handle) : textsOf(handle);
    for await (const text of texts)
      for (const [sha256] of text.matchAll(SHA256)) unnamed.delete(sha256);
  } finally {
    await handle.close();
  }
}

async function* textsOf(handle: FileHandle): AsyncGenerator<string> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let before = "";
  for (let position = 0; ; ) {
    const count = await handle.read(buffer, position);
    if (count === 0) return;
    position += count;
    const text = before + buffer.toString("latin1", 0, count);
    yield text;
    before = text.slice(-OVERLAP);
  }
}

/** The lines that a repair took out stand there in base64. */
async function* quarantinedTexts(handle: FileHandle): AsyncGenerator<string> {
  for await (const batch of scanLines(handle, { from: 0, maxLineBytes: QUARANTINE_LINE_BYTES })) {
    for (const { bytes } of batch) {
      const text = Buffer.from(bytes ?? []).toString();
      const [, base64 = ""] = /"base64":"([^"]*)"/.exec(text) ?? [];
      yield Buffer.from(base64, "base64").toString("latin1");
    }
  }
}
