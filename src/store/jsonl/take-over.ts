import type { IndexedSession } from "../../index/session-index.ts";
import type { Clock } from "../../io/clock.ts";
import type { MirroredPath } from "../../tree/mirrored-path.ts";

/** How long a copy leans on the index before it takes over what that knows, in ms. */
export const LEANS_MS = 300;
/** How many entries are taken over at a time. */
export const TAKEN_AT_ONCE = 256;
/** Pause behind them, in ms. */
export const PAUSE_MS = 5;

/**
 * Takes over what the index knows of an old session, a little at a time: another process may remove both
 * unannounced, and the new session has to go on. One that is not used any more by then takes nothing.
 */
export function takeOver(
  mirror: MirroredPath,
  indexed: Pick<IndexedSession, "isAlive">,
  clock: Clock,
): void {
  const used = new WeakRef(mirror);
  const take = (): void => {
    const present = used.deref();
    if (present === undefined || !indexed.isAlive()) return;
    try {
      present.keep(TAKEN_AT_ONCE);
    } catch {
      // It is gone already: whoever asks next reads the file.
      return;
    }
    if (!present.isKept) clock.schedule(PAUSE_MS, take);
  };
  clock.schedule(LEANS_MS, take);
}
