import { coldParse, type MachineLimits } from "../src/bench/machine-limits.ts";
import type { Measured } from "../src/bench/measure.ts";

/** Everything that one run measured. */
export interface RunResults {
  readonly limits: MachineLimits;
  /** By `scenario@data`, for example `open@100MB`. */
  readonly measured: Readonly<Record<string, Measured>>;
  /** Index size ÷ data size, with full text; absent where there is no index. */
  readonly indexShare?: number;
}

/** One line of the table of targets. */
export interface TargetRow {
  readonly id: string;
  readonly work: string;
  readonly measured: string;
  /** What it is held against in the same run. */
  readonly target: string;
  /** null = not measured here, or this build cannot do it yet. */
  readonly reached: boolean | null;
}

/** Three significant digits. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return value >= 1000
    ? Math.round(value).toLocaleString("en-US")
    : `${Number(value.toPrecision(3))}`;
}

/** Ms, or µs below a tenth of one. */
export function duration(ms: number): string {
  return ms < 0.1 ? `${short(ms * 1000)} µs` : `${short(ms)} ms`;
}

/** Reads a run: the measured values by key and name. */
class Reader {
  readonly #results: RunResults;
  readonly rows: TargetRow[] = [];

  constructor(results: RunResults) {
    this.#results = results;
  }

