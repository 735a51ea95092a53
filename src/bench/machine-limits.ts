import { isAscii } from "node:buffer";
import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
  writevSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { throwIfAborted } from "../io/clock.ts";
import { RAW_LINE } from "./raw-appends.ts";
import { median, percentile } from "./statistics.ts";

/** What a machine does without any engine. Times in ms, rates in MB/s or entries/s. */
export interface MachineLimits {
  /** Start and end of an empty Node process. */
  readonly nodeStart: number;
  /** Read, decode line by line and JSON.parse the last 1 MB of a session file. */
  readonly parse1MB: number;
  /**
   * The same in a process that does nothing else, so before the compiler has seen the code, for 1 MB and for
   * a quarter of it: cold, a part takes more than its share.
   */
  readonly coldParse1MB: number;
  readonly coldParse250KB: number;
  /** The same without JSON.parse, as a rate. */
  readonly decodeRate: number;
  /** Decode by line and JSON.parse, as a rate. */
  readonly parseRate: number;
  readonly write1K: number;
  readonly sync1K: number;
  readonly sync1KP99: number;
  /** Entries of 1 KB that share one write and one fdatasync, per second. */
  readonly group10: number;
  readonly group100: number;
  /** `stat` of 1,000 files, and SELECT of 1,000 rows of a list. */
  readonly stat1000: number;
  readonly select1000: number;
  /** Copy of the sample and fsync, for 100 MB. */
  readonly copy100MB: number;
}

