import type { IndexedSummary } from "../index/session-index.ts";
import type { TextIndex } from "../index/sqlite/text-index.ts";
import { throwIfAborted } from "../io/clock.ts";
import { createNodeFileSystem } from "../io/node-file-system.ts";
import type { LocalIndex } from "../local/local-index.ts";
import { styled } from "./color.ts";
import type { Call } from "./verb.ts";

/** The index with its full text, up to date for all roots. The locator closes it. */
export interface FullText {
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

async function realRoots(call: Call): Promise<readonly string[]> {
  const fileSystem = createNodeFileSystem();
  const roots: string[] = [];
  for (const { directory } of call.sessions.roots) {
    if ((await fileSystem.stat(directory)) !== undefined) {
      roots.push(await fileSystem.realpath(directory));
    }
  }
  return roots;
}

/**
 * Brings rows and text of the index up to date for all roots of the call. null where no index is wanted
 * or it is in trouble: then the sessions are read. Throws ABORTED; what was indexed before that is kept.
 */
export async function openFullText(call: Call, signal: AbortSignal): Promise<FullText | null> {
  const { index } = call.sessions;
  if (index === null) return null;
  const roots = await realRoots(call);
  if (!(await bringUpToDate({ call, index, roots, signal }))) return null;
  return { searcher: index.text, roots, list: () => index.sessions.list({ roots }) };
}

async function bringUpToDate(work: {
  readonly call: Call;
  readonly index: LocalIndex;
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
}): Promise<boolean> {
  const { call, index, roots, signal } = work;
  const progress = new Progress(call);
  const report = await index.sessions.refresh(roots, {
    signal,
    onProgress: (done, total) => progress.say("looking at sessions", done, total),
  });
  for (const { path: skipped, reason } of report.skipped.slice(0, 1)) {
    const more = report.skipped.length > 1 ? ` and ${report.skipped.length - 1} more` : "";
    call.out.talk(styled("faint", `note: ${skipped}${more} skipped: ${reason}`));
  }
  if (!report.complete) return false;
  const text = await index.text.update({
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
