import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem, ProblemCode } from "../../entry/problem.ts";
import { gapProblems, planActions, type RepairKind } from "./repair-plan.ts";
import type { SessionFile } from "./session-file.ts";

interface Scene {
  readonly problems?: readonly Problem[];
  /** Where an incomplete group at the end begins. */
  readonly groupStart?: number;
  /** Reasons of gaps, one entry each, 10 bytes apart. */
  readonly gaps?: readonly ("cycle" | "missing-parent" | null)[];
  readonly isHalf?: boolean;
}

/** As much of a session as planning looks at. */
function sessionWith(scene: Scene): SessionFile {
  const { problems = [], groupStart, gaps = [], isHalf = false } = scene;
  const entries = gaps.map((reason, index) => ({
    id: `e${index}`,
    gap: reason === null ? null : { reason, missingId: "m" },
  }));
  const placeOf = (id: string): unknown => {
    const index = Number(id.slice(1));
    return { line: index + 2, byteStart: index * 10, byteEnd: index * 10 + 9 };
  };
  const incompleteGroup = groupStart === undefined ? null : { byteStart: groupStart };
  const tree = { entries: () => entries };
  return { problems, tail: { incompleteGroup }, tree, isHalf, placeOf } as unknown as SessionFile;
}

function problem(code: ProblemCode, byteStart = 0): Problem {
  return { code, line: 1, byteStart, byteEnd: byteStart + 5, entryId: null, message: "x" };
}

const BY_KIND: { readonly [K in RepairKind]: readonly ProblemCode[] } = {
  "add-header": ["HEADER_MISSING"],
  "bridge-gap": ["PARENT_CYCLE", "PARENT_MISSING"],
  // Nothing on the line is an entry, or another one stands for it already.
  quarantine: [
    "HEADER_DUPLICATE",
    "ID_DUPLICATE",
    "LINE_NOT_ENTRY",
    "LINE_NOT_JSON",
    "LINE_TOO_DEEP",
    "LINE_TOO_LONG",
    "TAIL_TORN",
  ],
  "rewrite-line": [
    "COMMIT_INCOMPLETE",
    "CRC_MISMATCH",
    "HEADER_INVALID",
    "LINE_BOM",
    "LINE_CR_ONLY",
    "LINE_GLUED",
    "LINE_INVALID_UTF8",
    "LINE_NUL",
  ],
  // To mend these, something would have to be invented.
  leave: [
    "BASE_MISSING",
    "BLOB_MISSING",
    "ENTRY_MALFORMED",
    "FIRST_KEPT_MISSING",
    "SEQUENCE_BROKEN",
    "TARGET_MISSING",
    "TOOL_RESULT_ORPHAN",
    "VERSION_NEWER",
  ],
};

for (const [kind, codes] of Object.entries(BY_KIND))
  test(`what is done about ${codes.join(", ")}: ${kind}`, () => {
    for (const code of codes)
      assert.deepEqual(planActions(sessionWith({ problems: [problem(code)] })), [
        { ...problem(code), kind },
      ]);
  });

test("steps come in the order of the file, what begins an incomplete group leaves (P2)", () => {
  const problems = [problem("CRC_MISMATCH", 25), problem("COMMIT_INCOMPLETE", 5)];
  const actions = planActions(
    sessionWith({ problems, groupStart: 25, gaps: [null, "missing-parent", "cycle"] }),
  );
  assert.deepEqual(
    actions.map(({ byteStart, kind, code }) => [byteStart, kind, code]),
    [
      [5, "rewrite-line", "COMMIT_INCOMPLETE"],
      [10, "bridge-gap", "PARENT_MISSING"],
      [20, "bridge-gap", "PARENT_CYCLE"],
      [25, "quarantine", "CRC_MISMATCH"],
    ],
  );
});

test("a gap is told at the entry behind it, unless the base of a link was not read", () => {
  const gaps = [null, "cycle"] as const;
  const [found, ...more] = gapProblems(sessionWith({ gaps }));
  assert.equal(more.length, 0);
  assert.match(found?.message ?? "", /circle/);
  assert.deepEqual(
    { ...found, message: "" },
    { code: "PARENT_CYCLE", line: 3, byteStart: 10, byteEnd: 19, entryId: "e1", message: "" },
  );
  assert.deepEqual(gapProblems(sessionWith({ gaps, isHalf: true })), []);
});
