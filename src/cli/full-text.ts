import path from "node:path";
import type { IndexedSummary } from "../index/session-index.ts";
import { createSqliteIndex, type SqliteIndex } from "../index/sqlite/sqlite-index.ts";
import { TextIndex } from "../index/sqlite/text-index.ts";
import { TEXT_EXTENSION } from "../index/sqlite/text-schema.ts";
import { withArchives } from "../io/archive-file-system.ts";
import { throwIfAborted } from "../io/clock.ts";
import type { FileSystem } from "../io/file-system.ts";
import { createNodeFileSystem } from "../io/node-file-system.ts";
import { styled } from "./color.ts";
import { ownRoot } from "./data-roots.ts";
import { jsonlSessionFiles } from "./session-files.ts";
import type { Call } from "./verb.ts";

/** The index with its full text, up to date for all roots. Close it. */
export interface FullText extends AsyncDisposable {
  readonly searcher: TextIndex;
  /** Real paths of the roots of this call. */
  readonly roots: readonly string[];
  /** Rows of the sessions below the roots, newest activity first. */
  list(): readonly IndexedSummary[];
}

/** Progress is shown for what takes longer, in ms, and then as often. */
const PATIENCE_MS = 1000;

/** Says how far a long piece of work has come, on standard error, about once a second. */
class Progress {
  readonly #call: Call;
  #next: number;

  constructor(call: Call) {
    this.#call = call;
    this.#next = performance.now() + PATIENCE_MS;
  }

  say(what: string, done: number, total: number): void {
    if (performance.now() < this.#next) return;
    this.#next = performance.now() + PATIENCE_MS;
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
    this.#call.out.talk(styled("faint", `${what}: ${percent} % (Ctrl-C stops, nothing is lost)`));
  }
}

async function realRoots(call: Call, fileSystem: FileSystem): Promise<readonly string[]> {
  const roots: string[] = [];
  for (const { directory } of call.sessions.roots) {
    if ((await fileSystem.stat(directory)) !== undefined) {
      roots.push(await fileSystem.realpath(directory));
    }
  }
  return roots;
}

/**
 * Opens the index and brings rows and text up to date for all roots of the call. null where no index is
 * wanted (BRANCHLINE_INDEX=off) or it is in trouble: then the sessions are read. Throws ABORTED; what
 * was indexed before that is kept.
 */
export async function openFullText(call: Call, signal: AbortSignal): Promise<FullText | null> {
  if (call.io.env.BRANCHLINE_INDEX === "off") return null;
  const fileSystem = withArchives(createNodeFileSystem());
  const files = jsonlSessionFiles(fileSystem);
  const index = createSqliteIndex({
    path: path.join(ownRoot(call.io).directory, "index.db"),
    fileSystem,
    files,
    extensions: [TEXT_EXTENSION],
  });
  try {
    const searcher = new TextIndex({ index, fileSystem, files });
    const roots = await realRoots(call, fileSystem);
    const isReady = await bringUpToDate({ call, index, searcher, roots, signal });
    if (isReady) {
      const list = (): readonly IndexedSummary[] => index.list({ roots });
      return { searcher, roots, list, [Symbol.asyncDispose]: () => index.close() };
    }
  } catch (error) {
    await index.close();
    throw error;
  }
  await index.close();
  return null;
}

async function bringUpToDate(work: {
  readonly call: Call;
  readonly index: SqliteIndex;
  readonly searcher: TextIndex;
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
}): Promise<boolean> {
  const { call, index, searcher, roots, signal } = work;
  const progress = new Progress(call);
  const report = await index.refresh(roots, {
    signal,
    onProgress: (done, total) => progress.say("looking at sessions", done, total),
  });
  for (const { path: skipped, reason } of report.skipped.slice(0, 1)) {
    const more = report.skipped.length > 1 ? ` and ${report.skipped.length - 1} more` : "";
    call.out.talk(styled("faint", `note: ${skipped}${more} skipped: ${reason}`));
  }
  if (!report.complete) return false;
  const text = await searcher.update({
    roots,
    signal,
    onProgress: (done, total) => progress.say("indexing texts", done, total),
  });
  throwIfAborted(signal);
  if (text?.complete === false) {
    call.out.talk(styled("faint", "note: the texts of some sessions could not be read"));
  }
  return text !== null;
}
