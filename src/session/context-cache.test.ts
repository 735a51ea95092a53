import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CountingSource } from "../../test/builders/counting-source.ts";
import { project } from "../projection/context.ts";
import { ContextCache } from "./context-cache.ts";
import { pathSteps } from "./path-context.ts";
import type { Session } from "./session.ts";
import {
  add,
  assistant,
  calling,
  compaction,
  type Fixture,
  newFixture,
  raw,
  result,
  talk,
  user,
} from "./testing/session-fixture.ts";

type Step = readonly [kind: string, pick: number];

/** Counts the payloads that a handle reads from here on. */
function countReads({ store }: Session): { count: number } {
  const reads = { count: 0 };
  const getAll = store.getAll.bind(store);
  store.getAll = async (ids) => {
    reads.count += ids.length;
    return getAll(ids);
  };
  return reads;
}

async function assertRebuilt(session: Session): Promise<void> {
  const context = await session.context();
  const path = await pathSteps(session.store, session.leaf);
  const { entries, messages, sources, tokens, gaps, ...rest } = context;
  const { model, thinkingLevel, activeTools } = rest;
  const settings = { model, thinkingLevel, activeTools };
  const own = { entries, messages, sources, ...settings, tokens, gaps };
  const whole = project(path, session.id);
  assert.deepEqual(own, whole);
  assert.equal(JSON.stringify(own), JSON.stringify(whole));
}

async function perform(session: Session, [kind, pick]: Step): Promise<unknown> {
  const ids = [...session.tree.entries()].map(({ id }) => id);
  const some = ids[pick % Math.max(1, ids.length)] ?? "none";
  switch (kind) {
    case "user":
      return session.append([user(`u${pick}`), assistant("a")]);
    case "call":
      return session.append(calling(`c${pick % 3}`, `d${pick % 2}`));
    case "result":
      return session.append(result(`c${pick % 3}`));
    case "compaction":
      return session.append(compaction(some));
    case "thinking":
      return session.append({ type: "thinking_level_change", thinkingLevel: `t${pick % 3}` });
    case "label":
      return session.setLabel(some, `l${pick}`);
    case "hide":
      return session.hide(some);
    case "move":
      return session.moveLeaf(some);
    case "uncompact":
      return session.uncompact();
    default:
      return session.undo();
  }
}

const KINDS = ["user", "user", "call", "result", "result", "compaction", "thinking"];
const MOVES = ["label", "hide", "move", "uncompact", "undo"];

test("P8: whatever two handles do, each context is the one that is made anew", async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 0x7fffffff);
  console.log(`seed ${seed}`);
  const step = fc.tuple(fc.constantFrom(...KINDS, ...MOVES), fc.nat(60));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const fixture: Fixture = await newFixture();
      const handles = [fixture.session, await fixture.again()] as const;
      for (const [kind, pick] of steps) {
        const session = pick % 5 === 0 ? handles[1] : handles[0];
        // What is refused (nothing to undo, no such target) changes nothing.
        await perform(session, [kind, pick]).catch(() => undefined);
        await assertRebuilt(session);
      }
      for (const session of handles) {
        await session.refresh();
        await assertRebuilt(session);
      }
    }),
    { seed, numRuns: 250 },
  );
});

test("the context after an append reads the new entries alone", async () => {
  const { session } = await newFixture();
  await talk(session, 50);
  await session.context();
  const reads = countReads(session);
  await add(session, user("next"));
  const { messages } = await session.context();
  assert.equal(messages.length, 101);
  assert.equal(reads.count, 1);
  await session.context();
  await session.setLabel(session.leaf ?? "", "x");
  await session.context();
  assert.equal(reads.count, 2);
});

test("a look at another place does not drive the context at the leaf out", async () => {
  const { session } = await newFixture();
  const [u1] = await talk(session, 20);
  await session.context();
  const reads = countReads(session);
  await session.context({ at: u1 ?? null });
  await session.context({ at: null });
  await session.context({ raw: true });
  const other = reads.count;
  await session.context();
  assert.equal(reads.count, other);
});

test("P7: a parent that comes late changes the path, so the context is made anew", async () => {
  const entries = [raw("a", null, user("a")), raw("c", "b", user("c"))];
  const source = new CountingSource("s1", entries);
  const cache = new ContextCache(source);
  assert.deepEqual((await cache.at("c")).entries, ["a", "c"]);
  source.add(raw("b", "a", user("b")));
  const context = await cache.at("c");
  assert.deepEqual(context.entries, ["a", "b", "c"]);
  assert.deepEqual(context.gaps, []);
});

test("questions at once give one answer, also while the session grows", async () => {
  const { session } = await newFixture();
  await talk(session, 5);
  await session.context();
  for (let turn = 0; turn < 5; turn++) {
    await add(session, user(`t${turn}`));
    const made = await Promise.all([session.context(), session.context(), session.context()]);
    for (const each of made) assert.deepEqual(each, made[0]);
    await assertRebuilt(session);
  }
});
