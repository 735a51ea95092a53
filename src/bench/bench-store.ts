import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entry, SessionHeader } from "../entry/entry.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import type { SessionStore } from "../store/store.ts";
import { type EngineOptions, openEngine } from "./engine-store.ts";

/** A store to be measured, and the way generated sessions get into it. Whoever made it closes it. */
export interface BenchStore extends AsyncDisposable {
  readonly store: SessionStore;
  /** Puts a session file into the store, untimed; gives the session's id. */
  load(path: string): Promise<string>;
}

/** Makes a store on a folder of its own. */
export type MakeBenchStore = (root: string, options?: EngineOptions) => Promise<BenchStore>;

/** The stores that the scenarios run on, by the name that `--store` takes. */
export const BENCH_STORES: Readonly<Record<string, MakeBenchStore>> = {
  jsonl: makeJsonl,
  memory: async () => overContract(createMemoryStore()),
};

async function makeJsonl(root: string, options: EngineOptions = {}): Promise<BenchStore> {
  const engine = await openEngine(root, options);
  return {
    store: engine.store,
    load: async (path) => {
      const folder = join(root, "sessions", "loaded");
      const copy = join(folder, "loaded.jsonl");
      await mkdir(folder, { recursive: true });
      await copyFile(path, copy);
      await engine.index?.structure(copy);
      await using session = await engine.store.openFile(copy);
      return session.id;
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** Any store: the entries go in through `create`. Files of the generator only: nothing is checked. */
export function overContract(store: SessionStore): BenchStore {
  return {
    store,
    load: async (path) => {
      const text = await readFile(path, "utf8");
      const [header, ...entries]: [SessionHeader, ...Entry[]] = JSON.parse(
        `[${text.trimEnd().replaceAll("\n", ",")}]`,
      );
      await using session = await store.create({ id: header.id, cwd: header.cwd, entries });
      return session.id;
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}
