import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { openEngine, prepareIndex } from "../src/bench/engine-store.ts";
import {
  type GeneratedCorpus,
  type GeneratedSession,
  keptCorpus,
  keptSession,
} from "../src/bench/generated-files.ts";
import type { ScenarioInput } from "../src/bench/scenario.ts";

/** What a run is asked to do. */
export interface RunSettings {
  /** Session sizes in MB, smallest first. */
  readonly sizes: readonly number[];
  /** Name of the store. */
  readonly store: string;
  /** Folder of generated data, kept between runs. */
  readonly data: string;
  readonly runs: number;
  /** Only scenarios whose key starts with one of these; empty = all. */
  readonly only: readonly string[];
  /** Whether there is a built package of these sources; then the first work of a process is measured in it, too. */
  readonly isBuilt: boolean;
  readonly log: (text: string) => void;
}

/** One planned measurement. */
export interface Planned {
  /** `scenario@data`, as the targets read it. */
  readonly key: string;
  readonly scenario: string;
  /** "built": by the scenarios that the built package ships. Default: by those of the sources. */
  readonly by?: "built";
  readonly input: Omit<ScenarioInput, "scratch">;
  readonly runs: number;
}

/** Generated data, its index made. */
export interface RunData {
  readonly sessions: ReadonlyMap<number, GeneratedSession>;
  readonly chats: ReadonlyMap<string, GeneratedSession>;
  readonly corpora: ReadonlyMap<string, GeneratedCorpus>;
  /** Data root whose index knows the sessions and corpora. */
  readonly indexRoot: string;
}

const SEED = 1;
const CHATS: readonly (readonly [string, number])[] = [
  ["1k", 1000],
  ["10k", 10_000],
  ["100k", 100_000],
];
const CORPORA: readonly (readonly [string, number, number])[] = [
  ["1,000 sessions", 1000, 100_000],
  ["10,000 sessions", 10_000, 20_000],
];

/** Generates what is missing and brings the index up to date, untimed. */
export async function prepareData(settings: RunSettings): Promise<RunData> {
  const { data, log, sizes } = settings;
  const sessions = new Map<number, GeneratedSession>();
  for (const size of new Set([1, ...sizes])) {
    log(`data: session of ${size} MB`);
    sessions.set(
      size,
      await keptSession(data, { seed: SEED, bytes: size * 1e6, profile: "agent" }),
    );
  }
  const chats = new Map<string, GeneratedSession>();
  for (const [name, entries] of CHATS) {
    chats.set(name, await keptSession(data, { seed: SEED, entries, profile: "chat" }));
  }
  const corpora = new Map<string, GeneratedCorpus>();
  const isWanted = ["list", "search"].some((scenario) => wants(settings, scenario));
  for (const [name, count, averageBytes] of settings.store === "jsonl" && isWanted ? CORPORA : []) {
    log(`data: ${name}`);
    corpora.set(name, await keptCorpus(data, { seed: SEED, sessions: count, averageBytes }));
  }
  const indexRoot = path.join(data, "index-root");
  // Never an index that another version of the code has made.
  await rm(indexRoot, { recursive: true, force: true });
  await mkdir(indexRoot, { recursive: true });
  await using engine = await openEngine(data, { data: indexRoot });
  const files = [...sessions.values(), ...chats.values()].map((session) => session.path);
  for (const file of [...files, ...[...corpora.values()].map(({ folder }) => folder)]) {
    if (engine.index === undefined) break;
    log(`index: ${path.basename(file)}`);
    await prepareIndex(engine, file);
  }
  return { sessions, chats, corpora, indexRoot };
}

function wants(settings: RunSettings, key: string): boolean {
  return settings.only.length === 0 || settings.only.some((start) => key.startsWith(start));
}

/** All measurements of a run, in order; the caller takes them one after the other. */
export function planRun(settings: RunSettings, data: RunData): readonly Planned[] {
  const rows = [...everyStore(settings, data)];
  if (settings.store === "jsonl")
    rows.push(...filesOnly(settings, data), ...lists(settings, data), ...pages(settings));
  return rows.filter(({ key }) => wants(settings, key));
}

type Limits = Pick<ScenarioInput, "count" | "capMs">;

function inputOf(settings: RunSettings, rest: Partial<ScenarioInput> & Limits): Planned["input"] {
  return { store: settings.store, index: "on", durability: "full", ...rest };
}

