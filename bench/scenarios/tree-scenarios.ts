import assert from "node:assert/strict";
import { leastAppends, rawAppends } from "../../src/bench/raw-appends.ts";
import {
  messageOf,
  type Outcome,
  repeat,
  type Scenario,
  timed,
  warmUp,
} from "../../src/bench/scenario.ts";
import {
  DRAFTS,
  loaded,
  sessionOf,
  WARM_APPENDS,
} from "../../src/bench/scenarios/session-scenarios.ts";
import { cloneSession } from "../../src/session/fork.ts";
import { Session } from "../../src/session/session.ts";

const branchSwitch: Scenario = {
  id: "branch-switch",
  title: "move the leaf to the middle of the path and back; context after it",
  target: "T11",
  async run(input): Promise<Outcome> {
    const { bench, session } = await loaded(input);
    await using _bench = bench;
    const { middle, leaf } = sessionOf(input).facts;
    const home = (await session.context()).messages.length;
    const context: number[] = [];
    const work = async (round: number): Promise<void> => {
      const target = round % 2 === 0 ? middle : leaf;
      assert.equal((await session.moveLeaf(target)).position, target);
    };
    await warmUp(input, 100, work);
    const raw = rawAppends(input);
    const move = await repeat(input, work);
    raw.push(...rawAppends(input));
    for (let round = 0; round < Math.min(20, input.count); round++) {
      await session.moveLeaf(round % 2 === 0 ? middle : leaf);
      const { value, ms } = await timed(() => session.context());
      assert.ok(round % 2 === 0 ? value.position === middle : value.messages.length === home);
      context.push(ms);
    }
    return { samples: { move, raw, context }, counts: { moves: move.length } };
  },
};

const path: Scenario = {
  id: "path",
  title: "walk the whole path, and its last 50 entries",
  target: "growth",
  async run(input): Promise<Outcome> {
    const { bench, session } = await loaded(input);
    await using _bench = bench;
    const { leaf, pathEntries } = sessionOf(input).facts;
    const walk = async (limit: number): Promise<number> => {
      let entries = 0;
      for await (const entry of session.store.path(leaf, { limit })) entries += entry.id ? 1 : 0;
      return entries;
    };
    const whole = await timed(() => walk(Number.POSITIVE_INFINITY));
    assert.equal(whole.value, pathEntries);
    const last = await repeat({ ...input, count: 50 }, () => walk(50));
    return { samples: { whole: [whole.ms], last50: last }, counts: { entries: whole.value } };
  },
};

/** By copying the bytes of the path, or by reference (`extra.how` "link"). */
const fork: Scenario = {
  id: "fork",
  title: "clone a session into the same store",
  target: "T10",
  async run(input): Promise<Outcome> {
    const { bench, session } = await loaded(input);
    await using _bench = bench;
    const expected = (await session.context()).messages.length;
    const how = input.extra?.how === "link" ? "link" : "copy";
    const { value: made, ms } = await timed(() =>
      cloneSession({ from: session, store: bench.store, how }),
    );
    await using copy = await Session.attach(made);
    assert.equal((await copy.context()).messages.length, expected);
    return { samples: { fork: [ms] }, counts: { entries: copy.tree.size } };
  },
};

/** All appends of one prompt (question, call, result, answer), a context before each request. */
const prompt: Scenario = {
  id: "prompt",
  title: "everything but model and tools for one prompt with one tool call",
  target: "T16",
  async run(input): Promise<Outcome> {
    const { bench, session } = await loaded(input);
    await using _bench = bench;
    await session.context();
    const { size } = session.tree;
    const whole = await repeat(input, async (round) => {
      await session.append(messageOf(400, round));
      await session.context();
      await session.append([messageOf(600, round), messageOf(5000, round)]);
      await session.context();
      await session.append(messageOf(1000, round));
    });
    assert.equal(session.tree.size, size + 4 * whole.length);
    return { samples: { prompt: whole }, counts: { prompts: whole.length } };
  },
};

const burst: Scenario = {
  id: "burst",
  title: "appends of 1 KB that are asked for at the same time",
  target: "T6",
  async run(input): Promise<Outcome> {
    const { bench, session } = await loaded(input);
    await using _bench = bench;
    const together = Number(input.extra?.together ?? 10);
    const drafts = DRAFTS.slice(0, together);
    const work = (): Promise<unknown> => Promise.all(drafts.map((draft) => session.append(draft)));
    const before = await warmUp(input, Math.max(20, WARM_APPENDS / together), work);
    const samples = await repeat(input, work);
    const least = leastAppends(input, drafts);
    const { size } = session.tree;
    assert.equal(size, sessionOf(input).facts.entries + together * (before + samples.length));
    return { samples: { burst: samples, least }, counts: { together } };
  },
};

/** Scenarios about the tree of one session, for every store. */
export const TREE_SCENARIOS: readonly Scenario[] = [branchSwitch, path, fork, prompt, burst];
