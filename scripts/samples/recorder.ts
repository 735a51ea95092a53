/**
 * What the recordings run on: the engine with real files, the offline model and real tools, on a clock and a
 * source of ids that are the same in every recording.
 */
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createHarness, type Harness } from "../../src/harness/harness.ts";
import type { HarnessOptions } from "../../src/harness/harness-options.ts";
import { STANDARD_PROMPT, standardTools } from "../../src/harness/standard-agent.ts";
import type { Tool } from "../../src/harness/tool.ts";
import { type Clock, systemClock } from "../../src/io/clock.ts";
import { createNodeFileSystem } from "../../src/io/node-file-system.ts";
import { type Random, systemRandom } from "../../src/io/random.ts";
import { SqliteLock } from "../../src/io/sqlite-lock.ts";
import { NodeWorkspace } from "../../src/local/node-workspace.ts";
import { createOfflineModel } from "../../src/model/offline-model.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore, type JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";

/** The folder that stands in the recorded files, whatever machine made them. */
export const NEUTRAL_FOLDER = "/home/you/branchline";
/** A copy of some of our documents, frozen so that a recording made again reads the same. */
const DOCUMENTS = path.join(import.meta.dirname, "workspace");
/** What a person says, and the tools that it makes the offline model call. */
export type Line = readonly [text: string, ...tools: readonly string[]];

/** Time between two words of an answer, in ms. */
const WORD_MS = 15;

/** How one sample is recorded. */
export interface Recording {
  /** Name of the file, without `.jsonl`. */
  readonly name: string;
  readonly seed: number;
  /** Time of the first entry, ISO 8601. */
  readonly start: string;
  /** Empty folder that the session, its locks and the workspace may use. */
  readonly scratch: string;
}

/** Wall time that moves only when something is said to take time, or is looked at (1 ms). */
export class RecordedClock implements Clock {
  #now: number;

  constructor(start: string) {
    this.#now = Date.parse(start);
  }

  now(): number {
    return this.#now++;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  async sleep(ms: number): Promise<void> {
    this.advance(ms);
  }

  schedule(ms: number, callback: () => void): () => void {
    return systemClock.schedule(ms, callback);
  }

  /** Lets time pass, in ms. */
  advance(ms: number): void {
    this.#now += Math.round(ms);
  }
}

/** Ids that look random and are the same for a seed (xorshift32). */
export function seededBytes(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) | 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return {
    bytes: (length) => Uint8Array.from({ length }, () => next() >>> 24),
    float: () => next() / 2 ** 32,
  };
}

/** What a recorder may have besides the offline model and the standard tools. */
export interface RecorderOptions extends Pick<HarnessOptions, "compaction"> {
  /** Tokens of the model's window; default that of the offline model. */
  readonly contextWindow?: number;
  /** Makes further tools for the workspace folder. */
  readonly tools?: (folder: string) => readonly Tool[];
}

/** A session that is being recorded. The caller closes it. */
export class Recorder implements AsyncDisposable {
  readonly clock: RecordedClock;
  readonly session: Session;
  readonly harness: Harness;
  /** The folder that the tools see. */
  readonly folder: string;
  readonly #store: JsonlStore;

  private constructor(
    parts: Pick<Recorder, "clock" | "session" | "harness" | "folder">,
    store: JsonlStore,
  ) {
    this.clock = parts.clock;
    this.session = parts.session;
    this.harness = parts.harness;
    this.folder = parts.folder;
    this.#store = store;
  }

  /** Begins a session with the copied documents as its workspace. */
  static async open(recording: Recording, options: RecorderOptions = {}): Promise<Recorder> {
    const { scratch, seed, start } = recording;
    const folder = path.join(scratch, "workspace");
    cpSync(DOCUMENTS, folder, { recursive: true });
    const clock = new RecordedClock(start);
    const random = seededBytes(seed);
    const store = recordedStore(scratch, clock, random);
    const session = await Session.attach(await store.create({ cwd: NEUTRAL_FOLDER }), {
      clock,
      random,
    });
    const { contextWindow, tools = () => [], ...rest } = options;
    const pace = (): Promise<void> => clock.sleep(WORD_MS);
    const models = createOfflineModel({
      ...{ pace, now: () => clock.now() },
      ...(contextWindow === undefined ? {} : { contextWindow }),
    });
    const workspace = new NodeWorkspace({ root: folder });
    const harness = await createHarness({
      ...{ session, models, clock, random, ...rest },
      model: { provider: "offline", modelId: "offline-1" },
      tools: [...standardTools({ session, workspace }), ...tools(folder)],
      systemPrompt: STANDARD_PROMPT,
      // One after the other: which call ends first would be left to chance.
      toolExecution: "sequential",
    });
    harness.subscribe((event) => {
      if (event.type === "tool_execution_start") clock.advance(60 + 40 * event.name.length);
      if (event.type === "turn_start") clock.advance(700);
    });
    return new Recorder({ clock, session, harness, folder }, store);
  }

  /** Where the session's file is. */
  get file(): string {
    return this.session.file ?? "";
  }

  /**
   * A person thinks, types and sends; resolves when the run has settled. Throws where other tools were called
   * than the named ones: the offline model follows keywords, so that a word too much asks for something else.
   */
  async say(text: string, ...tools: readonly string[]): Promise<void> {
    this.clock.advance(9000 + 140 * Math.min(text.length, 400));
    const called: string[] = [];
    const stop = this.harness.subscribe((event) => {
      if (event.type === "tool_execution_start") called.push(event.name);
    });
    const { outcome } = await this.harness.prompt(text);
    stop();
    if (outcome === "done" && called.join() === tools.join()) return;
    throw new TypeError(`${outcome} after ${called.join(", ") || "no call"}: ${text}`);
  }

  /** A person looks and decides. */
  pause(seconds: number): void {
    this.clock.advance(seconds * 1000);
  }

  /** The entry that one stands at, without our own markers. */
  get here(): string {
    const { position } = this.session;
    if (position === null) throw new TypeError("nothing was said yet");
    return position;
  }

  /** The last message of a person on the path. */
  get question(): string {
    for (const at of this.session.tree.ancestors(this.session.leaf)) {
      if (at.role === "user") return at.id;
    }
    throw new TypeError("nothing was asked yet");
  }

  async label(text: string, target: string = this.here): Promise<void> {
    this.pause(4);
    await this.session.setLabel(target, text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.harness.close();
    await this.session.close();
    await this.#store.close();
  }
}

/** Locks draw their own randomness, so that a wait for one never changes an id. */
function recordedStore(scratch: string, clock: Clock, random: Random): JsonlStore {
  const root = path.join(scratch, "data");
  mkdirSync(root, { recursive: true });
  const fileSystem = createNodeFileSystem();
  return createJsonlStore({
    ...{ root, clock, random },
    makeLock: (place) =>
      new SqliteLock({ fileSystem, clock: systemClock, random: systemRandom, path: place }),
  });
}

/** The bytes of a recorded session; throws where a place of this machine is in them. */
export function recordedBytes(file: string, scratch: string): Buffer {
  const bytes = readFileSync(file);
  if (bytes.includes(scratch))
    throw new TypeError(`${path.basename(file)} names a place of this machine`);
  return bytes;
}