/** Scenarios that run on any store. */
function* everyStore(settings: RunSettings, data: RunData): Generator<Planned> {
  const { runs } = settings;
  const small = data.sessions.get(1) as GeneratedSession;
  const make = (key: string, input: Partial<ScenarioInput> & Limits): Planned => {
    const scenario = key.replace(/(?:-\d+|-process|-link)?@.*$/, "");
    return { key, scenario, runs, input: inputOf(settings, input) };
  };
  for (const size of settings.sizes) {
    const session = data.sessions.get(size) as GeneratedSession;
    const name = sizeName(size);
    yield make(`append@${name}`, { session, count: 600, capMs: 1500 });
    yield make(`branch-switch@${name}`, { session, count: 100, capMs: 1500 });
    yield make(`path@${name}`, { session, count: 1, capMs: 5000 });
  }
  const process = { session: small, durability: "process" as const };
  yield make("append-process@1MB", { ...process, count: 5000, capMs: 1500 });
  for (const together of [10, 100]) {
    const extra = { together };
    yield make(`burst-${together}@1MB`, { session: small, count: 100, capMs: 1500, extra });
  }
  for (const [name, session] of data.chats) {
    const words = `${name} entries`;
    yield make(`hot-context@${words}`, { session, count: 40, capMs: 3000 });
    const unsynced = { session, durability: "process" as const };
    yield make(`prompt@${words}`, { ...unsynced, count: 40, capMs: 3000 });
  }
  const largest = settings.sizes.filter((size) => size <= 100).at(-1) ?? 1;
  const session = data.sessions.get(largest) as GeneratedSession;
  const once = { session, count: 1, capMs: 10_000 };
  yield make(`fork@${sizeName(largest)}`, once);
  if (settings.store === "jsonl")
    yield make(`fork-link@${sizeName(largest)}`, { ...once, extra: { how: "link" } });
}

/** Scenarios about files and processes. */
function* filesOnly(settings: RunSettings, data: RunData): Generator<Planned> {
  const { runs } = settings;
  const once = { count: 1, capMs: 60_000 };
  for (const size of settings.sizes) {
    const session = data.sessions.get(size) as GeneratedSession;
    const name = sizeName(size);
    const few = size > 100 ? 1 : runs;
    const extra = { data: data.indexRoot };
    const warm = inputOf(settings, { session, extra, ...once });
    yield { key: `open@${name}`, scenario: "open", runs: few, input: warm };
    if (settings.isBuilt)
      yield { key: `open-built@${name}`, scenario: "open", by: "built", runs: few, input: warm };
    const cold = inputOf(settings, { session, index: "off", ...once });
    yield { key: `open-cold@${name}`, scenario: "open", runs: few, input: cold };
    const tail = { ...cold, extra: { from: "end" } };
    yield { key: `open-tail@${name}`, scenario: "open", runs: few, input: tail };
    const build = inputOf(settings, { session, ...once });
    yield { key: `index-build@${name}`, scenario: "index-build", runs: few, input: build };
  }
  const session = data.sessions.get(1) as GeneratedSession;
  const writers = inputOf(settings, { session, count: 1000, capMs: 8000 });
  yield { key: "writers@1MB", scenario: "writers", runs: 1, input: writers };
  for (const scenario of ["import", "cli-start"]) {
    yield {
      key: `${scenario}@none`,
      scenario,
      runs: Math.max(5, runs),
      input: inputOf(settings, once),
    };
  }
}

function* lists(settings: RunSettings, data: RunData): Generator<Planned> {
  for (const [name, { folder, facts }] of data.corpora) {
    const corpus = { folder, facts, data: data.indexRoot };
    const input = inputOf(settings, { corpus, count: 1, capMs: 60_000 });
    const runs = facts.sessions > 1000 ? 1 : settings.runs;
    for (const scenario of ["list", "search"])
      yield { key: `${scenario}@${name}`, scenario, runs, input };
    if (settings.isBuilt)
      yield { key: `search-built@${name}`, scenario: "search", by: "built", runs, input };
  }
}

/** In a browser; their data is their own. */
function* pages(settings: RunSettings): Generator<Planned> {
  for (const scenario of ["page", "exported-page"]) {
    const input = inputOf(settings, { count: 1, capMs: 120_000 });
    yield { key: `${scenario}@10,000 entries`, scenario, runs: 1, input };
  }
}

/** 1 → "1MB". */
export function sizeName(megabytes: number): string {
  return `${megabytes}MB`;
}
