import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryDraft } from "../entry/entry.ts";
import { forkSession } from "../session/fork.ts";
import { Session } from "../session/session.ts";
import { add, newFixture, user } from "../session/testing/session-fixture.ts";
import { goalDraft, type PlanTask, tasksDraft } from "./plan-rows.ts";
import { NO_PLAN, PlanReader, planGate, readPlan } from "./plan-state.ts";
import { createPlanTools, planText } from "./plan-tools.ts";
import { RunJournal } from "./run-journal.ts";
import type { Tool, ToolCallContext } from "./tool.ts";

/** An answer that cost something. */
function answer(total: number): EntryDraft {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost };
  const content = [{ type: "text", text: "a" }];
  return {
    type: "message",
    message: { role: "assistant", content, provider: "p", model: "m", usage },
  };
}

const TASKS: readonly PlanTask[] = [
  { id: "1", text: "read", state: "done" },
  { id: "2", text: "写", state: "open" },
];

test("a plan is what the path says: each branch has its own", async () => {
  const { session } = await newFixture();
  assert.deepEqual(await readPlan(session.store, session.leaf), NO_PLAN);
  const first = await add(session, user("go"));
  await session.append(goalDraft(session.id, { goal: "ship it" }));
  await session.append([tasksDraft(session.id, TASKS), user("on")]);
  const main = session.leaf;
  await session.moveLeaf(first);
  assert.deepEqual(await readPlan(session.store, session.leaf), NO_PLAN);
  await session.append(goalDraft(session.id, { goal: "try otherwise" }));
  const reader = new PlanReader(session.store);
  const other = await reader.at(session.leaf);
  assert.deepEqual([other.goal, other.tasks], ["try otherwise", []]);
  const here = await reader.at(main);
  assert.deepEqual([here.goal, here.tasks], ["ship it", TASKS]);
  assert.deepEqual(await reader.at(null), NO_PLAN);
  assert.deepEqual(await reader.at("nobody"), NO_PLAN);
  await session.append(goalDraft(session.id, { goal: null }));
  assert.equal((await reader.at(session.leaf)).goal, null);
});

test("a budget counts from its entry; at zero a person is asked, a new one starts anew", async () => {
  const { session } = await newFixture();
  const reader = new PlanReader(session.store);
  const gate = async (): Promise<unknown> => planGate(await reader.at(session.leaf));
  await session.append([user("go"), answer(5)]);
  assert.deepEqual(await gate(), { decision: "go" });
  await session.append(goalDraft(session.id, { goal: "g", budget: { cycles: 2, cost: 0.3 } }));
  await session.append(answer(0.1));
  assert.deepEqual(await gate(), { decision: "go" });
  await session.append([user("on"), answer(0.1)]);
  assert.deepEqual(await gate(), { decision: "approval", exhausted: "cycles" });
  const spent = await readPlan(session.store, session.leaf);
  assert.deepEqual([spent.cycles, spent.cost, spent.goal], [2, 0.2, "g"]);
  assert.deepEqual(await reader.at(session.leaf), spent);
  await session.append(goalDraft(session.id, { budget: { cycles: null, cost: 0.2 } }));
  assert.deepEqual(await gate(), { decision: "go" });
  await session.append([answer(0.1), answer(0.1)]);
  assert.deepEqual(await gate(), { decision: "approval", exhausted: "cost" });
  assert.equal((await reader.at(session.leaf)).goal, "g");
  await session.append(goalDraft(session.id, { budget: null }));
  assert.deepEqual(await gate(), { decision: "go" });
});

test("the count is the same for a reader that was kept and for a new one, on any path", async () => {
  const { session } = await newFixture();
  const reader = new PlanReader(session.store);
  await session.append(goalDraft(session.id, { budget: { cycles: 100, cost: null } }));
  const places: (string | null)[] = [];
  for (let turn = 0; turn < 30; turn++) {
    await session.append([user("u"), answer(0.01)]);
    places.push(session.leaf);
    if (turn % 7 === 6) await session.moveLeaf(places[turn - 3] ?? null);
    const kept = await reader.at(session.leaf);
    assert.deepEqual(kept, await readPlan(session.store, session.leaf));
  }
  for (const at of places) assert.deepEqual(await reader.at(at), await readPlan(session.store, at));
});

test("a plan survives a kill, and a copy starts without one", async () => {
  const { store, session, again } = await newFixture();
  const said = await add(session, user("go"));
  await session.append(goalDraft(session.id, { goal: "g", budget: { cycles: 1, cost: null } }));
  await session.append(answer(0.1));
  const other = await again();
  const plan = await readPlan(other.store, other.leaf);
  assert.deepEqual([plan.goal, plan.cycles], ["g", 1]);
  assert.equal(planGate(plan).decision, "approval");
  assert.ok(said);
  const copied = await forkSession({ from: session, store, at: session.position });
  const copy = await Session.attach(copied);
  assert.deepEqual(await readPlan(copy.store, copy.leaf), NO_PLAN);
});

