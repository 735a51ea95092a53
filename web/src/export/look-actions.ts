/**
 * Stands in the place of `model/session-actions.ts` in an exported page: another path can be looked at,
 * nothing can be changed.
 */
import { moveLeaf } from "../api/api.ts";
import { chosenEntry } from "../app/overlays.ts";
import type { SessionModel } from "../model/session-model.ts";
import { toastFailure } from "../parts/toast.tsx";

export type { SendOptions } from "../model/session-actions.ts";

/** Shows the path to an entry. */
export async function switchTo(model: SessionModel, entry: string): Promise<void> {
  try {
    await moveLeaf({ sessionId: model.id, leafId: entry });
    await model.show(entry.startsWith("~") ? null : entry);
    chosenEntry.set(null);
    await model.refresh();
  } catch (error) {
    toastFailure(error);
  }
}

/** In an export both ways to move are the same. */
export const moveHere: typeof switchTo = switchTo;

const nothing = async (): Promise<undefined> => undefined;
const no = async (): Promise<boolean> => false;

/** What only a server can do. */
export const perform: () => Promise<undefined> = nothing;
/** See {@link perform}. */
export const undo: () => Promise<undefined> = nothing;
/** See {@link perform}. */
export const redo: () => Promise<undefined> = nothing;
/** See {@link perform}. */
export const labelEntry: () => Promise<undefined> = nothing;
/** See {@link perform}. */
export const nameBranch: () => Promise<undefined> = nothing;
/** See {@link perform}. */
export const setHidden: () => Promise<undefined> = nothing;
/** See {@link perform}. */
export const forkAt: () => Promise<undefined> = nothing;
/** See {@link perform}. */
export const uncompact: () => Promise<undefined> = nothing;
/** See {@link perform}. */
export const compact: () => Promise<undefined> = nothing;
/** See {@link perform}. */
export const agreeToHeld: () => Promise<boolean> = no;
/** See {@link perform}. */
export const send: () => Promise<boolean> = no;
