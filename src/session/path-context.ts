import { type Context, GrowingContext } from "../projection/context.ts";
import type { PathStep } from "../projection/cut.ts";
import type { StoreSession } from "../store/store.ts";
import { activeCompaction, EMPTY_FOLD } from "../tree/fold.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";

/** What of a store session a context is made from. */
export type PathSource = Pick<StoreSession, "id" | "tree" | "getAll">;

/** Steps by which a tail is lengthened at least, when a call above it is looked for. */
const MIN_STRETCH = 64;

/** The end of a path, leaf first, down from the root or from where the active compaction keeps. */
interface Tail {
  readonly steps: TreeEntry[];
  /** Index in `steps` of the active compaction; null = the whole path has to be read. */
  readonly compactionAt: number | null;
  /** What lies above, leaf first. */
  readonly above: Iterator<TreeEntry>;
}

/** The context of a store session at an entry, whoever stands where. Costs its length, not the path's. */
export async function contextAt(store: PathSource, at: string | null): Promise<Context> {
  const { fold } = (at === null ? undefined : store.tree.get(at)) ?? { fold: EMPTY_FOLD };
  return (await growingContextAt(store, at)).context(fold);
}

/** The same as one that goes on growing. */
export async function growingContextAt(
  store: PathSource,
  at: string | null,
): Promise<GrowingContext> {
  return (await readContext(store, at)).context;
}

/** The end of the path to an entry, root first, from as far up as its context needs. */
export async function contextSteps(
  store: PathSource,
  at: string | null,
): Promise<readonly PathStep[]> {
  return (await readContext(store, at)).steps;
}

interface ReadContext {
  readonly context: GrowingContext;
  readonly steps: readonly PathStep[];
}

async function readContext(store: PathSource, at: string | null): Promise<ReadContext> {
  const { tree } = store;
  const { steps, compactionAt, above } = tailOf(tree, at);
  const { relinks } = tree;
  let read = await readSteps(store, steps);
  const whole = (): ReadContext => {
    return { context: GrowingContext.ofPath(read, store.id), steps: read };
  };
  if (compactionAt === null) return whole();
  // A result in the tail may have its call above what is kept (P9): then more is read, twice as much each time.
  for (let from = 0; ; from = read.length - steps.length) {
    const cut = { compactionAt: read.length - 1 - compactionAt, from };
    const context = GrowingContext.ofTail(read, store.id, cut);
    if (context !== null) return { context, steps: read };
    if (tree.relinks !== relinks) return readContext(store, at);
    const more = take(above, Math.max(MIN_STRETCH, read.length));
    if (more.length === 0) return whole();
    read = [...(await readSteps(store, more)), ...read];
  }
}

/** Root → entry, gaps bridged and marked. */
export async function pathSteps(
  store: PathSource,
  at: string | null,
): Promise<readonly PathStep[]> {
  return readSteps(store, [...store.tree.ancestors(at)]);
}

/** Reads the payloads; given leaf first, the steps come out in the order of the path. */
export async function readSteps(
  store: PathSource,
  leafFirst: readonly TreeEntry[],
): Promise<readonly PathStep[]> {
  const path = leafFirst.toReversed();
  const gaps = path.map(({ gap }) => gap);
  const entries = await store.getAll(path.map(({ id }) => id));
  return entries.map((entry, index) => ({ entry, gap: gaps[index] ?? null }));
}

function tailOf(tree: SessionTree, at: string | null): Tail {
  const fold = (at === null ? undefined : tree.get(at))?.fold ?? EMPTY_FOLD;
  const active = activeCompaction(fold);
  const above = tree.ancestors(at);
  const steps: TreeEntry[] = [];
  let compactionAt: number | null = null;
  for (let next = above.next(); next.done !== true; next = above.next()) {
    steps.push(next.value);
    if (next.value.id === active?.id) compactionAt = steps.length - 1;
    // A first kept entry that is not above its compaction is not found: then the whole path speaks.
    if (compactionAt !== null && next.value.id === active?.firstKeptEntryId) {
      return { steps, compactionAt, above };
    }
  }
  return { steps, compactionAt: null, above };
}

function take(from: Iterator<TreeEntry>, count: number): readonly TreeEntry[] {
  const taken: TreeEntry[] = [];
  while (taken.length < count) {
    const next = from.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}
