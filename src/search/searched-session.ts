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

/** One by one: a path of a million entries is never held as a whole (R13). */
function idsUpFrom({ tree }: StoreSession, id: string | null): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const at of tree.ancestors(id)) ids.add(at.id);
  return ids;
}

/** Any session of a store as one whose own entries can be searched. Closing it closes the store's session. */
export function openedSession(store: StoreSession): OpenedSession {
  const { tree } = store;
  let active: ReadonlySet<string> | undefined;
  return {
    // What a linked session reads from another one is found there.
    entries: () => store.scan({ from: store.link?.entries ?? 0 }),
    get: (entry) => store.get(entry),
    isActive(entry) {
      active ??= idsUpFrom(store, tree.leaf());
      return active.has(entry);
    },
    labelOf: (entry) => tree.labels().get(entry)?.label ?? null,
    [Symbol.asyncDispose]: () => store.close(),
  };
}
