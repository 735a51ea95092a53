/** Rows that are a file: both engines read the same bytes, go on, and read again. */
import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { damagedCases } from "../../test/golden/damaged/cases.ts";
import type { DamagedCase } from "../../test/golden/damaged/damaged-case.ts";
import {
  ended,
  joined,
  notEnded,
  number,
  type Outcome,
  type Place,
  type Row,
  texts,
  type Verdict,
} from "./row.ts";

const CASES: ReadonlyMap<string, DamagedCase> = new Map(
  damagedCases().map((each) => [each.name, each]),
);
const PAST = new Date("2020-02-02T02:02:02Z");
const AFTER = "after";

interface Expected {
  /** Texts that are readable in the file and belong to the context. Default: all four. */
  readonly wanted?: readonly string[];
  /** True: something is lost or changed, so silence is a fault of its own. */
  readonly damaged?: boolean;
  /** True: it must not be written to. */
  readonly sealed?: boolean;
}

const FOUR = ["one", "two", "three", "four"];

function bytesOf(name: string): Buffer {
  const found = CASES.get(name);
  if (found === undefined) throw new RangeError(`no case ${name}`);
  return found.bytes;
}

/** Open, context, append, close, open again, list. */
async function readAndGoOn({ side, folder, file, step, tell }: Place): Promise<void> {
  const before = readFileSync(file);
  step("open");
  const session = await side.open(folder, file);
  const isUnchanged = readFileSync(file).equals(before) && statSync(file).mtimeMs === +PAST;
  tell({ unchanged: isUnchanged, reports: session.reports, readOnly: session.readOnly });
  step("context");
  const read = await session.texts();
  tell({ texts: read.texts, gaps: read.gaps });
  step("append");
  if (!session.readOnly) {
    await session.append(AFTER);
    tell({ appended: true });
  }
  await session.close();
  step("second open");
  const again = await side.open(folder, file);
  tell({ again: (await again.texts()).texts });
  await again.close();
  step("list");
  const rows = await side.list(folder);
  const row = rows.find((each) => each.file === file);
  tell({ listed: row === undefined ? -1 : row.messages });
}

function judgeReading(expected: Expected): Row["judge"] {
  const { wanted = FOUR, damaged = false, sealed = false } = expected;
  return (outcome) => {
    const early = notEnded(outcome);
    const { facts } = outcome;
    if (early !== null && facts.texts === undefined) return early;
    const found = texts(facts, "texts");
    const kept = wanted.filter((text) => found.includes(text)).length;
    const faults: string[] = [];
    if (early !== null) faults.push(early.text);
    if (kept < wanted.length) faults.push(`${kept} of ${wanted.length} messages in the context`);
    if (sealed && facts.appended === true) faults.push("written to all the same");
    if (facts.appended === true && early === null) faults.push(...lostLater(outcome, wanted));
    if (number(facts, "listed") === -1) faults.push("absent from the list");
    const small: string[] = [];
    if (facts.unchanged === false) small.push("file changed on open");
    const isTold = number(facts, "reports") > 0 || outcome.spoke;
    if (damaged && !isTold) small.push("nothing said");
    if (faults.length > 0) return { grade: "bad", text: joined([...faults, ...small]) };
    const how = facts.readOnly === true ? ", read-only" : "";
    const told = damaged && isTold ? ", reported" : "";
    const text = joined([`${kept} of ${wanted.length} messages kept${told}${how}`, ...small]);
    return { grade: small.length > 0 ? "half" : "good", text };
  };
}

/** What was there and what was appended must be there the next time, too. */
function lostLater({ facts }: Outcome, wanted: readonly string[]): readonly string[] {
  const again = texts(facts, "again");
  if (!again.includes(AFTER)) return ["the next append is not in the context"];
  const kept = wanted.filter((text) => again.includes(text)).length;
  const before = wanted.filter((text) => texts(facts, "texts").includes(text)).length;
  return kept < before ? [`after the next append ${kept} of ${wanted.length}`] : [];
}

function fileRow(row: number, name: string, expected: Expected = {}): Row {
  const { title = name } = CASES.get(name) ?? {};
  return {
    row,
    title,
    prepare: (_folder, file) => {
      writeFileSync(file, bytesOf(name));
      utimesSync(file, PAST, PAST);
      return undefined;
    },
    run: readAndGoOn,
    judge: judgeReading(expected),
  };
}

const LOST_C = { wanted: ["one", "two", "four"], damaged: true };
const DAMAGED = { damaged: true };

/** A fork must not change what it copies. */
const ODD_NUMBERS: Row = {
  ...fileRow(26, "row-26-odd-numbers"),
  title: "duplicate key, 2^53+1, 1e400; then a fork",
  run: async ({ side, folder, file, step, tell }) => {
    step("fork");
    const copy = readFileSync(await side.fork(file, folder), "utf8");
    tell({ big: copy.includes("9007199254740993"), huge: copy.includes("1e400") });
  },
  judge: ended(({ big, huge }) => {
    const changed = [...(big === true ? [] : ["2^53+1"]), ...(huge === true ? [] : ["1e400"])];
    return changed.length === 0
      ? { grade: "good", text: "the copy holds the line as it was" }
      : { grade: "bad", text: `the copy has changed ${changed.join(" and ")}` };
  }),
};

