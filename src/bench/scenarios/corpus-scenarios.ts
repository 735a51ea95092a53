import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { type Engine, type EngineIndex, openEngine } from "../engine-store.ts";
import { PHRASES, PLANTED } from "../generated-files.ts";
import {
  memoryMeter,
  type Outcome,
  type Scenario,
  type ScenarioInput,
  timed,
} from "../scenario.ts";

function corpusOf(input: ScenarioInput): NonNullable<ScenarioInput["corpus"]> {
  assert.ok(input.corpus, "this scenario needs a corpus");
  return input.corpus;
}

/** A page right after a list; without an index that is another list. */
async function firstRows({ index, store }: Engine, limit: number): Promise<number> {
  if (index !== undefined) return (await index.page(limit)).length;
  let rows = 0;
  for await (const row of store.list()) {
    assert.ok(row.id);
    if (++rows === limit) break;
  }
  return rows;
}

const list: Scenario = {
  id: "list",
  title: "list all sessions with name, first message, count; the first 50 of them",
  target: "T8",
  async run(input): Promise<Outcome> {
    const { folder, data, facts } = corpusOf(input);
    await using engine = await openEngine(folder, { index: input.index, data });
    const memory = memoryMeter();
    const all = await timed(async () => {
      const sums = { rows: 0, titled: 0, messages: 0 };
      for await (const row of engine.store.list()) {
        sums.rows++;
        sums.messages += row.messages;
        if (row.title !== null) sums.titled++;
      }
      return sums;
    });
    const page = await timed(() => firstRows(engine, 50));
    const { rows, titled, messages } = all.value;
    assert.deepEqual([rows, titled, messages], [facts.sessions, facts.sessions, facts.messages]);
    assert.equal(page.value, Math.min(50, facts.sessions));
    const memoryMB = memory();
    return { samples: { list: [all.ms], page: [page.ms] }, counts: { rows, memoryMB } };
  },
};

async function hits(index: EngineIndex, kind: keyof typeof PHRASES): Promise<number> {
  const { length } = await index.search(`"${PHRASES[kind]}"`);
  assert.equal(length, PLANTED[kind], kind);
  return length;
}

/** Ms that ripgrep takes for the same question, process and all; undefined where it is not installed. */
function ripgrep(folder: string, kind: keyof typeof PHRASES): number | undefined {
  const from = performance.now();
  const options = ["--no-config", "--no-ignore", "--files-with-matches", "--fixed-strings"];
  const ran = spawnSync("rg", [...options, "--", PHRASES[kind], folder], { encoding: "utf8" });
  if (ran.error !== undefined) return undefined;
  const ms = performance.now() - from;
  assert.equal(ran.stdout.trimEnd().split("\n").length, PLANTED[kind], `ripgrep: ${kind}`);
  return ms;
}

const search: Scenario = {
  id: "search",
  title: "search a rare phrase: English, two Chinese characters, inside tool results",
  target: "T9",
  async run(input): Promise<Outcome> {
    const { folder, data } = corpusOf(input);
    await using engine = await openEngine(folder, { index: input.index, data });
    const { index } = engine;
    if (index === undefined) return { samples: {}, counts: {}, skipped: "no index to search in" };
    const samples: Record<string, number[]> = {};
    const counts: Record<string, number> = {};
    for (const kind of ["english", "chinese", "tool"] as const) {
      const { value, ms } = await timed(() => hits(index, kind));
      samples[kind] = [ms];
      counts[kind] = value;
    }
    // Last, so that it warms nothing up.
    for (const kind of ["english", "chinese", "tool"] as const) {
      const ms = ripgrep(folder, kind);
      if (ms !== undefined) samples[`ripgrep.${kind}`] = [ms];
    }
    return { samples, counts };
  },
};

/** Scenarios over many sessions that the command line measures too. */
export const CORPUS_SCENARIOS: readonly Scenario[] = [list, search];
