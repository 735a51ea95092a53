import { mkdir, realpath } from "node:fs/promises";
import { BranchlineError } from "../errors.ts";
import type { SessionIndex } from "../index/session-index.ts";
import type { FileSystem } from "../io/file-system.ts";
import { createNodeFileSystem } from "../io/node-file-system.ts";
import { type LocalIndex, openLocalIndex } from "../local/local-index.ts";
import { parseQuery } from "../search/query.ts";
import { searchSessions } from "../search/search.ts";
import { createJsonlStore, type JsonlStore } from "../store/jsonl/jsonl-store.ts";

/** How the engine's own store is opened for a measurement. */
export interface EngineOptions {
  /** "full" (default): an append is on the disk when it resolves; "process": in the kernel only. */
  readonly durability?: "full" | "process";
  /** "on" (default) = with the index; "off" = without. */
  readonly index?: "on" | "off";
  /** The data root that holds the index. Default: the root itself. */
  readonly data?: string;
  /** Default: the real one. */
  readonly fileSystem?: FileSystem;
}

/** What the index of an engine can be asked to do; all of it is optional work for a caller. */
export interface EngineIndex {
  readonly counters: SessionIndex["counters"];
  /** Brings what is known of entries up to date, for a file or all files below a folder. */
  structure(path: string): Promise<void>;
  /** Brings the full text of everything known up to date. */
  text(): Promise<void>;
  /** The newest sessions below the engine's root, as of the last list. */
  page(limit: number): Promise<readonly { readonly id: string }[]>;
  /** Ids of the sessions below the engine's root with a hit, each once. */
  search(query: string): Promise<readonly string[]>;
}

/** A store with its index, as the command line opens them together. Whoever opened it closes it. */
export interface Engine extends AsyncDisposable {
  readonly store: JsonlStore;
  /** Absent where it was not wanted. */
  readonly index?: EngineIndex;
}

/** Makes the index know a file or folder, full text included; does nothing without an index. */
export async function prepareIndex(engine: Engine, path: string): Promise<void> {
  await engine.index?.structure(path);
  await engine.index?.text();
}

/**
 * The one place where measurements open the engine, so that all of them use the same set-up. `root`
 * is the folder of the sessions; session files anywhere else may be opened by path.
 */
export async function openEngine(root: string, options: EngineOptions = {}): Promise<Engine> {
  const { durability = "full", data = root, fileSystem = createNodeFileSystem() } = options;
  if (options.index === "off") {
    const store = createJsonlStore({ root, durability, fileSystem });
    return { store, [Symbol.asyncDispose]: () => store.close() };
  }
  await mkdir(data, { recursive: true });
  const index = openLocalIndex({ root: data, fileSystem });
  const store = createJsonlStore({ root, durability, fileSystem, index: index.sessions });
  return {
    store,
    index: engineIndex(index, root),
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await index[Symbol.asyncDispose]();
    },
  };
}

function engineIndex({ sessions: index, text: full }: LocalIndex, root: string): EngineIndex {
  return {
    counters: index.counters,
    structure: async (path) => {
      const real = await realpath(path);
      if (real.endsWith(".jsonl")) await index.session(real);
      else await index.refresh([real]);
    },
    text: async () => void (await full.update()),
    page: async (limit) => index.list({ roots: [await realpath(root)], limit }),
    search: async (query) => {
      const { hits } = await searchSessions(parseQuery(query, Date.now()), {
        index: full,
        roots: [await realpath(root)],
        sessions: noSessions,
        makeRegexRunner: noRegex,
        limit: 50,
        activeFirst: true,
      });
      return [...new Set(hits.map(({ session }) => session))];
    },
  };
}

/** A measured search must be answered by the index alone. */
async function* noSessions(): AsyncGenerator<never, void, void> {
  yield* [];
}

function noRegex(): never {
  throw new BranchlineError(
    "NOT_SUPPORTED",
    { feature: "regular expressions" },
    { message: "A measured search has no regular expression." },
  );
}
