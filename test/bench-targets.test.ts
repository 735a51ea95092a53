import assert from "node:assert/strict";
import { test } from "node:test";
import { plot } from "../bench/plot.ts";
import { type RunResults, type TargetRow, targetRows } from "../bench/targets.ts";
import type { MachineLimits } from "../src/bench/machine-limits.ts";
import type { Measured } from "../src/bench/measure.ts";
import { median, percentile } from "../src/bench/statistics.ts";

const LIMITS: MachineLimits = {
  nodeStart: 50,
  parse1MB: 2,
  coldParse1MB: 4,
  coldParse250KB: 1,
  decodeRate: 2000,
  parseRate: 250,
  write1K: 0.002,
  sync1K: 0.2,
  sync1KP99: 0.5,
  group10: 30_000,
  group100: 120_000,
  stat1000: 6,
  select1000: 1,
  copy100MB: 150,
};

function rows(measured: Readonly<Record<string, Measured>>): readonly TargetRow[] {
  const results: RunResults = { limits: LIMITS, measured };
  return targetRows(results);
}

function reached(id: string, measured: Readonly<Record<string, Measured>>): readonly unknown[] {
  return rows(measured)
    .filter((row) => row.id === id)
    .map((row) => row.reached);
}

test("a target is reached up to its bound and not above", () => {
  const hot = (ms: number): Readonly<Record<string, Measured>> => {
    return { "hot-context@10k entries": { times: { context: ms }, counts: {} } };
  };
  assert.deepEqual(reached("T7", hot(0.3)), [true]);
  assert.deepEqual(reached("T7", hot(0.31)), [false]);
});

test("rates are held against their limit from below", () => {
  const burst = (ms: number): Readonly<Record<string, Measured>> => {
    return { "burst-10@1MB": { times: { burst: ms }, counts: {} } };
  };
  assert.deepEqual(reached("T6", burst(10 / (30 * 0.61))), [true, null]);
  assert.deepEqual(reached("T6", burst(10 / (30 * 0.59))), [false, null]);
});

test("the limit of an open is what the bytes of its context cost", () => {
  const open = (total: number): Readonly<Record<string, Measured>> => {
    const counts = { contextBytes: 500_000, memoryMB: 29 };
    return { "open@100MB": { times: { total }, counts } };
  };
  assert.deepEqual(reached("T1", open(6)), [true, true, true]);
  assert.deepEqual(reached("T1", open(6.1)), [false, true, true]);
});

test("what failed is not reached, what was skipped or not run is not measured", () => {
  const none = { times: {}, counts: {} };
  const failed = { ...none, error: "AssertionError: 2 !== 3\n at x" };
  assert.deepEqual(reached("T9", { "search@1,000 sessions": failed }), [false]);
  const skipped = { ...none, skipped: "this build has no search" };
  assert.deepEqual(reached("T9", { "search@1,000 sessions": skipped }), [null]);
  assert.deepEqual(reached("T12", {}), [null, null, null]);
  const [row] = rows({ "search@1,000 sessions": failed }).filter(({ id }) => id === "T9");
  assert.equal(row?.measured, "failed: AssertionError: 2 !== 3");
});

test("an append is flat only where the largest session is as fast as the smallest", () => {
  const times = (append: number): Measured => {
    const raw = { raw: 0.2, "raw.p99": 0.5 };
    return { times: { append, "append.p99": append, ...raw }, counts: {} };
  };
  const measured = { "append@1MB": times(0.2), "append@100MB": times(0.4) };
  assert.deepEqual(reached("T4", measured), [true, false, false]);
});

test("percentiles and medians of few, many and no samples", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.ok(Number.isNaN(median([])));
  const hundred = Array.from({ length: 100 }, (_, index) => index);
  assert.equal(percentile(hundred, 0.99), 99);
  assert.equal(percentile(hundred, 1), 99);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});

test("a plot draws each series that has points, in a log-log grid", () => {
  const points = [
    [1, 0.2],
    [10, 0.2],
    [100, 20],
  ] as const;
  const svg = plot("a & b", [{ axis: "MB", series: [{ name: "x < y", points }] }]);
  assert.equal(svg.match(/<polyline/g)?.length, 1);
  assert.equal(svg.match(/<circle/g)?.length, 3);
  assert.ok(svg.includes("x &lt; y") && !svg.includes("NaN"));
  const ys = [...svg.matchAll(/cy="([\d.]+)"/g)].map((match) => Number(match[1]));
  assert.equal(ys[0], ys[1]);
  assert.ok((ys[2] ?? 0) < (ys[1] ?? 0));
});

test("a search is compared with ripgrep where that is installed, and only there", () => {
  const own = { english: 4, chinese: 2, tool: 1 };
  const others = { "ripgrep.english": 40, "ripgrep.chinese": 40, "ripgrep.tool": 4 };
  const key = "search@1,000 sessions";
  assert.deepEqual(reached("T9", { [key]: { times: own, counts: {} } }), [true]);
  const both = { times: { ...own, ...others }, counts: {} };
  assert.deepEqual(reached("T9", { [key]: both }), [true, false]);
});
