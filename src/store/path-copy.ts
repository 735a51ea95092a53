import type { Entry } from "../entry/entry.ts";
import type { CopiedStep, PathCopy, StoreSession } from "./store.ts";

/** Entries that are read at a time where no lines are copied. */
const LOADED_AT_ONCE = 64;

/** Id of the entry that a step makes. */
export function idOfStep(step: CopiedStep): string {
  return step.kind === "same" ? step.at.id : step.entry.id;
}

/**
 * The entries of a copy, complete, some at a time: for stores that have no lines to copy. Throws what
 * {@link StoreSession.getAll} throws.
 */
export async function* copiedEntries({ from, steps }: PathCopy): AsyncGenerator<Entry, void, void> {
  let parentId: string | null = null;
  for (let first = 0; first < steps.length; first += LOADED_AT_ONCE) {
    const some = steps.slice(first, first + LOADED_AT_ONCE);
    for (const entry of await readSteps(from, some)) {
      yield { ...entry, parentId };
      parentId = entry.id;
    }
  }
}

/** The entries of some steps in their order, with the parents they had. */
export async function readSteps(
  from: StoreSession,
  steps: readonly CopiedStep[],
): Promise<readonly Entry[]> {
  const same = steps.flatMap((step) => (step.kind === "same" ? [step.at.id] : []));
  const read = (await from.getAll(same)).values();
  return steps.map((step) => (step.kind === "new" ? step.entry : (read.next().value as Entry)));
}
