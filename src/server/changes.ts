import { BranchlineError } from "../errors.ts";
import type { MoveAnswer } from "../protocol/operation.ts";
import type { MoveResult } from "../session/leaf-move.ts";
import type { Session } from "../session/session.ts";
import { leafMatches } from "../store/commit-plan.ts";
import { HttpError } from "./http-error.ts";
import { optionalEntryId } from "./input.ts";
import type { ServerCore } from "./server-core.ts";
import type { SessionHost } from "./session-host.ts";

/** What every change of the leaf may say besides where to. */
export interface MoveGuard {
  /** The leaf that the caller believes in; 409 with the present one where that is another. */
  readonly ifLeaf?: string | null | undefined;
  /** True = a run that is active is ended first instead of refusing the move. */
  readonly abort?: boolean | undefined;
}

/** The answer to a move. */
export function moveAnswer(
  moved: MoveResult & { readonly editorText?: string | null },
): MoveAnswer {
  const { leaf, position, branch, previousLeaf, op, editorText = null } = moved;
  return { leafId: leaf, position, branch, previousLeafId: previousLeaf, op, editorText };
}

/** The answer to a change that leaves the leaf where it is, or moves it by itself. */
export function standing(session: Session, before: string | null, op: string | null): MoveAnswer {
  const { leaf, position, branch } = session;
  return { leafId: leaf, position, branch, previousLeafId: before, op, editorText: null };
}

/** Refuses a change while a run is active, or ends the run. Throws HTTP_RUN_ACTIVE. */
export async function settleRun(
  core: ServerCore,
  host: SessionHost,
  guard: MoveGuard,
): Promise<void> {
  await core.runs.endOfTold(host.id);
  const run = core.runs.stateOf(host.id);
  if (run === null) return;
  if (guard.abort === true) return await core.runs.abortIn(host.id);
  const fields = { run: run.id, branch: run.branch, leaf: host.session.leaf };
  const hint = "Wait until it is settled, or say abort: true.";
  throw new HttpError("HTTP_RUN_ACTIVE", "A run is active in this session.", { fields, hint });
}

/** Throws STORE_CONFLICT, with the present leaf in its fields, where `ifLeaf` is another. */
export function checkLeaf(session: Session, { ifLeaf }: MoveGuard): void {
  if (ifLeaf === undefined) return;
  const { tree, leaf, branch } = session;
  const expected = ifLeaf === null ? null : optionalEntryId(tree, ifLeaf);
  if (leafMatches(tree, leaf, expected)) return;
  throw new BranchlineError(
    "STORE_CONFLICT",
    { branch, expected, head: leaf },
    { message: "The leaf is another one by now.", hint: "Read what was added, then try again." },
  );
}
