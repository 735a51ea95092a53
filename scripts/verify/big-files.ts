/** Files of hundreds of megabytes (P7, R13): lines that no string can hold, a gigabyte, a million entries. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, statfsSync, statSync, writeSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { FOUR } from "../../test/golden/damaged/damaged-case.ts";
import type { Figures, Skipped, VerifyCheck } from "./check.ts";
import { withFolder } from "./kills.ts";

const MEGABYTE = 1024 * 1024;
const PROCESS = join(import.meta.dirname, "big-file-process.ts");
const PROGRAM = join(import.meta.dirname, "..", "..", "bin", "branchline.js");
/** The best of these runs counts. */
const RUNS = 5;
/** The end of a long session: what the context needs, and settings as far up as they are looked for. */
const MOST_READ = 20 * MEGABYTE;
/** A machine with less to do than this for each processor is quiet; on others a time says little. */
const QUIET = 0.5;
const BUSY_FACTOR = 5;

interface Opened {
  readonly ms: number;
  readonly rssMb: number;
  readonly bytesRead: number;
  readonly messages: number;
  readonly problems: readonly string[];
}

/** Why there is no room for so many bytes in the folder for temporary files, or null. */
function noRoom(bytes: number): string | null {
  const { bavail, bsize } = statfsSync(tmpdir());
  const free = bavail * bsize;
  if (free > bytes * 1.5) return null;
  const shown = (count: number): string => `${Math.round(count / MEGABYTE)} MB`;
  return `${tmpdir()} has ${shown(free)} left, ${shown(bytes * 1.5)} are needed`;
}

