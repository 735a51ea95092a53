import { checkSession } from "../../session/fsck.ts";
import { applyRepair, planRepair, type RepairResult } from "../../store/jsonl/repair.ts";
import type { RepairPlan } from "../../store/jsonl/repair-plan.ts";
import { safeLine } from "../../view/safe-text.ts";
import { type Piece, styled } from "../color.ts";
import { counted } from "../counted.ts";
import type { FoundSession } from "../locate.ts";
import { placeNotes } from "../place-notes.ts";
import type { Verb } from "../verb.ts";

type Report = Awaited<ReturnType<typeof checkSession>>;

/** Problems that text output lists; JSON has all. */
const MOST_SHOWN = 100;

function* lines(report: Report): Iterable<readonly Piece[]> {
  const { file, ok, entries, problems } = report;
  yield [safeLine(file ?? ""), `  ${counted(entries, "entry", "entries")}`];
  for (const problem of problems.slice(0, MOST_SHOWN)) {
    const where = `line ${problem.line}, bytes ${problem.byteStart}–${problem.byteEnd}`;
    const entry = problem.entryId === null ? "" : `  entry ${problem.entryId}`;
    yield [
      styled("warning", problem.code.padEnd(20)),
      styled("faint", ` ${where}${safeLine(entry)}`),
      `  ${safeLine(problem.message)}`,
    ];
  }
  const rest = problems.length - MOST_SHOWN;
  if (rest > 0) yield [styled("faint", `… ${rest} more, see them with --json`)];
  if (ok) yield [styled("assistant", "ok")];
  else yield [styled("error", counted(problems.length, "problem"))];
}

async function check(store: FoundSession["store"], path: string): Promise<Report> {
  await using file = await store.openFile(path, { verify: true });
  return await checkSession(file);
}

/** Checks a session file, and writes nothing. */
export const fsckVerb: Verb = {
  name: "fsck",
  summary: "check a session and list what is damaged; changes nothing",
  example: "branchline fsck last",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [],
  async run(call) {
    const { path, store } = await call.sessions.find(call.sessionReference);
    const report = await check(store, path);
    const place = await store.placeOf(path);
    call.out.either({ ...report, place }, () => lines(report));
    for (const note of placeNotes(place)) call.out.talk(styled("warning", safeLine(note)));
    if (!report.ok && !call.out.json) {
      call.out.talk(`\`branchline repair ${safeLine(path)}\` shows what can be mended.`);
    }
    return report.ok ? 0 : 3;
  },
};

type Action = RepairPlan["actions"][number];

/** What a check finds in the session as a whole is nothing that a repair could mend: it is told. */
function withFindings(actions: readonly Action[], report: Report): readonly Action[] {
  const known = new Set(actions.map(keyOf));
  const found = report.problems.filter((problem) => !known.has(keyOf(problem)));
  const left = found.map((problem): Action => ({ ...problem, kind: "leave" }));
  return [...actions, ...left].sort((a, b) => a.byteStart - b.byteStart);
}

function keyOf({ code, byteStart, entryId }: Omit<Action, "kind">): string {
  return JSON.stringify([code, byteStart, entryId]);
}

function* repairLines(result: RepairResult): Iterable<readonly Piece[]> {
  const { actions, changes, original, quarantine } = result;
  for (const action of actions) {
    const where = `line ${action.line}, bytes ${action.byteStart}–${action.byteEnd}`;
    yield [
      styled(action.kind === "leave" ? "faint" : "warning", action.kind.padEnd(14)),
      ` ${action.code}`,
      styled("faint", `  ${where}  `),
      safeLine(action.message),
    ];
  }
  if (original !== null) yield [`the file as it was: ${safeLine(original)}`];
  if (quarantine !== null) yield [`the lines that left it: ${safeLine(quarantine)}`];
  if (changes) return;
  yield [actions.length === 0 ? "nothing to mend" : "nothing that a repair could mend"];
}

/** Plans a repair, and does it with --apply. */
export const repairVerb: Verb = {
  name: "repair",
  summary: "plan what can be mended; --apply does it and keeps the original",
  example: "branchline repair last --apply",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [{ name: "apply", about: "do it; the file as it was stays beside the new one" }],
  async run(call) {
    const { path, store } = await call.sessions.find(call.sessionReference);
    const report = await check(store, path);
    const apply = call.has("apply");
    const done = apply
      ? await applyRepair(path, { allowNetwork: call.sessions.allowNetwork })
      : { ...(await planRepair(path)), original: null, quarantine: null };
    const result = { ...done, actions: withFindings(done.actions, report) };
    const { file, actions, changes, original, quarantine } = result;
    const json = { file, applied: apply && changes, changes, actions, original, quarantine };
    call.out.either(json, () => repairLines(result));
    if (changes && !apply && !call.out.json) {
      call.out.talk("This is the plan; nothing was changed. --apply does it.");
    }
    const isMended = apply && changes;
    return isMended || actions.length === 0 ? 0 : 3;
  },
};
