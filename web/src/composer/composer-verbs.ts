import { clonePath, compact, redo, uncompact, undo } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";

/** Verbs that the composer takes after a slash, with what follows them. */
export const COMPOSER_VERBS: Readonly<
  Record<string, (model: SessionModel, rest: string) => unknown>
> = {
  compact: (model, rest) => compact(model, rest === "" ? undefined : rest),
  uncompact: (model) => uncompact(model),
  undo: (model) => undo(model),
  redo: (model) => redo(model),
  clone: (model) => clonePath(model),
};
