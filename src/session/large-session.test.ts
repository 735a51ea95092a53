import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { cloneSession } from "./fork.ts";
import { checkSession } from "./fsck.ts";
import { resolveRevision } from "./revision.ts";
import { resolveRange } from "./revision-range.ts";
import { assistant, newFixture, raw, user } from "./testing/session-fixture.ts";

const LENGTH = 100_000;
/** Far above what linear work takes here, far below what quadratic work would. */
const LIMIT_MS = 20_000;

function chain(): Entry[] {
  return Array.from({ length: LENGTH }, (_, index) =>
    raw(
      `e${index}`,
      index === 0 ? null : `e${index - 1}`,
      index % 2 === 0 ? user("u") : assistant("a"),
    ),
  );
}

test("every operation on a chain of 100,000 entries is linear at most", async () => {
  const { session, store } = await newFixture(chain());
  const start = performance.now();
  const middle = `e${LENGTH / 2}`;
  await session.moveLeaf(middle);
  await session.append(user("B"));
  await session.select("e2");
  await session.setLabel(middle, "middle");
  await session.hide("e1");
  await session.undo();
  await session.undo();
  await session.redo();
  assert.equal(await resolveRevision(session, `main~${LENGTH - 1}`), "e0");
  assert.equal((await resolveRange(session, "e1..main")).right.length, LENGTH - 2);
  assert.deepEqual((await resolveRange(session, "forks")).right, ["e1", middle]);
  assert.equal((await checkSession(session.store)).ok, true);
  await session.moveToBranch("main");
  assert.equal((await session.context()).messages.length, LENGTH);
  const clone = await cloneSession({ from: session, store });
  assert.equal(clone.tree.size, LENGTH + 1);
  const elapsed = performance.now() - start;
  assert.ok(elapsed < LIMIT_MS, `took ${Math.round(elapsed)} ms`);
});
