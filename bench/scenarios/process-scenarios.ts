import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { openEngine } from "../../src/bench/engine-store.ts";
import { runJob } from "../../src/bench/measure.ts";
import { messageOf, type Outcome, repeat, type Scenario, timed } from "../../src/bench/scenario.ts";
import { sessionOf } from "../../src/bench/scenarios/session-scenarios.ts";
import { Session } from "../../src/session/session.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** One of several processes that write to the same file; started by `writers`. */
const writer: Scenario = {
  id: "writer",
  title: "one process of several that append to one session",
  target: "T12",
  async run(input): Promise<Outcome> {
    const { file, startAt } = input.extra ?? {};
    await using engine = await openEngine(input.scratch, {
      index: input.index,
      durability: input.durability,
    });
    await using session = await Session.attach(await engine.store.openFile(String(file)));
    // All begin at the same time, whatever their start took.
    while (Date.now() < Number(startAt)) await new Promise((resolve) => setTimeout(resolve, 1));
    const append = await repeat(input, (round) => session.append(messageOf(1000, round)));
    return { samples: { append }, counts: { accepted: append.length } };
  },
};

const writers: Scenario = {
  id: "writers",
  title: "8 processes append to one session at the same time",
  target: "T12",
  async run(input): Promise<Outcome> {
    const file = path.join(input.scratch, "shared.jsonl");
    await copyFile(sessionOf(input).path, file);
    const processes = Number(input.extra?.processes ?? 8);
    const startAt = Date.now() + 1500 + 150 * processes;
    const module = new URL("./table.ts", import.meta.url).href;
    const job = { module, scenario: "writer", input: { ...input, extra: { file, startAt } } };
    const results = await Promise.all(Array.from({ length: processes }, () => runJob(job)));
    const samples: number[] = [];
    for (const { outcome, error } of results) {
      assert.equal(error, undefined);
      samples.push(...(outcome?.samples.append ?? []));
    }
    await using engine = await openEngine(input.scratch, { index: "off" });
    await using session = await Session.attach(await engine.store.openFile(file));
    const entries = session.tree.path(session.leaf).length - sessionOf(input).facts.pathEntries;
    const longest = Math.max(...results.map(({ outcome }) => totalOf(outcome)));
    return {
      samples: { append: samples },
      counts: {
        accepted: samples.length,
        lost: samples.length - entries,
        perSecond: (samples.length * 1000) / longest,
      },
    };
  },
};

function totalOf(outcome: Outcome | undefined): number {
  return (outcome?.samples.append ?? []).reduce((sum, ms) => sum + ms, 0);
}

/** Nothing of the engine is loaded before; the time is that of the import alone. */
const importTime: Scenario = {
  id: "import",
  title: "import the library in a new process",
  target: "T14",
  async run(): Promise<Outcome> {
    const entry = path.join(ROOT, "src/index.ts");
    const built = path.join(ROOT, "dist/index.js");
    const code = (file: string): string =>
      `const t = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - t);`;
    const ms = (file: string): number => {
      const args = [
        "--disable-warning=ExperimentalWarning",
        "--input-type=module",
        "-e",
        code(file),
      ];
      const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
      return status === 0 ? Number(stdout) : Number.NaN;
    };
    const source = ms(entry);
    assert.ok(source > 0);
    const package_ = ms(built);
    const builtSamples = Number.isNaN(package_) ? [] : [package_];
    return { samples: { source: [source], built: builtSamples }, counts: {} };
  },
};

const cliStart: Scenario = {
  id: "cli-start",
  title: "`branchline ls` without any session, from start to end",
  target: "T14",
  async run(input): Promise<Outcome> {
    const source = await lsTime(ROOT, input.scratch);
    const samples = { source: [source], built: [] as number[] };
    if (existsSync(path.join(ROOT, "dist"))) {
      // The launcher takes the sources where there are any, so it runs in a place that has none.
      const root = path.join(input.scratch, "package");
      await mkdir(path.join(root, "bin"), { recursive: true });
      await copyFile(path.join(ROOT, LAUNCHER), path.join(root, LAUNCHER));
      for (const name of ["dist", "package.json"])
        await symlink(path.join(ROOT, name), path.join(root, name));
      // The first start after an installation keeps what V8 compiled for all later ones.
      await lsTime(root, input.scratch);
      samples.built.push(await lsTime(root, input.scratch));
    }
    return { samples, counts: {} };
  },
};

const LAUNCHER = "bin/branchline.js";

async function lsTime(root: string, data: string): Promise<number> {
  const args = [path.join(root, LAUNCHER), "ls", "--root", data];
  const { value, ms } = await timed(async () =>
    spawnSync(process.execPath, args, { encoding: "utf8" }),
  );
  assert.equal(value.status, 0, value.stderr);
  return ms;
}

const indexBuild: Scenario = {
  id: "index-build",
  title: "first index of a file: structure, then full text",
  target: "T3",
  async run(input): Promise<Outcome> {
    await using engine = await openEngine(input.scratch, { index: "on" });
    const { index } = engine;
    if (index === undefined) return { samples: {}, counts: {}, skipped: "this build has no index" };
    const { path: file, facts } = sessionOf(input);
    // Makes the database: that is no part of reading a file.
    await index.text();
    const structure = await timed<void>(() => index.structure(file));
    const text = await timed<void>(() => index.text());
    return {
      samples: { structure: [structure.ms], text: [text.ms] },
      counts: { bytes: facts.bytes },
    };
  },
};

/** Scenarios about whole processes. */
export const PROCESS_SCENARIOS: readonly Scenario[] = [
  writer,
  writers,
  importTime,
  cliStart,
  indexBuild,
];
