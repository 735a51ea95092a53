import { stat } from "node:fs/promises";
import type { SessionPlace } from "../store/jsonl/jsonl-store.ts";

/** Where a session and its project lie; the documented JSON shape of `place`. */
export interface PlaceReport extends SessionPlace {
  /** True where the project folder of the session is not there (any more). */
  readonly cwdMissing: boolean;
}

/** Looks at the project folder. What cannot be looked at counts as missing. */
export async function placeReport(place: SessionPlace, cwd: string): Promise<PlaceReport> {
  const found = await stat(cwd).catch(() => null);
  return { ...place, cwdMissing: found === null || !found.isDirectory() };
}

/** One sentence each for what may surprise: said once a call, on standard error. */
export function* placeNotes(place: SessionPlace): Iterable<string> {
  const { network, synced } = place;
  if (network !== null) {
    yield `note: the session lies on a network file system (${network}); it is read, and written only with --allow-network.`;
  }
  if (synced !== null) {
    yield `note: the session lies in a folder that ${synced} syncs between machines: write it on one machine at a time, or there will be two versions of it.`;
  }
}
