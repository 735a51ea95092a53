import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, calling, newFixture, user } from "../session/testing/session-fixture.ts";
import { refused } from "../store/testing/expect.ts";
import { planResume, readTail } from "./resume-plan.ts";
import { RunJournal } from "./run-journal.ts";
import { RunLog } from "./run-log.ts";
import { readRunState } from "./run-state.ts";

test("a run that meets foreign messages goes on on a branch of its own, and is resumed there (P6, F096)", async () => {
  const { session, again } = await newFixture();
  const journal = new RunJournal({ session: session.id, run: "r", branch: "main" });
  const lock = await session.store.lockRun("main");
  const told: (string | null)[] = [];
  const moved = (branch: string) => journal.moved(branch);
  const log = new RunLog(session, lock, {
    moved,
    told: async ({ leaf }) => void told.push(leaf),
  });
  await log.append([journal.start(), user("go")]);
  const other = await again();
  await other.setLabel(session.leaf ?? "", "no matter");
  await log.append([calling("c1")]);
  assert.equal(session.branch, "main");
  await other.append([user("foreign"), assistant("words")]);
  await log.append([journal.calls("m", [])]);
  assert.notEqual(session.branch, "main");
  assert.deepEqual(log.branches, ["main", session.branch]);
  assert.equal(told.length, 1);
  // One commit: no crash leaves the branch without the row that says who is on it.
  const row = await session.store.mustGet(told[0] ?? "");
  const marker = session.tree.get(row.id)?.parent;
  assert.equal(marker?.id, session.branch);
  for (const branch of log.branches) {
    await refused("RUN_ACTIVE", () => other.store.lockRun(branch));
  }
  const state = await readRunState(session.store);
  assert.equal(state.openOn("main"), null);
  const run = state.openOn(session.branch);
  assert.ok(run);
  const plan = planResume(run, await readTail(session.store, run));
  assert.deepEqual(plan.action === "calls" && plan.calls.map(({ step }) => step.kind), ["begin"]);
  await log.release();
  await (await other.store.lockRun("main")).release();
});