const NESTED: Row = {
  ...fileRow(31, "row-31-deep-nesting"),
  title: "JSON nested 10,000 deep; then a fork",
  run: async ({ side, folder, file, step, tell }) => {
    step("open");
    const session = await side.open(folder, file);
    tell({ reports: session.reports });
    await session.close();
    step("fork");
    const copy = await side.open(folder, await side.fork(file, folder));
    tell({ texts: (await copy.texts()).texts });
    await copy.close();
  },
  judge: ended((facts) => {
    const kept = ["one", "two", "four"].filter((text) => texts(facts, "texts").includes(text));
    const grade = kept.length === 3 ? "good" : "bad";
    return { grade, text: `${kept.length} of 3 other messages in the fork` };
  }),
};

/** Ids of headers become parts of paths. */
function headerIdRow(number: number, id: string): Row {
  return {
    ...fileRow(51, `row-51-header-id-${number}`),
    title: `header id ${id}`,
    run: async ({ side, folder, file, step, tell }) => {
      step("open");
      const session = await side.open(folder, file);
      tell({ id: session.id, texts: (await session.texts()).texts });
      await session.close();
    },
    judge: ended((facts): Verdict => {
      const safe = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
      const known = String(facts.id);
      const isSafe = safe.test(known) && !known.includes("..") && !/^con$/i.test(known);
      return isSafe
        ? { grade: "good", text: "opens under a safe id" }
        : { grade: "bad", text: "the id is taken as it is" };
    }),
  };
}

const IMPORTED: Row = {
  ...fileRow(52, "row-52-imported-compaction"),
  title: "foreign compaction with a system message",
  run: async ({ side, folder, file, step, tell }) => {
    step("open");
    const session = await side.open(folder, file);
    tell({ roles: (await session.texts()).roles, cwd: session.cwd });
    await session.close();
  },
  judge: ended((facts) =>
    texts(facts, "roles").includes("system")
      ? { grade: "bad", text: "text of the file reaches the model as system" }
      : { grade: "good", text: "no system text from the file" },
  ),
};

const NAMED: Row = {
  ...fileRow(53, "row-53-control-bytes-in-name"),
  title: "ESC and BEL in a session name; then the list as it is drawn",
  run: async ({ side, folder, step, tell }) => {
    step("list");
    const drawn = await side.shownList(folder);
    // Its own marks may hold such bytes, too: the sequence of the name counts.
    const control = drawn.includes("\u001b]0;x") || drawn.includes("x\u0007");
    tell({ hasName: drawn.includes("name"), control });
  },
  judge: ended(({ control, hasName }) => {
    if (control === true) return { grade: "bad", text: "control bytes reach the terminal" };
    return hasName === true
      ? { grade: "good", text: "the list shows the name without control bytes" }
      : { grade: "half", text: "the list does not show the name" };
  }),
};

/** Rows 1–26, 31, 51–53. */
export const FILE_ROWS: readonly Row[] = [
  fileRow(1, "row-01-damaged-line", LOST_C),
  fileRow(2, "row-02-torn-tail", { wanted: ["one", "two", "three"] }),
  fileRow(3, "row-03-no-newline"),
  fileRow(4, "row-04-duplicate-id", { wanted: ["one", "two", "three"], damaged: true }),
  fileRow(5, "row-05-self-parent", DAMAGED),
  fileRow(5, "row-05-two-cycle", DAMAGED),
  fileRow(6, "row-06-missing-parent", DAMAGED),
  fileRow(7, "row-07-bom", DAMAGED),
  fileRow(8, "row-08-bom-in-middle", DAMAGED),
  fileRow(8, "row-08-concatenated-files", DAMAGED),
  fileRow(9, "row-09-crlf"),
  fileRow(9, "row-09-cr-only", DAMAGED),
  fileRow(10, "row-10-nul-tail"),
  fileRow(11, "row-11-nul-run", DAMAGED),
  fileRow(12, "row-12-invalid-utf8", { wanted: ["one", "two", "four"], damaged: true }),
  fileRow(13, "row-13-lone-surrogate", { wanted: ["one", "two", "\ud800", "four"] }),
  listedRow(),
  fileRow(15, "row-15-proto-key"),
  fileRow(16, "row-16-odd-ids"),
  fileRow(17, "row-17-unknown-type", { wanted: ["one", "two", "four"] }),
  fileRow(18, "row-18-no-id-no-type", DAMAGED),
  fileRow(19, "row-19-number", DAMAGED),
  fileRow(20, "row-20-no-message", LOST_C),
  fileRow(20, "row-20-null-message", LOST_C),
  fileRow(21, "row-21-null-content", { wanted: ["one", "three", "four"] }),
  fileRow(22, "row-22-torn", DAMAGED),
  fileRow(24, "row-24-version-99", { sealed: true, damaged: true }),
  fileRow(25, "row-25-first-kept-missing", {
    wanted: ["so far", ...FOUR],
    damaged: true,
  }),
  ODD_NUMBERS,
  NESTED,
  ...["../../etc/passwd", "CON", "a..b", "of 300 characters"].map((id, index) =>
    headerIdRow(index + 1, id),
  ),
  IMPORTED,
  NAMED,
];

/** The number of messages in the list counts too. */
function listedRow(): Row {
  const row = fileRow(14, "row-14-line-separators", {
    wanted: ["o\u2028n\u2029e", "two", "three", "four"],
  });
  return {
    ...row,
    judge: (outcome) => {
      const verdict = row.judge(outcome);
      const listed = number(outcome.facts, "listed");
      if (verdict.grade === "bad" || listed === 5) return verdict;
      return { grade: "bad", text: `${verdict.text}, the list counts ${listed} of 5 messages` };
    },
  };
}