  /** The data names of a scenario, in the order they were measured. */
  dataOf(scenario: string): readonly string[] {
    return Object.keys(this.#results.measured)
      .filter((key) => key.startsWith(`${scenario}@`))
      .map((key) => key.slice(scenario.length + 1));
  }

  /** The key of what is judged: of the built package, which users run, where it was measured. */
  judged(scenario: string, data: string): string {
    const built = `${scenario}-built@${data}`;
    return built in this.#results.measured ? built : `${scenario}@${data}`;
  }

  time(key: string, name: string): number {
    return this.#results.measured[key]?.times[name] ?? Number.NaN;
  }

  count(key: string, name: string): number {
    return this.#results.measured[key]?.counts[name] ?? Number.NaN;
  }

  /** Adds a row: what was measured must not be above the bound (or below it, `atLeast`). */
  row(row: Omit<TargetRow, "reached" | "measured"> & Bound): void {
    const { value, text, bound, key, atLeast, ...rest } = row;
    const { error, skipped } = this.#results.measured[key] ?? { skipped: "not run" };
    const failure = error === undefined ? skipped : `failed: ${error.split("\n")[0]}`;
    if (failure !== undefined || Number.isNaN(value)) {
      const reached = error === undefined ? null : false;
      this.rows.push({ ...rest, measured: failure ?? "–", reached });
    } else {
      const reached = atLeast === true ? value >= bound : value <= bound;
      this.rows.push({ ...rest, measured: text, reached });
    }
  }
}

interface Bound {
  readonly key: string;
  readonly value: number;
  readonly bound: number;
  readonly text: string;
  readonly atLeast?: true;
}

type AddRows = (read: Reader, limits: MachineLimits, results: RunResults) => void;

const openRows: AddRows = (read, limits) => {
  for (const data of read.dataOf("open")) {
    const key = read.judged("open", data);
    const limit = coldParse(read.count(key, "contextBytes"), limits);
    const total = read.time(key, "total");
    read.row({
      id: "T1",
      work: `open + context, new process, ${data}, indexed`,
      key,
      value: total / limit,
      bound: 3,
      text: `${duration(total)} = ${short(total / limit)} × limit (${duration(limit)})`,
      target: "≤ 3 × read + parse of the context's bytes",
    });
    const memory = read.count(key, "memoryMB");
    const text = `${short(memory)} MB`;
    const target = "≤ 30 MB over the library";
    read.row({
      id: "T1",
      work: `memory of it, ${data}`,
      key,
      value: memory,
      bound: 30,
      text,
      target,
    });
  }
};

/** Contexts of different sessions have different sizes, so it is the times over their limit that must be flat. */
const openGrowthRows: AddRows = (read, limits) => {
  const sizes = read.dataOf("open");
  const first = read.judged("open", sizes[0] ?? "");
  const last = read.judged("open", sizes.at(-1) ?? "");
  const overLimit = (key: string): number =>
    read.time(key, "total") / coldParse(read.count(key, "contextBytes"), limits);
  const value = overLimit(last) / overLimit(first);
  const work = `growth of it over its limit, ${sizes[0]} to ${sizes.at(-1)}`;
  const text = `${short(value)} ×`;
  read.row({ id: "T1", work, key: last, value, bound: 1.5, text, target: "flat" });
};

/** What is read from end to end has 200 ms for the 100 MB that T2 speaks of, and T3's rate beyond. */
function wholeMs(megabytes: number): number {
  return Math.max(200, (megabytes / 500) * 1000);
}

const coldRows: AddRows = (read) => {
  for (const data of read.dataOf("open-cold")) {
    const key = `open-cold@${data}`;
    const [total, memory] = [read.time(key, "total"), read.count(key, "memoryMB")];
    const bound = wholeMs(Number.parseFloat(data));
    read.row({
      id: "T2",
      work: `open whole + context, new process, ${data}, no index`,
      key,
      value: Math.max(total / bound, memory / 60),
      bound: 1,
      text: `${duration(total)}, ${short(memory)} MB`,
      target: `≤ ${duration(bound)}, ≤ 60 MB`,
    });
  }
};

/** A twentieth of Pi's 1,217 ms at 100 MB, the context being in the tail of every generated session. */
const TAIL_MS = 60;

const tailRows: AddRows = (read) => {
  for (const data of read.dataOf("open-tail")) {
    const key = `open-tail@${data}`;
    const [total, memory] = [read.time(key, "total"), read.count(key, "memoryMB")];
    read.row({
      id: "T2",
      work: `open from the end + context, new process, ${data}, no index`,
      key,
      value: Math.max(total / TAIL_MS, memory / 60),
      bound: 1,
      text: `${duration(total)}, ${short(memory)} MB`,
      target: `≤ ${TAIL_MS} ms, ≤ 60 MB`,
    });
  }
};

const buildRows: AddRows = (read) => {
  for (const data of read.dataOf("index-build")) {
    const key = `index-build@${data}`;
    for (const [name, bound] of [
      ["structure", 500],
      ["text", 8],
    ] as const) {
      const value = read.count(key, "bytes") / 1000 / read.time(key, name);
      const work = `first index of ${data}: ${name}`;
      const [text, target] = [`${short(value)} MB/s`, `≥ ${bound} MB/s`];
      read.row({ id: "T3", work, key, value, bound, text, target, atLeast: true });
    }
  }
};

/** How a time compares with the least that the promises ask of any engine, measured beside it. */
function overLeast(read: Reader, key: string, ms: number): string {
  const least = read.time(key, "least");
  return Number.isNaN(least) ? "" : `; ${short(ms / least)} × the least (${duration(least)})`;
}

/**
 * The bare write beside each append was measured in the same process, and once at the start of the run: the
 * faster one counts, so that a busy moment never flatters.
 */
const appendRows: AddRows = (read, limits) => {
  const sizes = read.dataOf("append");
  for (const data of sizes) {
    const key = `append@${data}`;
    const [p50, p99] = [read.time(key, "append"), read.time(key, "append.p99")];
    const ratio = p50 / Math.min(read.time(key, "raw"), limits.sync1K);
    const ratio99 = p99 / Math.min(read.time(key, "raw.p99"), limits.sync1KP99);
    read.row({
      id: "T4",
      work: `append 1 KB, durable, ${data}`,
      key,
      value: Math.max(ratio / 1.25, ratio99 / 2),
      bound: 1,
      text: `p50 ${duration(p50)} = ${short(ratio)} ×, p99 ${duration(p99)} = ${short(ratio99)} ×${overLeast(read, key, p50)}`,
      target: "≤ 1.25 × / ≤ 2 × write + fdatasync",
    });
  }
  const [first, last] = [`append@${sizes[0]}`, `append@${sizes.at(-1)}`];
  const growth = read.time(last, "append") / read.time(first, "append");
  const work = `growth of it, ${sizes[0]} to ${sizes.at(-1)}`;
  const text = `${short(growth)} ×`;
  read.row({ id: "T4", work, key: last, value: growth, bound: 1.5, text, target: "flat" });
  const key = "append-process@1MB";
  const p50 = read.time(key, "append");
  const raw = Math.min(read.time(key, "raw"), limits.write1K);
  read.row({
    id: "T5",
    work: "append 1 KB, durable against a crash of the process only",
    key,
    value: p50 / raw,
    bound: 4,
    text: `${duration(p50)} = ${short(p50 / raw)} ×${overLeast(read, key, p50)}`,
    target: "≤ 4 × bare write",
  });
};

const burstRows: AddRows = (read, limits) => {
  for (const [together, limit] of [
    [10, limits.group10],
    [100, limits.group100],
  ] as const) {
    const key = `burst-${together}@1MB`;
    const ms = read.time(key, "burst");
    const rate = (together * 1000) / ms;
    read.row({
      id: "T6",
      work: `${together} appends at once, durable`,
      key,
      value: rate / limit,
      bound: 0.6,
      text: `${short(rate)}/s = ${short((100 * rate) / limit)} %${overLeast(read, key, ms)}`,
      target: "≥ 60 % of a bare group commit",
      atLeast: true,
    });
  }
};

const HOT_BOUNDS: Readonly<Record<string, number>> = { "1k": 0.1, "10k": 0.3, "100k": 0.5 };

const hotRows: AddRows = (read) => {
  for (const data of read.dataOf("hot-context")) {
    const key = `hot-context@${data}`;
    const bound = HOT_BOUNDS[data.split(" ")[0] ?? ""] ?? 0.5;
    const value = read.time(key, "context");
    const [text, target] = [duration(value), `≤ ${bound} ms`];
    const work = `context after an append, ${data}`;
    read.row({ id: "T7", work, key, value, bound, text, target });
  }
};

const KINDS = ["english", "chinese", "tool"];

const listRows: AddRows = (read, limits) => {
  for (const data of read.dataOf("list")) {
    const key = `list@${data}`;
    const [all, page] = [read.time(key, "list"), read.time(key, "page")];
    const limit = ((limits.stat1000 + limits.select1000) * read.count(key, "rows")) / 1000;
    read.row({
      id: "T8",
      work: `list ${data}`,
      key,
      value: all / limit,
      bound: 1.5,
      text: `${duration(all)} = ${short(all / limit)} ×`,
      target: "≤ 1.5 × (stat + SELECT)",
    });
    const work = `the first 50 of ${data}`;
    const text = duration(page);
    read.row({ id: "T8", work, key, value: page, bound: 10, text, target: "≤ 10 ms" });
  }
  for (const data of read.dataOf("search")) {
    const key = read.judged("search", data);
    const times = KINDS.map((name) => read.time(key, name));
    read.row({
      id: "T9",
      work: `search ${data}: English / Chinese / in tool results`,
      key,
      value: Math.max(...times),
      bound: 10,
      text: times.map(duration).join(" / "),
      target: "≤ 10 ms",
    });
    const others = KINDS.map((name) => read.time(key, `ripgrep.${name}`));
    // Without ripgrep on the machine there is nothing to compare with.
    if (others.every(Number.isNaN)) continue;
    const shares = times.map((ms, place) => ms / Number(others[place]));
    read.row({
      id: "T9",
      work: `the same ÷ ripgrep over ${data}`,
      key,
      value: Math.max(...shares),
      bound: 0.2,
      text: `${shares.map(short).join(" / ")} of ${others.map(duration).join(" / ")}`,
      target: "≤ 0.2",
    });
  }
};

const forkRows: AddRows = (read, limits) => {
  for (const data of read.dataOf("fork")) {
    const key = `fork@${data}`;
    const ms = read.time(key, "fork");
    const limit = (limits.copy100MB * Number.parseFloat(data)) / 100;
    read.row({
      id: "T10",
      work: `clone of ${data}`,
      key,
      value: ms / limit,
      bound: 1.2,
      text: `${duration(ms)} = ${short(ms / limit)} ×`,
      target: "≤ 1.2 × copy + fsync",
    });
  }
  for (const data of read.dataOf("fork-link")) {
    const key = `fork-link@${data}`;
    const value = read.time(key, "fork");
    const [text, target] = [duration(value), "≤ 5 ms"];
    read.row({
      id: "T10",
      work: `clone of ${data} by reference`,
      key,
      value,
      bound: 5,
      text,
      target,
    });
  }
};

const switchRows: AddRows = (read, limits) => {
  for (const data of read.dataOf("branch-switch")) {
    const key = `branch-switch@${data}`;
    const move = read.time(key, "move");
    const raw = Math.min(read.time(key, "raw"), limits.sync1K);
    const context = read.time(key, "context");
    read.row({
      id: "T11",
      work: `durable branch switch, ${data}`,
      key,
      value: move / raw,
      bound: 1.3,
      text: `${duration(move)} = ${short(move / raw)} ×`,
      target: "≤ 1.3 × write + fdatasync",
    });
    const work = `context after it, ${data}`;
    const text = duration(context);
    read.row({ id: "T11", work, key, value: context, bound: 2, text, target: "≤ 2 ms" });
  }
};

const writerRows: AddRows = (read) => {
  const key = "writers@1MB";
  const [lost, rate] = [read.count(key, "lost"), read.count(key, "perSecond")];
  const longest = read.time(key, "append.max");
  const shared = { id: "T12", key };
  const [accepted, off] = [read.count(key, "accepted"), short(lost)];
  read.row({
    ...shared,
    work: "8 processes on one session: accepted entries off the path",
    value: lost,
    bound: 0,
    text: `${off} of ${short(accepted)}`,
    target: "0",
  });
  const text = `${short(rate)}/s`;
  const target = "≥ 800/s in all";
  read.row({
    ...shared,
    work: "durable appends",
    value: rate,
    bound: 800,
    text,
    target,
    atLeast: true,
  });
  const wait = { value: longest, bound: 1000, text: duration(longest), target: "≤ 1 s" };
  read.row({ ...shared, work: "longest wait", ...wait });
};

const startRows: AddRows = (read, limits, { indexShare }) => {
  read.rows.push({
    id: "T13",
    work: "index with full text ÷ data",
    measured: indexShare === undefined ? "this build has no index" : short(indexShare),
    target: "≤ 0.70",
    reached: indexShare === undefined ? null : indexShare <= 0.7,
  });
  const built = read.time("import@none", "built");
  const source = read.time("import@none", "source");
  const isBuilt = !Number.isNaN(built);
  read.row({
    id: "T14",
    work: isBuilt ? "import of the built package" : "import of the sources (no build here)",
    key: "import@none",
    value: isBuilt ? built : source,
    bound: 30,
    text: duration(isBuilt ? built : source),
    target: "≤ 30 ms",
  });
  const lsBuilt = read.time("cli-start@none", "built");
  const isLsBuilt = !Number.isNaN(lsBuilt);
  const ls = isLsBuilt ? lsBuilt : read.time("cli-start@none", "source");
  read.row({
    id: "T14",
    work: `\`branchline ls\`, start to end, ${isLsBuilt ? "built package" : "from the sources"}`,
    key: "cli-start@none",
    value: ls / limits.nodeStart,
    bound: 2.5,
    text: `${duration(ls)} = ${short(ls / limits.nodeStart)} ×`,
    target: "≤ 2.5 × an empty Node process",
  });
};

const pageRows: AddRows = (read) => {
  const page = "page@10,000 entries";
  const told = (["firstRow", "branchSwitch", "key"] as const)
    .map((name) => `${PAGE_WORDS[name]} ${duration(read.count(page, name))}`)
    .join(", ");
  read.row({
    id: "T15",
    work: "the page with 10,000 entries, all budgets of docs/ui-budgets.md",
    key: page,
    value: read.count(page, "worst"),
    bound: 1,
    text: `${told}; the tightest takes ${short(100 * read.count(page, "worst"))} % of its limit`,
    target: "each within its limit",
  });
  const key = "exported-page@10,000 entries";
  const value = read.time(key, "firstRow");
  const text = `${duration(value)}, ${short(read.count(key, "elements"))} elements`;
  const work = "exported page of 10,000 entries, file to first row";
  read.row({ id: "T15", work, key, value, bound: 1500, text, target: "≤ 1,500 ms" });
};

const PAGE_WORDS = { firstRow: "first row", branchSwitch: "branch switch", key: "key to frame" };

const promptRows: AddRows = (read) => {
  for (const data of read.dataOf("prompt")) {
    const key = `prompt@${data}`;
    const value = read.time(key, "prompt");
    const text = duration(value);
    const work = `own time for one prompt, ${data}, without syncs`;
    read.row({ id: "T16", work, key, value, bound: 5, text, target: "≤ 5 ms, flat" });
  }
};

const ALL: readonly AddRows[] = [
  openRows,
  openGrowthRows,
  coldRows,
  tailRows,
  buildRows,
  appendRows,
  burstRows,
  hotRows,
  listRows,
  forkRows,
  switchRows,
  writerRows,
  startRows,
  pageRows,
  promptRows,
];

/** Holds a run against the targets T1 to T16. */
export function targetRows(results: RunResults): readonly TargetRow[] {
  const read = new Reader(results);
  for (const add of ALL) add(read, results.limits, results);
  return read.rows;
}
