import type { MachineLimits } from "../src/bench/machine-limits.ts";
import type { RunData, RunSettings } from "./plan.ts";
import { type Panel, plot, type Series } from "./plot.ts";
import { duration, type RunResults, short, targetRows } from "./targets.ts";

/** What a report says besides its figures. */
export interface ReportFrame {
  readonly machine: string;
  /** Time of measuring, without making data. */
  readonly seconds: number;
  readonly settings: RunSettings;
  readonly data: RunData;
}

function limitLines(limits: MachineLimits): string[] {
  const rows: readonly (readonly [string, string])[] = [
    ["empty Node process", duration(limits.nodeStart)],
    [
      "read + decode + parse 1 MB of a session: in a new process (a quarter of it) / compiled",
      `${duration(limits.coldParse1MB)} (${duration(limits.coldParse250KB)}) / ${duration(limits.parse1MB)}`,
    ],
    [
      "decode by line / decode + JSON.parse",
      `${short(limits.decodeRate)} / ${short(limits.parseRate)} MB/s`,
    ],
    ["write 1 KB", duration(limits.write1K)],
    [
      "write 1 KB + fdatasync, p50 / p99",
      `${duration(limits.sync1K)} / ${duration(limits.sync1KP99)}`,
    ],
    ["group commit of 10 / 100", `${short(limits.group10)} / ${short(limits.group100)} entries/s`],
    [
      "stat of 1,000 files / SELECT of 1,000 rows",
      `${duration(limits.stat1000)} / ${duration(limits.select1000)}`,
    ],
    ["copy 100 MB + fsync", duration(limits.copy100MB)],
  ];
  return [
    "| limit | value |",
    "|---|---|",
    ...rows.map(([what, value]) => `| ${what} | ${value} |`),
  ];
}

function reachedWord(reached: boolean | null): string {
  if (reached === null) return "not measured";
  return reached ? "yes" : "**no**";
}

function targetLines(results: RunResults): string[] {
  const rows = targetRows(results).map(
    (row) =>
      `| ${row.id} | ${row.work} | ${row.measured} | ${row.target} | ${reachedWord(row.reached)} |`,
  );
  return ["| # | work | measured | target | reached |", "|---|---|---|---|---|", ...rows];
}

function timeLines(results: RunResults): string[] {
  const rows = Object.entries(results.measured).map(([key, { times, counts, skipped, error }]) => {
    const said = Object.entries(times).map(([name, ms]) => `${name} ${duration(ms)}`);
    const counted = Object.entries(counts).map(([name, value]) => `${name} ${short(value)}`);
    const failure = error === undefined ? skipped : `failed: ${error.split("\n")[0]}`;
    return `| ${key} | ${failure ?? said.join(", ")} | ${counted.join(", ")} |`;
  });
  return ["| measurement | times (medians) | counted |", "|---|---|---|", ...rows];
}

function dataLines({ data }: ReportFrame): string[] {
  const sessions = [...data.sessions.values(), ...data.chats.values()].map(({ facts }) => {
    const { bytes, entries, pathEntries, compactions, branches, images } = facts;
    const numbers = [entries, pathEntries, compactions, branches, images].map(short);
    return `| ${short(bytes / 1e6)} MB | ${numbers.join(" | ")} |`;
  });
  const corpora = [...data.corpora].map(
    ([name, { facts }]) =>
      `${name}: ${short(facts.bytes / 1e6)} MB, ${short(facts.entries)} entries`,
  );
  return [
    "| session | entries | on the path | compactions | branches | images |",
    "|---|---|---|---|---|---|",
    ...sessions,
    "",
    ...(corpora.length > 0 ? [`Folders: ${corpora.join("; ")}.`] : []),
  ];
}

/** The whole report of a run. */
export function markdown(results: RunResults, frame: ReportFrame): string {
  const { settings } = frame;
  const rows = targetRows(results);
  const count = (reached: boolean | null): number =>
    rows.filter((row) => row.reached === reached).length;
  return [
    `${frame.machine}. Store: ${settings.store}; medians of ${settings.runs} runs; ${short(frame.seconds)} s of measuring.`,
    "",
    `**${count(true)} of ${rows.length} rows reach their target, ${count(false)} do not, ${count(null)} were not measured.**`,
    "",
    "### Targets",
    "",
    ...targetLines(results),
    "",
    "### Limits of this machine, same run",
    "",
    ...limitLines(results.limits),
    "",
    "### All times",
    "",
    ...timeLines(results),
    "",
    "### Data",
    "",
    ...dataLines(frame),
    "",
  ].join("\n");
}

function seriesOf(
  results: RunResults,
  source: readonly [name: string, scenario: string, time: string],
): Series {
  const [name, scenario, time] = source;
  const points = Object.entries(results.measured).flatMap(([key, { times }]) => {
    const [of, data = ""] = key.split("@");
    const ms = times[time];
    if (of !== scenario || ms === undefined) return [];
    const size = Number.parseFloat(data.replaceAll(",", ""));
    return [[/^[\d.]+k/.test(data) ? size * 1000 : size, ms] as const];
  });
  return { name, points };
}

/** Growth over sizes as SVG: what has to be flat should look flat. */
export function growthPlot(results: RunResults): string {
  const make = (...source: readonly [string, string, string]): Series => seriesOf(results, source);
  const panels: readonly Panel[] = [
    {
      axis: "session size, MB",
      series: [
        make("open + context", "open", "total"),
        make("the same, no index", "open-cold", "total"),
        make("append, durable", "append", "append"),
        make("branch switch", "branch-switch", "move"),
        make("context after it", "branch-switch", "context"),
      ],
    },
    {
      axis: "entries of the session",
      series: [
        make("context after an append", "hot-context", "context"),
        make("one prompt, no syncs", "prompt", "prompt"),
      ],
    },
    {
      axis: "sessions",
      series: [
        make("list of all", "list", "list"),
        make("first 50", "list", "page"),
        make("search, English", "search", "english"),
        make("search, Chinese", "search", "chinese"),
      ],
    },
  ];
  return plot("Time over size", panels);
}