test("rows of any other shape set nothing; a limit that is no number stops at once (P7)", async () => {
  const { session } = await newFixture();
  await session.append(goalDraft(session.id, { goal: "g" }));
  await session.append(tasksDraft(session.id, TASKS));
  const row = (customType: string, data: unknown): EntryDraft => ({
    type: "custom",
    customType,
    data,
  });
  for (const data of [null, { session: "other", goal: "x" }, { session: session.id, goal: 5 }]) {
    await session.append(row("branchline.goal", data));
  }
  await session.append(row("branchline.tasks", { session: session.id, tasks: "x" }));
  const plan = await readPlan(session.store, session.leaf);
  assert.deepEqual([plan.goal, plan.tasks, plan.budget], ["g", TASKS, null]);
  const odd = [null, { id: 1 }, { id: "3", text: "t", state: "lost" }, TASKS[0]];
  await session.append(row("branchline.tasks", { session: session.id, tasks: odd }));
  await session.append(
    row("branchline.goal", { session: session.id, budget: { cycles: "many", cost: -1 } }),
  );
  const odder = await readPlan(session.store, session.leaf);
  assert.deepEqual(odder.tasks, [TASKS[0]]);
  assert.deepEqual(odder.budget, { cycles: 0, cost: 0 });
  assert.equal(planGate(odder).decision, "approval");
});

const CONTEXT: ToolCallContext = {
  callId: "c",
  signal: new AbortController().signal,
  onUpdate: () => undefined,
};

async function tools(): Promise<{
  readonly session: Session;
  readonly goal: Tool;
  readonly tasks: Tool;
}> {
  const { session } = await newFixture();
  const [goal, tasks] = createPlanTools({
    session: session.id,
    read: () => readPlan(session.store, session.leaf),
    append: async (row) => {
      await session.append(row);
    },
  });
  assert.ok(goal && tasks);
  return { session, goal, tasks };
}

test("the model sets its goal and keeps its tasks; a budget is not its own to set", async () => {
  const { session, goal, tasks } = await tools();
  await goal.execute({ goal: " ship it ", budget: { cycles: 9 } }, CONTEXT);
  await tasks.execute({ tasks: TASKS }, CONTEXT);
  const change = { id: "2", text: "写完", state: "done" };
  const more = { id: "3", text: "test", state: "doing" };
  const output = await tasks.execute({ tasks: [more, change] }, CONTEXT);
  const plan = await readPlan(session.store, session.leaf);
  assert.deepEqual([plan.goal, plan.budget], ["ship it", null]);
  assert.deepEqual(plan.tasks, [TASKS[0], change, more]);
  assert.match(JSON.stringify(output.content), /Goal: ship it.*\[doing\] 3: test/);
  await goal.execute({ goal: "" }, CONTEXT);
  assert.equal((await readPlan(session.store, session.leaf)).goal, null);
  await goal.execute({}, CONTEXT);
});

test("calls of one batch each see what the one before wrote", async () => {
  const { session, tasks } = await tools();
  await Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      tasks.execute({ tasks: [{ id: `${n}`, text: "t", state: "open" }] }, CONTEXT),
    ),
  );
  assert.equal((await readPlan(session.store, session.leaf)).tasks.length, 5);
});

test("tasks that are not whole change nothing; there is an upper limit", async () => {
  const { session, tasks } = await tools();
  for (const given of [undefined, [{ id: "1" }], [TASKS[0], 5]]) {
    assert.equal((await tasks.execute({ tasks: given }, CONTEXT)).isError, true);
  }
  const many = Array.from({ length: 201 }, (_, n) => ({ id: `${n}`, text: "t", state: "open" }));
  assert.equal((await tasks.execute({ tasks: many }, CONTEXT)).isError, true);
  assert.deepEqual((await readPlan(session.store, session.leaf)).tasks, []);
});

test("the text of a plan", () => {
  assert.equal(planText(NO_PLAN), "");
  const budget = { cycles: 4, cost: 2 };
  assert.equal(
    planText({ goal: "g", tasks: TASKS, budget, cycles: 1, cost: 0.5 }),
    "Goal: g\n- [done] 1: read\n- [open] 2: 写\nTurns: 1 of 4\nCost: $0.5000 of $2",
  );
});

test("a new reader starts at the count that the last run left; the count is that of the whole path", async () => {
  const { session } = await newFixture();
  const journal = new RunJournal({ session: session.id, run: "r", branch: "main" });
  const budget = { cycles: 100, cost: null };
  await session.append(goalDraft(session.id, { budget }));
  const since = session.leaf ?? "";
  await session.append([user("go"), answer(0), answer(0), journal.end("done", null)]);
  await session.append([answer(0), journal.end("done", { since, cycles: 3 })]);
  const counted = session.leaf ?? "";
  await session.append([user("on"), answer(0)]);
  assert.equal((await readPlan(session.store, session.leaf)).cycles, 4);
  assert.deepEqual(await new PlanReader(session.store).spent(counted), { since, cycles: 3 });
  // What a row says of another budget does not count; a row that is wrong is passed over.
  await session.append(goalDraft(session.id, { budget }));
  await session.append([answer(0), journal.end("done", { since, cycles: 50 })]);
  assert.equal((await readPlan(session.store, session.leaf)).cycles, 1);
  assert.equal(await new PlanReader(session.store).spent(null), null);
});

test("of any number of rows of tasks the newest of the path counts", async () => {
  const { session } = await newFixture();
  const first = await add(session, user("go"));
  for (let at = 0; at < 12; at++) {
    await session.append(tasksDraft(session.id, [{ id: `${at}`, text: "t", state: "open" }]));
  }
  const main = session.leaf;
  await session.moveLeaf(first);
  for (let at = 0; at < 10; at++) await session.append(tasksDraft(session.id, []));
  assert.deepEqual(
    (await readPlan(session.store, main)).tasks.map(({ id }) => id),
    ["11"],
  );
  assert.deepEqual((await readPlan(session.store, session.leaf)).tasks, []);
  assert.deepEqual((await readPlan(session.store, first)).tasks, []);
});
