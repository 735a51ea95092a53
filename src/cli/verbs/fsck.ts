import { checkSession } from "../../session/fsck.ts";
import { applyRepair, planRepair } from "../../store/jsonl/repair.ts";
import { type Piece, styled } from "../color.ts";
import { safeLine } from "../safe-text.ts";
import type { Verb } from "../verb.ts";

type Report = Awaited<ReturnType<typeof checkSession>>;

/** Problems that text output lists; JSON has all. */
const MOST_SHOWN = 100;

function* lines(report: Report): Iterable<readonly Piece[]> {
  const { file, ok, entries, problems } = report;
  yield [safeLine(file ?? ""), `  ${entries.toLocaleString("en-US")} entries`];
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
  else yield [styled("error", problems.length === 1 ? "1 problem" : `${problems.length} problems`)];
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
    await using file = await store.openFile(path, { verify: true });
    const report = await checkSession(file);
    call.out.either(report, () => lines(report));
    if (!report.ok && !call.out.json) {
      call.out.talk(`\`branchline repair ${safeLine(path)}\` shows what can be mended.`);
    }
    return report.ok ? 0 : 3;
  },
};

/** Plans a repair, and does it with --apply. */
export const repairVerb: Verb = {
  name: "repair",
  summary: "plan what can be mended; --apply does it and keeps the original",
  example: "branchline repair last --apply",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [{ name: "apply", about: "do it; the file as it was stays beside the new one" }],
  async run(call) {
    const { path } = await call.sessions.find(call.sessionReference);
    const apply = call.has("apply");
    const result = apply
      ? await applyRepair(path)
      : { ...(await planRepair(path)), original: null, quarantine: null };
    const { file, actions, changes, original, quarantine } = result;
    const json = { file, applied: apply && changes, changes, actions, original, quarantine };
    call.out.either(json, function* () {
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
      if (!changes) yield ["nothing to mend"];
    });
    if (changes && !apply && !call.out.json) {
      call.out.talk("This is the plan; nothing was changed. --apply does it.");
    }
    return changes && !apply ? 3 : 0;
  },
};
