import assert from "node:assert/strict";
import { Session } from "../../session/session.ts";
import { BENCH_STORES, type BenchStore } from "../bench-store.ts";
import { openEngine } from "../engine-store.ts";
import { leastAppends, rawAppends } from "../raw-appends.ts";
import {
  type MessageDraft,
  memoryMeter,
  messageOf,
  type Outcome,
  repeat,
  type Scenario,
  type ScenarioInput,
  timed,
  warmUp,
} from "../scenario.ts";
import type { SessionFacts } from "../session-generator.ts";

/** The generated session of an input; a scenario that needs one is never run without. */
export function sessionOf(input: ScenarioInput): NonNullable<ScenarioInput["session"]> {
  assert.ok(input.session, "this scenario needs a session");
  return input.session;
}

/** The store of an input, on its scratch folder. */
export async function storeOf(input: ScenarioInput): Promise<BenchStore> {
  const make = BENCH_STORES[input.store];
  assert.ok(make, `no store is called ${input.store}`);
  return await make(input.scratch, { durability: input.durability, index: input.index });
}

/** What a session must hold that was generated with these facts. */
export function checkSession(session: Session, facts: SessionFacts): void {
  assert.equal(session.tree.size, facts.entries);
  assert.equal(session.leaf, facts.leaf);
}

/** An open session with a private copy of the input's session in it. The caller closes both. */
export async function loaded(
  input: ScenarioInput,
): Promise<{ readonly bench: BenchStore; readonly session: Session }> {
  const bench = await storeOf(input);
  const id = await bench.load(sessionOf(input).path);
  const session = await Session.attach(await bench.store.open(id));
  checkSession(session, sessionOf(input).facts);
  return { bench, session };
}

/**
 * Cold: the file was never opened by this process. `extra.data` is a data root whose index knows the
 * file; `extra.from` "end" opens it from its end, where the rest is looked at afterwards. Memory is what
 * came on top of the library's own.
 */
const open: Scenario = {
  id: "open",
  title: "open a session and build its context, in a new process",
  target: "T1",
  async run(input): Promise<Outcome> {
    const { path, facts } = sessionOf(input);
    const { index } = input;
    await using engine = await openEngine(String(input.extra?.data ?? input.scratch), { index });
    const tailFirst = input.extra?.from === "end";
    const memory = memoryMeter();
    const opening = await timed(async () =>
      Session.attach(await engine.store.openFile(path, { tailFirst })),
    );
    await using session = opening.value;
    const building = await timed(() => session.context());
    const memoryMB = memory();
    await session.store.whenVerified();
    checkSession(session, facts);
    const { messages, tokens, sources } = building.value;
    assert.ok(messages.length > 0);
    const bytes = [...new Set(sources)].map((id) => session.store.placeOf(id));
    const contextBytes = bytes.reduce((sum, at) => sum + (at ? at.byteEnd - at.byteStart : 0), 0);
    return {
      samples: {
        total: [opening.ms + building.ms],
        open: [opening.ms],
        context: [building.ms],
      },
      counts: { messages: messages.length, tokens, contextBytes, memoryMB },
    };
  },
};

/** A session of the user, `extra.path`: opened, read, not written. Nothing is known of it to check. */
const read: Scenario = {
  id: "read",
  title: "open one of your own sessions and build its context, in a new process",
  target: "T1",
  async run(input): Promise<Outcome> {
    await using engine = await openEngine(input.scratch, { index: "off" });
    const memory = memoryMeter();
    const path = String(input.extra?.path);
    const opening = await timed(async () => Session.attach(await engine.store.openFile(path)));
    await using session = opening.value;
    const { value, ms } = await timed(() => session.context());
    const samples = { total: [opening.ms + ms], open: [opening.ms], context: [ms] };
    const [entries, messages] = [session.tree.size, value.messages.length];
    return { samples, counts: { entries, messages, memoryMB: memory() } };
  },
};

/** A writer that has been at work for a while. */
export const WARM_APPENDS = 500;

/** Messages of 1 KB, made before anything is measured. */
export const DRAFTS: readonly MessageDraft[] = Array.from({ length: 100 }, (_, number) =>
  messageOf(1000, number),
);

const append: Scenario = {
  id: "append",
  title: "append 1 KB",
  target: "T4",
  async run(input): Promise<Outcome> {
    const { bench, session } = await loaded(input);
    await using _bench = bench;
    const size = session.tree.size;
    const work = (round: number): Promise<unknown> =>
      session.append(DRAFTS[round % DRAFTS.length] as MessageDraft);
    const before = await warmUp(input, WARM_APPENDS, work);
    const raw = rawAppends(input);
    const append = await repeat(input, work);
    raw.push(...rawAppends(input));
    const least = leastAppends(input, DRAFTS.slice(0, 1));
    assert.equal(session.tree.size, size + before + append.length);
    const eighth = Math.max(1, append.length >> 3);
    const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
    const growth = sum(append.slice(-eighth)) / sum(append.slice(0, eighth));
    return { samples: { append, raw, least }, counts: { appends: append.length, growth } };
  },
};

const hotContext: Scenario = {
  id: "hot-context",
  title: "context after an append",
  target: "T7",
  async run(input): Promise<Outcome> {
    const { bench, session } = await loaded(input);
    await using _bench = bench;
    let before = (await session.context()).messages.length;
    const context: number[] = [];
    const append = await repeat(input, async (round) => {
      await session.append(messageOf(500, round));
      const { value, ms } = await timed(() => session.context());
      assert.equal(value.messages.length, ++before);
      context.push(ms);
    });
    return { samples: { context }, counts: { rounds: append.length, messages: before } };
  },
};

/** Scenarios of one session that the command line measures too. */
export const SESSION_SCENARIOS: readonly Scenario[] = [open, read, append, hotContext];