function node(heapMb: number, args: readonly string[], root: string): string {
  const options = ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${heapMb}`];
  const env = { ...process.env, BRANCHLINE_HOME: root, NO_COLOR: "1" };
  const done = spawnSync(process.execPath, [...options, ...args], {
    ...{ encoding: "utf8", env, maxBuffer: 256 * MEGABYTE, timeout: 600_000 },
  });
  assert.equal(done.status, 0, `${args.join(" ")}: ${done.signal ?? done.status} ${done.stderr}`);
  return done.stdout;
}

function open(how: "whole" | "end", root: string, file: string): Opened {
  return JSON.parse(node(512, [PROCESS, how, root, file], root)) as Opened;
}

function best(run: () => Opened): Opened {
  return Array.from({ length: RUNS }, run).reduce((a, b) => (b.ms < a.ms ? b : a));
}

function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}

function assertFast(what: string, ms: number, limitMs: number): void {
  const isQuiet = load() / availableParallelism() < QUIET;
  const limit = isQuiet ? limitMs : limitMs * BUSY_FACTOR;
  assert.ok(ms < limit, `${what} took ${ms} ms, the limit is ${limit} at a load of ${load()}`);
}

/** Four messages; the text of the third has this length. Written in pieces: no string could hold it. */
function writeLongLine(file: string, length: number): void {
  const [header, one, two, three, four] = FOUR;
  const [head = "", tail = ""] = three.split("three");
  const handle = openSync(file, "wx", 0o600);
  const piece = Buffer.alloc(MEGABYTE, "x");
  writeSync(handle, `${header}\n${one}\n${two}\n${head}`);
  for (let written = 0; written < length; written += MEGABYTE) writeSync(handle, piece);
  writeSync(handle, `${tail}\n${four}\n`);
  closeSync(handle);
}

async function longLines(): Promise<Figures | Skipped> {
  const reason = noRoom(700 * MEGABYTE);
  if (reason !== null) return { skipped: reason };
  return await withFolder(async (folder) => {
    const [long, giant] = [join(folder, "long.jsonl"), join(folder, "giant.jsonl")];
    writeLongLine(long, 64 * MEGABYTE);
    const first = best(() => open("whole", folder, long));
    assert.deepEqual(first.problems, []);
    assert.equal(first.messages, 4);
    assertFast("a line of 64 MB", first.ms, 1000);
    writeLongLine(giant, 600 * MEGABYTE);
    const second = open("whole", folder, giant);
    assert.deepEqual(second.problems, ["LINE_TOO_LONG"]);
    assertFast("a line of 600 MB", second.ms, 10_000);
    assert.ok(second.rssMb < 512, `a line of 600 MB took ${second.rssMb} MB`);
    const rows = node(256, [PROGRAM, "--no-index", "ls", "--root", folder, "--json"], folder);
    assert.equal(rows.trimEnd().split("\n").length, 2, "a file is not listed");
    const giant600 = { "600 MB ms": second.ms, "600 MB RSS": second.rssMb };
    return { "64 MB ms": first.ms, ...giant600, load: load() };
  });
}

const TIME = "2026-01-02T03:04:05.000Z";
/** Entries behind the compaction, and those before it that it keeps. */
const [LAST, KEPT] = [20, 5];

/** A chain of messages of so many bytes, near its end a compaction and the settings behind it. */
function writeChain(file: string, shape: Shape): void {
  const handle = openSync(file, "wx", 0o600);
  let lines = [FOUR[0]];
  for (let at = 0; at < shape.entries; at++) {
    lines.push(lineOf(at, shape));
    if (lines.length < 5000 && at < shape.entries - 1) continue;
    writeSync(handle, `${lines.join("\n")}\n`);
    lines = [];
  }
  closeSync(handle);
}

interface Shape {
  readonly entries: number;
  readonly bytes: number;
}

function lineOf(at: number, { entries, bytes }: Shape): string {
  const place = { id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, timestamp: TIME };
  const content = `message ${at} ${at === entries / 2 ? "needle" : "hay"} ${"x".repeat(bytes)}`;
  const message = { type: "message", ...place, message: { role: "user", content, timestamp: 1 } };
  const others: Readonly<Record<number, object>> = {
    0: {
      summary: "so far",
      firstKeptEntryId: `e${at - KEPT}`,
      tokensBefore: 9,
      type: "compaction",
    },
    1: { type: "model_change", provider: "p", modelId: "m" },
    2: { type: "thinking_level_change", thinkingLevel: "low" },
  };
  const other = others[at - (entries - LAST)];
  return JSON.stringify(other === undefined ? message : { ...other, ...place });
}

async function gigabyte(): Promise<Figures | Skipped> {
  const reason = noRoom(1100 * MEGABYTE);
  if (reason !== null) return { skipped: reason };
  return await withFolder(async (folder) => {
    const file = join(folder, "big.jsonl");
    writeChain(file, { entries: 250_000, bytes: 4000 });
    const seconds: Record<string, number> = {};
    const ask = (name: string, args: readonly string[]): readonly string[] => {
      const since = performance.now();
      const words = [PROGRAM, "--no-index", ...args, "--root", folder, "--json"];
      const said = node(256, words, folder);
      seconds[`${name} s`] = Math.round((performance.now() - since) / 100) / 10;
      return said.trimEnd().split("\n");
    };
    assert.match(ask("list", ["ls"])[0] ?? "", /"entries":250000/);
    assert.match(ask("end", ["status", file])[0] ?? "", /"leaf":"e249999"/);
    assert.match(ask("context", ["context", file])[0] ?? "", /message 249999 /);
    const hits = ask("search", ["search", "needle"]);
    assert.equal(hits.length, 1);
    assert.match(hits[0] ?? "", /"entry":"e125000"/);
    return { MB: 1024, "heap MB": 256, ...seconds };
  });
}

async function millionEntries(): Promise<Figures | Skipped> {
  const reason = noRoom(250 * MEGABYTE);
  if (reason !== null) return { skipped: reason };
  return await withFolder(async (folder) => {
    const file = join(folder, "long.jsonl");
    writeChain(file, { entries: 1_000_000, bytes: 10 });
    const end = best(() => open("end", folder, file));
    assert.equal(end.messages, LAST + KEPT - 2);
    assert.ok(end.bytesRead < MOST_READ, `${end.bytesRead} bytes were read`);
    assertFast("the end of a million entries", end.ms, 200);
    const read = `${Math.round(end.bytesRead / 1024)} of ${Math.round(statSync(file).size / 1024)}`;
    return { entries: 1_000_000, "end ms": end.ms, "kB read": read, load: load() };
  });
}

/** Everything is generated below the folder for temporary files and removed afterwards. */
export const BIG_CHECKS: readonly VerifyCheck[] = [
  { name: "long lines", about: "R13: lines of 64 MB and 600 MB (rows 27–29)", run: longLines },
  {
    name: "one gigabyte",
    about: "R13: 256 MB of heap for a file of 1 GB (F102, F116)",
    run: gigabyte,
  },
  {
    name: "a million entries",
    about: "R13: the end of a long session (row 30)",
    run: millionEntries,
  },
];
