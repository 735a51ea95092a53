import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { BenchRow } from "../../bench/user-bench.ts";
import { safeLine } from "../../view/safe-text.ts";
import { type Piece, styled } from "../color.ts";
import { withInterrupt } from "../interrupt.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";

const LARGEST_MB = 2000;

function sizesOf(text: string): readonly number[] {
  const sizes = text.split(",").map(Number);
  if (sizes.every((size) => size >= 1 && size <= LARGEST_MB)) return sizes;
  throw usage(`--sizes wants numbers of MB from 1 to ${LARGEST_MB}, for example 1,10.`);
}

/** The newest session and the largest one, each once. */
async function ownSessions(
  call: Call,
): Promise<readonly { readonly path: string; readonly bytes: number }[]> {
  const rows = await call.sessions.list();
  const files = rows.flatMap((row) => (row.path === null ? [] : [{ ...row, path: row.path }]));
  const largest = files.toSorted((a, b) => b.bytes - a.bytes)[0];
  const chosen = new Map(
    [files[0], largest].flatMap((row) => (row === undefined ? [] : [[row.path, row.bytes]])),
  );
  return [...chosen].map(([file, bytes]) => ({ path: file, bytes }));
}

function duration(ms: number): string {
  return ms < 0.1 ? `${(ms * 1000).toPrecision(3)} µs` : `${Number(ms.toPrecision(3))} ms`;
}

/** Times the text output leaves out: they are there with --json. */
const DETAIL = /\.(?:p99|max)$/;

function* lines(row: BenchRow): Iterable<readonly Piece[]> {
  const times = Object.entries(row.times)
    .filter(([name]) => !DETAIL.test(name))
    .map(([name, ms]) => `${name} ${duration(ms)}`);
  const said = row.note === null ? times.join(", ") : safeLine(row.note.split("\n")[0] ?? "");
  const ratio = row.ratio === null ? "" : `  ${row.ratio.toPrecision(2)} × the machine's limit`;
  const head = `${row.measurement}, ${row.data}`.padEnd(34);
  yield [styled("id", head), `  ${said}`, styled("faint", ratio)];
}

/** Loaded here, so that no other verb pays for it at its start. */
async function measured(call: Call, scratch: string, signal: AbortSignal): Promise<void> {
  const { userBench } = await import("../../bench/user-bench.ts");
  const rows = userBench({
    sizes: sizesOf(call.text("sizes") ?? "1,10"),
    scratch,
    own: await ownSessions(call),
    pace: call.has("quick") ? "quick" : "thorough",
    signal,
    onProgress: (text) => call.out.talk(styled("faint", `… ${text}`)),
  });
  for await (const row of rows) call.out.either(row, () => lines(row));
}

/** Measures this machine and the user's own sessions. */
export const benchVerb: Verb = {
  name: "bench",
  summary: "measure this machine, this engine, and your own sessions (those are only read)",
  example: "branchline bench --sizes 1,10",
  arguments: [],
  options: [
    { name: "sizes", value: "mb", about: "sizes of the generated sessions in MB, default 1,10" },
    { name: "dir", value: "dir", about: "where the generated data goes; default: the temp folder" },
    { name: "quick", about: "a rough answer in a few seconds" },
  ],
  async run(call) {
    const parent = path.resolve(call.io.cwd, call.text("dir") ?? tmpdir());
    const scratch = await mkdtemp(path.join(parent, "branchline-bench-"));
    try {
      // Ctrl-C stops the measurement, and what it made goes all the same.
      await withInterrupt((signal) => measured(call, scratch, signal));
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
    return 0;
  },
};
