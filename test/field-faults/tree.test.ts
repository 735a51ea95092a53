/** Faults of the tree that were seen in the field, each with what is right instead. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../../src/errors.ts";
import { forkSession } from "../../src/session/fork.ts";
import { Session } from "../../src/session/session.ts";
import {
  add,
  assistant,
  calling,
  newFixture,
  result,
  talk,
  texts,
  user,
} from "../../src/session/testing/session-fixture.ts";
import {
  MemoryMachine,
  piHeader,
  piLine,
  say,
} from "../../src/store/jsonl/testing/memory-fixture.ts";

const PATH = "/data/s.jsonl";

function machineWith(content: Uint8Array | string): MemoryMachine {
  const machine = new MemoryMachine();
  machine.fs.place("/data", "directory");
  machine.fs.place(PATH, "file", content);
  return machine;
}

test("F041: wherever a file is cut, the leaf is an entry that stands in it", async () => {
  const whole = Buffer.from(
    `${piHeader("s")}${piLine("a", null, "one")}${piLine("b", "a", "two")}${piLine("c", "b", "three")}`,
  );
  for (let length = piHeader("s").length; length <= whole.length; length++) {
    await using store = machineWith(whole.subarray(0, length)).store();
    await using session = await store.open("s");
    const leaf = session.tree.leaf();
    assert.ok(leaf === null ? session.tree.size === 0 : session.tree.has(leaf), `cut at ${length}`);
  }
});

test("F043: what rebuilds a file keeps every parent, also of what was appended after a move back", async () => {
  const machine = machineWith(
    `${piHeader("s")}${piLine("a", null, "one")}${piLine("b", "a", "two")}`,
  );
  await using store = machine.store();
  const session = await Session.attach(await store.open("s"));
  await session.moveLeaf("a");
  await session.append(say("three"));
  const parents = (tree: Session["tree"]): readonly (string | null)[] =>
    Array.from(tree.entries(), ({ parent }) => parent?.id ?? null);
  const before = parents(session.tree);
  await session.close();
  const moved = await store.relocate(PATH, "/elsewhere");
  await using again = await store.openFile(moved);
  assert.deepEqual(parents(again.tree), before);
});

test("F044: rows that are no messages lie on the path and fork nothing", async () => {
  const { session, again } = await newFixture();
  const [first = ""] = await talk(session, 1);
  await session.setLabel(first, "label");
  await add(session, { type: "custom", customType: "progress", data: { percent: 1 } });
  await session.rename("name");
  await talk(session, 1, "later ");
  assert.deepEqual(await texts(await again()), ["u1", "a1", "later u1", "later a1"]);
  assert.equal(session.branches().length, 1);
});

test("F045: an id is used once: refused where it is written again, reported where it is read (M4)", async () => {
  const { session } = await newFixture();
  const [first = ""] = await talk(session, 1);
  await assert.rejects(session.append({ ...user("again"), id: first }), (error) =>
    BranchlineError.is(error, "ENTRY_INVALID"),
  );
  const lines = [piLine("a", null, "one"), piLine("b", "a", "two"), piLine("a", "b", "again")];
  await using store = machineWith(`${piHeader("s")}${lines.join("")}`).store();
  await using read = await store.open("s");
  assert.deepEqual(
    read.problems.map(({ code, entryId }) => [code, entryId]),
    [["ID_DUPLICATE", "a"]],
  );
  assert.equal(read.tree.leaf(), "b");
});

test("F046: results that come at the same time all lie on the path of their call", async () => {
  const { session, again } = await newFixture();
  await add(session, user("go"));
  await add(session, calling("c1", "c2", "c3"));
  await Promise.all(["c3", "c1", "c2"].map((id) => add(session, result(id, `result ${id}`))));
  const read = await texts(await again());
  for (const id of ["c1", "c2", "c3"]) assert.ok(read.includes(`result ${id}`), id);
  assert.equal(session.branches().length, 1);
});

test("F047: a second attempt hangs under the question of the first one", async () => {
  const { session } = await newFixture();
  const question = await add(session, user("question"));
  const failed = await add(session, assistant("failed"));
  await session.moveLeaf(question);
  const second = await add(session, assistant("second"));
  const above = session.tree.path(second).map(({ id }) => id);
  assert.ok(above.includes(question) && !above.includes(failed));
  assert.deepEqual(await texts(session), ["question", "second"]);
});

test("F048 F049: the leaf is what was recorded, however long other branches are (M1)", async () => {
  const { session, again } = await newFixture();
  const [first = ""] = await talk(session, 5);
  await session.moveLeaf(first);
  assert.deepEqual(await texts(await again()), ["u1"]);
  assert.equal((await again()).position, first);
  await add(session, assistant("other"));
  assert.deepEqual(await texts(await again()), ["u1", "other"]);
});

test("F050: a result lands on the branch of its call, though somebody else has moved on", async () => {
  const { session, again } = await newFixture();
  const question = await add(session, user("question"));
  const call = await add(session, calling("c1"));
  const other = await again();
  await other.moveLeaf(question);
  await add(other, user("elsewhere"));
  const answer = await add(session, result("c1", "done"));
  assert.equal(session.tree.get(answer)?.parent?.id, call);
  assert.deepEqual(await texts(session), ["question", "", "done"]);
  assert.deepEqual(await texts(other), ["question", "elsewhere"]);
});

test("F051: a branch at an open call gets its result completed, and the leaf is read at the commit", async () => {
  const { session, again } = await newFixture();
  await add(session, user("question"));
  const call = await add(session, calling("c1"));
  const { messages } = await session.context();
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["user", "assistant", "toolResult"],
  );
  const other = await again();
  await add(other, result("c1"));
  await assert.rejects(session.append(user("late"), { expectedLeaf: call }), (error) =>
    BranchlineError.is(error, "STORE_CONFLICT"),
  );
  await add(session, user("then"));
  assert.deepEqual(await texts(session), ["question", "", "done", "then"]);
});

test("F052: the context of a handle is that of the place where its next append goes", async () => {
  const { session, again } = await newFixture();
  const [first = ""] = await talk(session, 2);
  const other = await again();
  await other.moveLeaf(first);
  for (const handle of [session, other]) {
    await handle.refresh();
    const before = await texts(handle);
    await add(handle, user("next"));
    assert.deepEqual(await texts(handle), [...before, "next"]);
  }
});

test("F053: a fork after a move back holds nothing of what was left", async () => {
  const { session, store } = await newFixture();
  const [first = ""] = await talk(session, 3);
  await session.moveLeaf(first);
  await using fork = await forkSession({ from: session, at: session.leaf, store });
  assert.deepEqual(await texts(await Session.attach(fork)), ["u1"]);
});

test("F054 F055: an edit holds on the path it was made on, and leaks into no other branch", async () => {
  const { session, again } = await newFixture();
  const [root = "", answer = ""] = await talk(session, 1);
  await session.moveLeaf(answer);
  const left = await again();
  const right = await again();
  const at = await right.createBranch("right", answer);
  await right.moveToBranch(at);
  await right.hide(root);
  await right.replace(answer, "changed");
  assert.deepEqual(await texts(right), ["changed"]);
  await left.moveLeaf(answer);
  assert.deepEqual(await texts(left), ["u1", "a1"]);
});

test("F056: every fork has an id of its own, though nothing was added", async () => {
  const { session, store } = await newFixture();
  await talk(session, 1);
  const ids = new Set([session.id]);
  for (let count = 0; count < 3; count++) {
    const fork = await forkSession({ from: session, at: session.leaf, store });
    ids.add(fork.id);
    await fork.close();
  }
  assert.equal(ids.size, 4);
});

test("F057: to open a session again runs nothing and writes nothing (P10)", async () => {
  const machine = machineWith(
    `${piHeader("s")}${piLine("a", null, "one")}${piLine("b", "a", "two")}`,
  );
  await using store = machine.store();
  const before = machine.fs.text(PATH);
  for (let count = 0; count < 3; count++) {
    await using session = await Session.attach(await store.open("s"));
    await session.context();
  }
  assert.equal(machine.fs.text(PATH), before);
});

test("F058: siblings and their children never come into the context", async () => {
  const { session } = await newFixture();
  const root = await add(session, user("root"));
  const tips: string[] = [];
  for (const name of ["a", "b", "c"]) {
    await session.moveLeaf(root);
    await add(session, assistant(name));
    tips.push(await add(session, user(`${name} on`)));
  }
  for (const [at, name] of ["a", "b", "c"].entries()) {
    assert.deepEqual(await texts(session, tips[at] ?? ""), ["root", name, `${name} on`]);
  }
});

test("F059: a fork holds what others have written since this handle read last", async () => {
  const { session, store, again } = await newFixture();
  await talk(session, 1);
  const other = await again();
  await talk(other, 1, "new ");
  await session.refresh();
  const fork = await forkSession({ from: session, at: session.leaf, store });
  assert.deepEqual(await texts(await Session.attach(fork)), ["u1", "a1", "new u1", "new a1"]);
});
