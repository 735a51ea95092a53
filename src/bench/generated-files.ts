import { createHash } from "node:crypto";
import { access, mkdir, open, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RandomStream } from "./random-stream.ts";
import { type GeneratorOptions, generateSession, type SessionFacts } from "./session-generator.ts";

/** The phrases planted in every corpus: English and Chinese in answers, one in tool results only. */
export const PHRASES = {
  english: "obsidian heptagon lantern",
  chinese: "榫卯",
  tool: "QZX-7719 spindle overrun",
} as const;

/** Sessions that hold each phrase. */
export const PLANTED: Readonly<Record<keyof typeof PHRASES, number>> = {
  english: 3,
  chinese: 3,
  tool: 2,
};

/** A generated session file. */
export interface GeneratedSession {
  readonly path: string;
  readonly facts: SessionFacts;
}

/** Facts about a folder of generated sessions. */
export interface CorpusFacts {
  readonly sessions: number;
  readonly bytes: number;
  readonly entries: number;
  readonly messages: number;
}

/** A folder of generated sessions, laid out as Pi lays out its own. */
export interface GeneratedCorpus {
  readonly folder: string;
  readonly facts: CorpusFacts;
}

/** What a corpus is like. */
export interface CorpusOptions {
  readonly seed: number;
  readonly sessions: number;
  /** Mean size of a session; sizes are log-normal. */
  readonly averageBytes: number;
}

/** Writes one session file, whatever stood there before. */
export async function writeSession(
  path: string,
  options: GeneratorOptions,
): Promise<GeneratedSession> {
  await mkdir(dirname(path), { recursive: true });
  await using file = await open(path, "w");
  const lines = generateSession(options);
  let batch = "";
  for (;;) {
    const { done, value } = lines.next();
    if (done === true) {
      await file.write(batch);
      return { path, facts: value };
    }
    batch += `${value}\n`;
    if (batch.length > 4_000_000) {
      await file.write(batch);
      batch = "";
    }
  }
}

/** The same from a folder of data that is kept between runs: made once for each set of options. */
export async function keptSession(
  folder: string,
  options: GeneratorOptions,
): Promise<GeneratedSession> {
  const path = join(folder, `${options.profile}-${keyOf(options)}.jsonl`);
  const facts = await kept(`${path}.facts.json`, async () => {
    return (await writeSession(path, options)).facts;
  });
  return { path, facts };
}

/** Writes a corpus below a folder. */
export async function writeCorpus(
  folder: string,
  options: CorpusOptions,
): Promise<GeneratedCorpus> {
  const random = new RandomStream(options.seed);
  const total = { bytes: 0, entries: 0, messages: 0 };
  for (let number = 0; number < options.sessions; number++) {
    const size = options.averageBytes * Math.exp(random.normal() - 0.5);
    const bytes = Math.max(2000, Math.min(options.averageBytes * 12, size)) * 0.9;
    const name = `2026-01-05T08-00-00-000Z_${String(number).padStart(6, "0")}.jsonl`;
    const { facts } = await writeSession(join(folder, "--home-dev-project--", name), {
      seed: options.seed * 1_000_003 + number,
      bytes,
      profile: "agent",
      chinese: number % 10 < 3 ? 0.6 : 0.05,
      plants: plantsOf(number, options.sessions),
    });
    total.bytes += facts.bytes;
    total.entries += facts.entries;
    total.messages += facts.messages;
  }
  return { folder, facts: { sessions: options.sessions, ...total } };
}

/** The same from a folder of data that is kept between runs. */
export async function keptCorpus(folder: string, options: CorpusOptions): Promise<GeneratedCorpus> {
  const path = join(folder, `corpus-${keyOf(options)}`);
  const facts = await kept(`${path}.facts.json`, async () => {
    return (await writeCorpus(path, options)).facts;
  });
  return { folder: path, facts };
}

type Plants = NonNullable<GeneratorOptions["plants"]>;

function plantsOf(number: number, sessions: number): Plants {
  const isChosen = (kind: keyof typeof PHRASES, shift: number): boolean => {
    const step = Math.max(1, Math.floor(sessions / PLANTED[kind]));
    return number % step === (shift * 7) % step && number < step * PLANTED[kind];
  };
  const plants: Plants[number][] = [];
  if (isChosen("english", 1)) plants.push({ where: "assistant", text: PHRASES.english });
  if (isChosen("chinese", 2))
    plants.push({ where: "assistant", text: `传统${PHRASES.chinese}结构` });
  if (isChosen("tool", 3)) plants.push({ where: "tool", text: PHRASES.tool });
  return plants;
}

/** Changes whenever the generator makes other bytes for the same options. */
const GENERATOR_VERSION = 1;

function keyOf(options: object): string {
  const text = JSON.stringify([GENERATOR_VERSION, options]);
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** The facts file is written last and by rename, so what it speaks of is whole. */
async function kept<T>(path: string, make: () => Promise<T>): Promise<T> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) return JSON.parse(await readFile(path, "utf8")) as T;
  const facts = await make();
  await writeFile(`${path}.new`, JSON.stringify(facts));
  await rename(`${path}.new`, path);
  return facts;
}
