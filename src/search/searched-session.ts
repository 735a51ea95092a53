import type { Entry } from "../entry/entry.ts";
import type { StoreSession } from "../store/store.ts";

/** A session that is read from its first entry to its last, without an index. */
export interface SearchedSession {
  /** Id of the session. */
  readonly session: string;
  /** Real path of its file, or null. */
  readonly path: string | null;
  readonly name: string | null;
  readonly title: string | null;
  readonly cwd: string;
  /** ISO time of the header. */
  readonly created: string;
  /** Asked for only where a query needs it; closes what it opens. */
  open(): Promise<OpenedSession>;
}

/** The entries of a session, and where they stand in its tree. */
export interface OpenedSession extends AsyncDisposable {
  entries(): AsyncIterable<Entry>;
  get(entry: string): Promise<Entry | undefined>;
  isActive(entry: string): boolean;
  labelOf(entry: string): string | null;
}

/** Any session of a store as one that can be searched. Closing it closes the store's session. */
export function openedSession(store: StoreSession): OpenedSession {
  const { tree } = store;
  let active: ReadonlySet<string> | undefined;
  return {
    entries: () => store.scan(),
    get: (entry) => store.get(entry),
    isActive(entry) {
      active ??= new Set(tree.path(tree.leaf()).map((at) => at.id));
      return active.has(entry);
    },
    labelOf: (entry) => tree.labels().get(entry)?.label ?? null,
    [Symbol.asyncDispose]: () => store.close(),
  };
}
