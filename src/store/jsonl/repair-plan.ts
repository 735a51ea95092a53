import type { LinePlace, Problem, ProblemCode } from "../../entry/problem.ts";
import type { TreeEntry } from "../../tree/tree-entry.ts";
import type { SessionFile } from "./session-file.ts";

/** What a repair does about one finding. */
export type RepairKind =
  /** A header is written where none could be read. */
  | "add-header"
  /** A placeholder entry stands for what is missing; the gap stays visible. */
  | "bridge-gap"
  /** Bytes that hold no entry leave the file for the quarantine. */
  | "quarantine"
  /** The line is written again from what could be read of it. */
  | "rewrite-line"
  /** Nothing can be done without inventing something. */
  | "leave";

/** One step of a repair. */
export interface RepairAction extends LinePlace {
  readonly kind: RepairKind;
  readonly code: ProblemCode;
  readonly entryId: string | null;
  /** One sentence for people. */
  readonly message: string;
}

/** What a repair would do. */
export interface RepairPlan {
  readonly file: string;
  readonly actions: readonly RepairAction[];
  /** True where at least one action changes the file. */
  readonly changes: boolean;
}

const KINDS: { readonly [C in ProblemCode]: RepairKind } = {
  BASE_MISSING: "leave",
  BLOB_MISSING: "leave",
  COMMIT_INCOMPLETE: "rewrite-line",
  CRC_MISMATCH: "rewrite-line",
  ENTRY_MALFORMED: "leave",
  FIRST_KEPT_MISSING: "leave",
  HEADER_DUPLICATE: "quarantine",
  HEADER_INVALID: "rewrite-line",
  HEADER_MISSING: "add-header",
  ID_DUPLICATE: "quarantine",
  LINE_BOM: "rewrite-line",
  LINE_CR_ONLY: "rewrite-line",
  LINE_GLUED: "rewrite-line",
  LINE_INVALID_UTF8: "rewrite-line",
  LINE_NOT_ENTRY: "quarantine",
  LINE_NOT_JSON: "quarantine",
  LINE_NUL: "rewrite-line",
  LINE_TOO_DEEP: "quarantine",
  LINE_TOO_LONG: "quarantine",
  PARENT_CYCLE: "bridge-gap",
  PARENT_MISSING: "bridge-gap",
  SEQUENCE_BROKEN: "leave",
  TAIL_TORN: "quarantine",
  TARGET_MISSING: "leave",
  TOOL_RESULT_ORPHAN: "leave",
  VERSION_NEWER: "leave",
};

/** What to do about everything that is wrong with a file, in the order of the file. Reads nothing. */
export function planActions(session: SessionFile): readonly RepairAction[] {
  const findings = [...session.problems, ...gapProblems(session)];
  const actions = findings.map((problem): RepairAction => {
    const isLostGroup = problem.byteStart === session.tail.incompleteGroup?.byteStart;
    return { ...problem, kind: isLostGroup ? "quarantine" : KINDS[problem.code] };
  });
  return actions.sort((a, b) => a.byteStart - b.byteStart);
}

/**
 * The gaps of the tree as findings, each at the line of the first entry behind it. None where the base of
 * a linked session was not read: what is missing may stand there.
 */
export function gapProblems(session: SessionFile): readonly Problem[] {
  const problems: Problem[] = [];
  for (const at of session.tree.entries()) {
    if (at.gap !== null && !session.isHalf) problems.push(gapProblem(session, at));
  }
  return problems;
}

function gapProblem(session: SessionFile, at: TreeEntry): Problem {
  const { line, byteStart, byteEnd } = session.placeOf(at.id) as LinePlace;
  const isCycle = at.gap?.reason === "cycle";
  return {
    code: isCycle ? "PARENT_CYCLE" : "PARENT_MISSING",
    line,
    byteStart,
    byteEnd,
    entryId: at.id,
    message: isCycle
      ? "The chain of parents runs in a circle."
      : "The parent of this entry cannot be read.",
  };
}
