import type { EntryPreview } from "../protocol/tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { EntryReader, type ReadEntry, readPreview } from "./entry-reader.ts";
import type { SessionHost } from "./session-host.ts";

/** Previews of entries, in the given order. */
export async function previews(
  host: SessionHost,
  places: readonly TreeEntry[],
): Promise<readonly EntryPreview[]> {
  const labels = host.store.tree.labels();
  const read = await new EntryReader(host.store).read(places.map(({ id }) => id));
  return places.map((at, index) =>
    readPreview(at, read[index] as ReadEntry, labels.get(at.id)?.label ?? null),
  );
}
