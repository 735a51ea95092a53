/** Rows about what else may stand in a folder of sessions. */
import { spawnSync } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { four } from "../../test/golden/damaged/damaged-case.ts";
import { ended, number, type Place, type Row } from "./row.ts";

const NOBODY = 65_534;
const FUTURE = new Date("2030-01-01");

/** The good session, and what else `add` puts there. */
function beside(add: (folder: string) => void): NonNullable<Row["prepare"]> {
  return (folder, file) => {
    writeFileSync(file, four());
    add(folder);
    return undefined;
  };
}

async function find({ side, folder, file, step, tell }: Place): Promise<void> {
  step("list");
  const rows = await side.list(folder);
  tell({ listed: rows.some((row) => row.file === file), rows: rows.length });
  step("continue the last one");
  tell({ recent: (await side.mostRecent(folder)) === file });
}

const judgeFound: Row["judge"] = ended(({ listed, recent }) => {
  if (listed !== true) return { grade: "bad", text: "the good session is absent from the list" };
  return recent === true
    ? { grade: "good", text: "the good session is listed and continued" }
    : { grade: "bad", text: "starts a new session instead of going on" };
});

function besideRow(row: number, title: string, add: (folder: string) => void): Row {
  return { row, title, seconds: 10, prepare: beside(add), run: find, judge: judgeFound };
}

const OUTSIDE = "outside.jsonl";

const LINKED: Row = {
  row: 49,
  title: "a link to a file outside, the newest of the folder; go on with the last session",
  prepare: (folder) => {
    const outside = join(dirname(folder), OUTSIDE);
    writeFileSync(outside, four());
    symlinkSync(outside, join(folder, "linked.jsonl"));
    return undefined;
  },
  run: async ({ side, folder, step, tell }) => {
    const outside = join(dirname(folder), OUTSIDE);
    const before = readFileSync(outside).length;
    step("continue the last one");
    const recent = await side.mostRecent(folder);
    step("append");
    if (recent !== null) {
      const session = await side.open(folder, recent);
      await session.append("after");
      await session.close();
    }
    tell({ grew: readFileSync(outside).length - before });
  },
  judge: ended((facts) =>
    number(facts, "grew") === 0
      ? { grade: "good", text: "nothing is written outside" }
      : { grade: "bad", text: "appends to the file outside" },
  ),
};

const FOREIGN: Row = {
  row: 50,
  title: "a session file of another user, the newest of the folder; go on with the last session",
  needs: () =>
    process.getuid?.() === 0 ? null : "not root, so no file of another user can be made",
  prepare: (folder, file) => {
    writeFileSync(file, four());
    const foreign = join(folder, "foreign.jsonl");
    mkdirSync(folder, { recursive: true });
    writeFileSync(foreign, four().toString().replace('"damaged"', '"foreign"'));
    chownSync(foreign, NOBODY, NOBODY);
    utimesSync(foreign, FUTURE, FUTURE);
    return undefined;
  },
  run: async ({ side, folder, step, tell }) => {
    step("continue the last one");
    const recent = await side.mostRecent(folder);
    tell({ foreign: recent?.endsWith("foreign.jsonl") ?? false });
  },
  judge: ended(({ foreign }) =>
    foreign === true
      ? { grade: "bad", text: "goes on in the other user's file" }
      : { grade: "good", text: "goes on in its own" },
  ),
};

/** Rows 46–50. */
export const PLACE_ROWS: readonly Row[] = [
  besideRow(46, "a FIFO in the folder", (folder) => {
    spawnSync("mkfifo", [join(folder, "pipe.jsonl")]);
  }),
  besideRow(47, "a dangling link in the folder", (folder) => {
    symlinkSync("nowhere", join(folder, "dangling.jsonl"));
  }),
  besideRow(48, "a link to /dev/zero in the folder", (folder) => {
    symlinkSync("/dev/zero", join(folder, "zero.jsonl"));
  }),
  LINKED,
  FOREIGN,
];
