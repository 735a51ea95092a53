/** Rows about size: lines of many megabytes, a long chain. */
import { closeSync, openSync, writeSync } from "node:fs";
import { FOUR } from "../../test/golden/damaged/damaged-case.ts";
import { ended, number, type Place, type Row, texts } from "./row.ts";

const MEGABYTE = 1024 * 1024;
const GIANT = 600 * MEGABYTE;
const CHAIN = 500_000;
const OTHERS = ["one", "two", "four"];

/** Four messages, the third one this long; written in pieces, since no string could hold it. */
function writeLong(file: string, length: number): void {
  const [header, one, two, three, four] = FOUR;
  const [head = "", tail = ""] = three.split("three");
  const handle = openSync(file, "w");
  const piece = Buffer.alloc(MEGABYTE, "x");
  writeSync(handle, `${header}\n${one}\n${two}\n${head}`);
  for (let written = 0; written < length; written += MEGABYTE) writeSync(handle, piece);
  writeSync(handle, `${tail}\n${four}\n`);
  closeSync(handle);
}

function writeChain(file: string, count: number): void {
  const handle = openSync(file, "w");
  writeSync(handle, `${FOUR[0]}\n`);
  let lines: string[] = [];
  for (let at = 0; at < count; at++) {
    const parentId = at === 0 ? null : `e${at - 1}`;
    const message = { role: "user", content: `text ${at}`, timestamp: 1 };
    const timestamp = "2026-01-02T03:04:05.000Z";
    lines.push(JSON.stringify({ type: "message", id: `e${at}`, parentId, timestamp, message }));
    if (lines.length < 10_000 && at < count - 1) continue;
    writeSync(handle, `${lines.join("\n")}\n`);
    lines = [];
  }
  closeSync(handle);
}

/** ms to open a file with one line of so many MB, its context included. */
async function timeToOpen({ side, folder, file }: Place, megabytes: number): Promise<number> {
  writeLong(file, megabytes * MEGABYTE);
  const since = performance.now();
  const session = await side.open(folder, file);
  await session.texts();
  const ms = performance.now() - since;
  await session.close();
  return Math.round(ms);
}

const LONG_LINE: Row = {
  row: 27,
  title: "a line of 16 MB, then one of 64 MB",
  seconds: 120,
  run: async (place) => {
    for (const megabytes of [16, 64]) {
      place.step(`open with ${megabytes} MB`);
      place.tell({ [`ms${megabytes}`]: await timeToOpen(place, megabytes) });
    }
  },
  judge: ended((facts) => {
    const [small, large] = [number(facts, "ms16"), number(facts, "ms64")];
    const text = `${(small / 1000).toFixed(2)} s and ${(large / 1000).toFixed(2)} s`;
    // Four times the bytes; below half a second the ratio says nothing.
    const isLinear = large < 500 || large / small < 8;
    return isLinear ? { grade: "good", text } : { grade: "bad", text: `${text}: not linear` };
  }),
};

const GIANT_OPEN: Row = {
  row: 28,
  title: "a line of 600 MB: open",
  seconds: 40,
  prepare: (_folder, file) => {
    writeLong(file, GIANT);
    return undefined;
  },
  run: async ({ side, folder, file, step, tell }) => {
    step("open");
    const session = await side.open(folder, file);
    step("context");
    tell({ texts: (await session.texts()).texts.map((text) => text.slice(0, 9)) });
    tell({ reports: session.reports });
  },
  judge: ended((facts) => {
    const kept = OTHERS.filter((text) => texts(facts, "texts").includes(text)).length;
    const isTold = number(facts, "reports") > 0;
    const text = `${kept} of 3 other messages, ${number(facts, "rssMb")} MB`;
    return { grade: kept === 3 && isTold ? "good" : "bad", text };
  }),
};

const GIANT_LIST: Row = {
  ...GIANT_OPEN,
  row: 29,
  title: "a line of 600 MB: list",
  run: async ({ side, folder, step, tell }) => {
    step("list");
    tell({ listed: (await side.list(folder)).length });
  },
  judge: ended((facts) =>
    number(facts, "listed") === 1
      ? { grade: "good", text: "listed" }
      : { grade: "bad", text: "absent from the list" },
  ),
};

const LONG_CHAIN: Row = {
  row: 30,
  title: "a chain of 500,000 entries: open, context, tree as JSON",
  seconds: 120,
  prepare: (_folder, file) => {
    writeChain(file, CHAIN);
    return undefined;
  },
  run: async ({ side, folder, file, step, tell }) => {
    step("open");
    const since = performance.now();
    const session = await side.open(folder, file);
    tell({ openMs: performance.now() - since });
    step("context");
    tell({ kept: (await session.texts()).texts.length });
    step("tree as JSON");
    tell({ tree: await session.treeJson() });
  },
  judge: ended((facts) => {
    const seconds = (number(facts, "openMs") / 1000).toFixed(1);
    const isWhole = number(facts, "kept") === CHAIN;
    const text = `open in ${seconds} s, tree told, ${number(facts, "rssMb")} MB`;
    return isWhole ? { grade: "good", text } : { grade: "bad", text: `${text}, context cut` };
  }),
};

/** Rows 27–30. */
export const SIZE_ROWS: readonly Row[] = [LONG_LINE, GIANT_OPEN, GIANT_LIST, LONG_CHAIN];
