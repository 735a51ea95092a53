import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Entry } from "../../src/entry/entry.ts";
import type { Block } from "../../src/entry/message.ts";
import { DurableQueues } from "../../src/harness/durable-queues.ts";
import { readRunState } from "../../src/harness/run-state.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { KillSteps } from "../builders/kill-steps.ts";
import { seededRandom } from "../builders/seeded.ts";
import { BATCHES, goOn, openScene, PROMPT, SPOKEN, WAITING } from "./harness-kill-scene.ts";

const PROGRAM = join(import.meta.dirname, "harness-kill-process.ts");
/** Only each n-th kill point; default: all of them. */
const STRIDE = Number(process.env.KILL_STRIDE ?? 4);
/** How many runs are killed once more while they go on. */
const TWICE = Number(process.env.KILL_TWICE ?? 24);
const SEED = Number(process.env.SEED ?? Date.now() % 0x7fffffff);
/** A run that finds no end is a failure too. */
const PATIENCE = { timeout: 600_000 };
const CALLS: readonly string[] = BATCHES.flat();

const root: string = mkdtempSync(join(tmpdir(), "branchline-kill-"));
let template = "";

before(async () => {
  await using store = createJsonlStore({ root });
  await using session = await Session.attach(await store.create({ id: "s", cwd: "/p" }));
  const queues = await DurableQueues.load(session);
  await queues.add("steer", WAITING.steer);
  await queues.add("followUp", WAITING.followUp);
  await queues.add("nextTurn", WAITING.nextTurn);
  template = session.file ?? "";
});

after(() => rmSync(root, { recursive: true }));

interface Place {
  readonly folder: string;
  readonly file: string;
  readonly effects: string;
}

let places = 0;

function newPlace(): Place {
  const folder = join(root, `place-${places++}`);
  mkdirSync(folder);
  const file = join(folder, "s.jsonl");
  copyFileSync(template, file);
  return { folder, file, effects: join(folder, "effects") };
}

/** Runs the program; gives the names of its steps, or null where it was killed. */
async function run(mode: "run" | "resume", place: Place, step: number): Promise<string[] | null> {
  const args = ["--disable-warning=ExperimentalWarning", PROGRAM, mode, place.file, place.effects];
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, "compiled"), NODE_OPTIONS: "" };
  const child = spawn(process.execPath, [...args, `${step}`], { env });
  let said = "";
  let complaint = "";
  child.stdout.on("data", (bytes) => {
    said += bytes;
  });
  child.stderr.on("data", (bytes) => {
    complaint += bytes;
  });
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals | null>();
  child.on("close", (_code, signal) => resolve(signal));
  if ((await promise) === "SIGKILL") return null;
  assert.equal(complaint, "", `${mode} ${step}`);
  return JSON.parse(said) as string[];
}

function lines(effects: string): readonly string[] {
  return existsSync(effects) ? readFileSync(effects, "utf8").trimEnd().split("\n") : [];
}

/** Everything that has to hold when nothing is left to do. */
async function check(place: Place, what: string): Promise<void> {
  await using store = createJsonlStore({ root: "/nonexistent" });
  await using session = await Session.attach(await store.openFile(place.file));
  const did = lines(place.effects);
  for (const id of CALLS) {
    const times = did.filter((line) => line === `did ${id}`).length;
    if (id.startsWith("safe")) assert.ok(times >= 1, `${what}: ${id} did not run`);
    else assert.ok(times <= 1, `${what}: ${id} ran ${times} times`);
  }
  const { tree, store: opened } = session;
  const path = await opened.getAll(tree.path(session.leaf).map(({ id }) => id));
  checkPeople(path, did, what);
  checkCalls(path, what);
  assert.deepEqual((await DurableQueues.load(session)).list(), [], `${what}: something waits`);
  assert.deepEqual((await readRunState(opened)).open, [], `${what}: a run is open`);
  assert.equal(tree.branches().length, 1, `${what}: branches`);
  assert.deepEqual(session.store.problems, [], what);
  const { messages } = await session.context();
  assert.ok(!JSON.stringify(messages).includes('"synthetic"'), `${what}: a result is missing`);
  assert.equal(messages.at(-1)?.role, "assistant", `${what}: no last answer`);
}

