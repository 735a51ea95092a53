import type { EntryPreview } from "../protocol/tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { previewOf } from "../view/entry-view.ts";
import type { SessionHost } from "./session-host.ts";

/** Previews of entries, in the given order. */
export async function previews(
  host: SessionHost,
  places: readonly TreeEntry[],
): Promise<readonly EntryPreview[]> {
  const labels = host.store.tree.labels();
  const entries = await host.store.getAll(places.map(({ id }) => id));
  return places.flatMap((at, index) => {
    const entry = entries[index];
    return entry === undefined ? [] : [previewOf(at, entry, labels.get(at.id)?.label ?? null)];
  });
}