/** What the limits are measured on. */
export interface LimitOptions {
  /** A folder that may be filled and is emptied again. */
  readonly scratch: string;
  /** A session file of at least 1 MB. */
  readonly sample: string;
  /** Longest time in ms for each of the five kinds of append; default 1200. */
  readonly capMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Measures the limits in about 5 s. Everything synchronous: the fastest that Node offers. Rates
 * and times are medians, so that a busy moment of the machine does not decide.
 */
export function measureLimits(options: LimitOptions): MachineLimits {
  const folder = join(options.scratch, "limits");
  mkdirSync(folder, { recursive: true });
  const { sample, capMs = 1200 } = options;
  const parts = [
    nodeStart,
    () => parsing(sample),
    () => coldParsing(sample),
    () => appends(folder, capMs),
    () => listing(folder),
    () => copying(folder, sample),
  ];
  const measured: Partial<MachineLimits> = {};
  try {
    for (const part of parts) {
      throwIfAborted(options.signal);
      Object.assign(measured, part());
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return measured as MachineLimits;
}

/** Median ms of some repetitions, after one that does not count. */
function timed(work: () => void, repetitions = 7): number {
  work();
  const samples: number[] = [];
  for (let index = 0; index < repetitions; index++) {
    const since = performance.now();
    work();
    samples.push(performance.now() - since);
  }
  return median(samples);
}

/** Ms of each repetition, at most for so many ms. */
function latencies(capMs: number, most: number, work: () => void): readonly number[] {
  const samples: number[] = [];
  const end = performance.now() + capMs;
  for (let index = 0; index < 50; index++) work();
  while (samples.length < most && performance.now() < end) {
    const since = performance.now();
    work();
    samples.push(performance.now() - since);
  }
  return samples;
}

function nodeStart(): Partial<MachineLimits> {
  return { nodeStart: timed(() => spawnSync(process.execPath, ["-e", "0"])) };
}

function parsing(sample: string): Partial<MachineLimits> {
  const { size } = statSync(sample);
  const tail = Buffer.allocUnsafe(Math.min(size, 1_000_000));
  let sum = 0;
  const read = (): Buffer => {
    const file = openSync(sample, "r");
    readSync(file, tail, 0, tail.length, size - tail.length);
    closeSync(file);
    return tail.subarray(size > tail.length ? tail.indexOf(10) + 1 : 0);
  };
  const lines = (use: (line: string) => void): void => {
    const bytes = read();
    for (let from = 0, to = bytes.indexOf(10); to !== -1; to = bytes.indexOf(10, from)) {
      const ascii = isAscii(bytes.subarray(from, to));
      use(bytes.toString(ascii ? "latin1" : "utf8", from, to));
      from = to + 1;
    }
  };
  const decode = timed(() => lines((line) => (sum += line.length)), 15);
  const parse = timed(() => lines((line) => (sum += String(JSON.parse(line).type).length)), 15);
  const rate = (ms: number): number => tail.length / 1000 / ms;
  return { parse1MB: parse, decodeRate: rate(decode), parseRate: rate(parse), ...noUse(sum) };
}

/** Keeps the optimiser from leaving work out. */
function noUse(sum: number): Partial<MachineLimits> {
  return sum < 0 ? { parse1MB: sum } : {};
}

/** The same work as plain code in a new process: what any engine has to do there at least. */
const COLD_PARSE = `
const { closeSync, openSync, readSync, statSync } = await import("node:fs");
const { isAscii } = await import("node:buffer");
const since = performance.now();
const { size } = statSync(process.argv[1]);
const length = Math.min(size, Number(process.argv[2]));
const tail = Buffer.allocUnsafe(length);
const file = openSync(process.argv[1], "r");
readSync(file, tail, 0, length, size - length);
closeSync(file);
let sum = 0;
let from = size > length ? tail.indexOf(10) + 1 : 0;
for (let to = tail.indexOf(10, from); to !== -1; to = tail.indexOf(10, from)) {
  const encoding = isAscii(tail.subarray(from, to)) ? "latin1" : "utf8";
  sum += JSON.parse(tail.toString(encoding, from, to)).type.length;
  from = to + 1;
}
console.log(sum > 0 ? (performance.now() - since) * process.argv[2] / length : NaN);
`;

function coldParsing(sample: string): Partial<MachineLimits> {
  const cold = (bytes: number): number => {
    const args = ["--input-type=module", "-e", COLD_PARSE, sample, String(bytes)];
    const run = (): number =>
      Number(spawnSync(process.execPath, args, { encoding: "utf8" }).stdout);
    return median(Array.from({ length: 7 }, run));
  };
  return { coldParse1MB: cold(1_000_000), coldParse250KB: cold(250_000) };
}

/** Ms that a new process needs to read and parse so many bytes of a session, by the two that were measured. */
export function coldParse(
  bytes: number,
  limits: Pick<MachineLimits, "coldParse1MB" | "coldParse250KB">,
): number {
  const { coldParse250KB: quarter, coldParse1MB: whole } = limits;
  if (bytes <= 250_000) return (quarter * bytes) / 250_000;
  return quarter + ((whole - quarter) * (bytes - 250_000)) / 750_000;
}

function appends(folder: string, capMs: number): Partial<MachineLimits> {
  const file = openSync(join(folder, "appends.jsonl"), "a");
  try {
    const writes = latencies(capMs, 10_000, () => writeSync(file, RAW_LINE));
    const syncs = latencies(capMs, 3000, () => {
      writeSync(file, RAW_LINE);
      fdatasyncSync(file);
    });
    const group = (count: number): number => {
      const batch = Array.from({ length: count }, () => RAW_LINE);
      const samples = latencies(capMs, 500, () => {
        writevSync(file, batch);
        fdatasyncSync(file);
      });
      return (count * 1000) / median(samples);
    };
    return {
      write1K: median(writes),
      sync1K: median(syncs),
      sync1KP99: percentile(syncs, 0.99),
      group10: group(10),
      group100: group(100),
    };
  } finally {
    closeSync(file);
  }
}

function listing(folder: string): Partial<MachineLimits> {
  const paths = Array.from({ length: 1000 }, (_, index) => join(folder, `${index}.jsonl`));
  for (const path of paths) closeSync(openSync(path, "w"));
  const stat1000 = timed(() => {
    for (const path of paths) statSync(path);
  });
  using rows = new DatabaseSync(":memory:");
  rows.exec("CREATE TABLE row(id TEXT PRIMARY KEY, name TEXT, first TEXT, messages INTEGER)");
  const insert = rows.prepare("INSERT INTO row VALUES(?, ?, ?, ?)");
  for (const [index, path] of paths.entries()) {
    insert.run(path, `name ${index}`, "first message ".repeat(6), index);
  }
  const select = rows.prepare("SELECT * FROM row");
  return { stat1000, select1000: timed(() => void select.all()) };
}

function copying(folder: string, sample: string): Partial<MachineLimits> {
  const { size } = statSync(sample);
  const copy = join(folder, "copy");
  const ms = timed(() => {
    copyFileSync(sample, copy);
    const file = openSync(copy, "r+");
    fsyncSync(file);
    closeSync(file);
    rmSync(copy);
  }, 3);
  return { copy100MB: (ms * 1e8) / size };
}