function messagesOf(path: readonly Entry[], role: string): readonly Record<string, unknown>[] {
  return path.flatMap((entry) => {
    const { message } = entry as { readonly message?: Record<string, unknown> };
    return entry.type === "message" && message?.role === role ? [message] : [];
  });
}

function checkPeople(path: readonly Entry[], did: readonly string[], what: string): void {
  const said = messagesOf(path, "user").map(({ content }) => content);
  for (const text of [PROMPT, ...Object.values(WAITING)]) {
    assert.equal(said.filter((one) => one === text).length, 1, `${what}: ${text}`);
  }
  const spoken = said.filter((text) => text === SPOKEN).length;
  const acknowledged = did.filter((line) => line === `acknowledged ${SPOKEN}`).length;
  // A process that was killed before the answer speaks again in the next one only if the call is made there.
  assert.ok(spoken >= acknowledged && spoken <= 1 + acknowledged, `${what}: ${SPOKEN}`);
}

function checkCalls(path: readonly Entry[], what: string): void {
  const answers = messagesOf(path, "assistant").flatMap(({ content }) => content as Block[]);
  const called = answers.flatMap((block) =>
    block.type === "toolCall" && "id" in block ? [String(block.id)] : [],
  );
  assert.deepEqual(called.toSorted(), CALLS.toSorted(), what);
  const results = messagesOf(path, "toolResult");
  const answered = results.map(({ toolCallId }) => String(toolCallId));
  assert.deepEqual(answered, called, `${what}: results in the order of the calls`);
  const interrupted = results.filter(({ isError }) => isError === true);
  assert.ok(
    interrupted.every(({ toolName }) => toolName === "pay"),
    `${what}: a safe call failed`,
  );
}

/** Two at a time: the machines that test have two cores. */
async function inPairs<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all([worker(), worker()]);
}

async function resumeHere(place: Place): Promise<void> {
  const scene = await openScene({ ...place, steps: new KillSteps(0) });
  await goOn(scene);
  await scene.harness.close();
  await scene.store.close();
}

/** Every one, or each n-th from a place that the seed decides. */
function chosen(count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, at) => at + 1);
  const first = seededRandom(SEED)(STRIDE);
  return all.filter((at) => at % STRIDE === first);
}

test(
  "kill -9 at every awaited step of a run: complete after resume, nothing done twice (F094, F096)",
  PATIENCE,
  async (context) => {
    const whole = newPlace();
    const names = await run("run", whole, 0);
    assert.ok(names !== null);
    await check(whole, "without a kill");
    const points = chosen(names.length);
    context.diagnostic(`seed ${SEED}: ${points.length} of ${names.length} kill points`);
    let killed = 0;
    await inPairs(points, async (step) => {
      const place = newPlace();
      // A step is a little earlier or later in each process; the last ones may not be reached.
      if ((await run("run", place, step)) === null) killed++;
      await resumeHere(place);
      await check(place, `killed at ${step} (${names[step - 1]})`);
      rmSync(place.folder, { recursive: true });
    });
    context.diagnostic(`${killed} processes were killed`);
    assert.ok(killed > points.length * 0.9);
  },
);

test(
  "kill -9 while a killed run goes on, wherever both fall: the same (F094, F096)",
  PATIENCE,
  async (context) => {
    const whole = newPlace();
    const names = (await run("run", whole, 0)) ?? [];
    const random = seededRandom(SEED + 1);
    const pairs = Array.from({ length: TWICE }, () => {
      const first = random(names.length) + 1;
      // What is left is about as long as what was not done.
      return { first, second: random(names.length - first + 60) + 1 };
    });
    let killed = 0;
    await inPairs(pairs, async ({ first, second }) => {
      const place = newPlace();
      await run("run", place, first);
      if ((await run("resume", place, second)) === null) killed++;
      await resumeHere(place);
      await check(place, `killed at ${first}, then at ${second}, seed ${SEED}`);
      rmSync(place.folder, { recursive: true });
    });
    context.diagnostic(`seed ${SEED}: ${killed} of ${pairs.length} were killed twice`);
    assert.ok(killed > 0 || TWICE === 0);
  },
);
