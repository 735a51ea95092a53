import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BranchlineError } from "../errors.ts";
import type { Session } from "./session.ts";
import {
  add,
  assistant,
  compaction,
  newFixture,
  raw,
  talk,
  texts,
  user,
} from "./testing/session-fixture.ts";

const nothing = (code: "NOTHING_TO_UNDO" | "NOTHING_TO_REDO") => (error: unknown) =>
  BranchlineError.is(error, code);

/** What operations change; our own state and rows do not count as a place. */
async function stateOf(session: Session): Promise<unknown> {
  const { messages, model, thinkingLevel, activeTools } = await session.context();
  const path = [...session.tree.ancestors(session.leaf)];
  const named = session.branches().filter(({ kind, name }) => kind === "branch" && name !== null);
  return {
    context: { messages, model, thinkingLevel, activeTools },
    branch: session.branch,
    place: path.find(({ role }) => role !== null)?.id ?? null,
    labels: Object.fromEntries([...session.tree.labels()].map(([id, { label }]) => [id, label])),
    name: session.tree.name(),
    branches: named.map(({ id, name, archived }) => [id, name, archived]),
  };
}

test("undo takes back label, name, edit, move, branch in turn; redo brings each back", async () => {
  const { session } = await newFixture();
  const [u1, a1, , a2] = await talk(session, 2);
  const steps: (() => Promise<unknown>)[] = [
    () => session.setLabel(u1 ?? "", "one"),
    () => session.setLabel(u1 ?? "", "two"),
    () => session.setLabel(u1 ?? "", null),
    () => session.rename("name"),
    () => session.rename(null),
    () => session.hide(a1 ?? ""),
    () => session.replace(a1 ?? "", "shorter"),
    () => session.unhide(a1 ?? ""),
    () => session.createBranch("方案 B", a1 ?? null),
    () => session.renameBranch("方案 B", "plan b"),
    () => session.archiveBranch("plan b"),
    () => session.unarchiveBranch("plan b"),
    () => session.renameBranch("main", "trunk"),
    () => session.append(compaction(a2 ?? "")),
    () => session.uncompact(),
    () => session.moveToBranch("plan b"),
    () => session.moveLeaf(null, { summary: { text: "left" } }),
  ];
  const states = [await stateOf(session)];
  for (const step of steps) {
    await step();
    states.push(await stateOf(session));
  }
  for (let at = steps.length - 1; at >= 0; at--) {
    const undone = await session.undo();
    assert.ok(undone.undone);
    assert.deepEqual(await stateOf(session), states[at], `undo of step ${at}`);
  }
  await assert.rejects(session.undo(), nothing("NOTHING_TO_UNDO"));
  for (let at = 1; at <= steps.length; at++) {
    const again = await session.redo();
    assert.equal(again.undone, false);
    assert.deepEqual(await stateOf(session), states[at], `redo of step ${at - 1}`);
  }
  await assert.rejects(session.redo(), nothing("NOTHING_TO_REDO"));
});

test("undo survives reopening and takes back what another handle did", async () => {
  const { session, again } = await newFixture();
  const [u1, a1] = await talk(session, 2);
  await session.setLabel(u1 ?? "", "one");
  await session.moveLeaf(a1 ?? null);
  const other = await again();
  assert.equal((await other.undo()).kind, "move");
  assert.equal(other.branch, "main");
  assert.equal((await (await again()).undo()).kind, "label");
  assert.equal((await (await again()).redo()).kind, "label");
});

test("an operation after an undo ends redoing; an append does not", async () => {
  const { session } = await newFixture();
  const [u1] = await talk(session, 1);
  await session.setLabel(u1 ?? "", "one");
  await session.undo();
  await add(session, user("u2"));
  await session.redo();
  assert.equal(session.tree.labels().get(u1 ?? "")?.label, "one");
  await session.undo();
  await session.rename("x");
  await assert.rejects(session.redo(), nothing("NOTHING_TO_REDO"));
  assert.equal((await session.undo()).kind, "name");
  await assert.rejects(session.undo(), nothing("NOTHING_TO_UNDO"));
});

test("a move goes back to the present head of the branch that was left", async () => {
  const { session, again } = await newFixture();
  const [, a1] = await talk(session, 2);
  const stays = await again();
  await session.moveLeaf(a1 ?? null);
  const later = await add(stays, user("meanwhile"));
  await session.undo();
  assert.equal(session.position, later);
});

test("a move from inside the tree goes back there, as a branch", async () => {
  const { session, again } = await newFixture();
  const [u1, a1, u2] = await talk(session, 2);
  const inside = await again({ at: a1 ?? null });
  await inside.moveLeaf(u1 ?? null);
  await inside.undo();
  assert.equal(inside.position, a1);
  assert.notEqual(inside.branch, "main");
  assert.notEqual(u2, undefined);
});

test("an edit of another branch is taken back there; the handle does not move", async () => {
  const { session, again } = await newFixture();
  const [u1, a1, , a2] = await talk(session, 2);
  const other = await again({ at: u1 ?? null });
  await add(other, assistant("other answer"));
  await session.hide(a2 ?? "");
  assert.deepEqual(await texts(session), ["u1", "a1", "u2"]);
  const { leaf, branch } = other;
  const undone = await other.undo();
  assert.equal(undone.kind, "edit");
  assert.equal(other.branch, branch);
  assert.equal(other.tree.get(other.leaf ?? "")?.parent?.id, leaf);
  assert.deepEqual(await texts(other), ["u1", "other answer"]);
  await session.refresh();
  assert.deepEqual(await texts(session), ["u1", "a1", "u2", "a2"]);
  await other.redo();
  await session.refresh();
  assert.deepEqual(await texts(session), ["u1", "a1", "u2"]);
  assert.equal((await again()).branch, branch);
  assert.notEqual(a1, undefined);
});

test("a compaction above the start of the handle's branch is taken back on both", async () => {
  const { session, again } = await newFixture();
  const [u1, a1, , a2] = await talk(session, 2);
  await add(session, compaction(a2 ?? ""));
  await add(session, user("u3"));
  const [last] = await session.store.last(1);
  await add(session, assistant("a3"));
  const below = await again({ at: last?.id ?? null });
  await add(below, assistant("other a3"));
  await below.undo();
  assert.deepEqual(await texts(below), ["u1", "a1", "u2", "a2", "u3", "other a3"]);
  await session.refresh();
  assert.deepEqual(await texts(session), ["u1", "a1", "u2", "a2", "u3", "a3"]);
  await below.redo();
  assert.deepEqual(await texts(below), ["[so far]", "a2", "u3", "other a3"]);
  await session.refresh();
  assert.deepEqual(await texts(session), ["[so far]", "a2", "u3", "a3"]);
  assert.notEqual(u1, a1);
});

test("what Pi wrote is an operation too; what names nothing is not", async () => {
  const { session } = await newFixture([
    raw("r1", null, user("u1")),
    raw("r2", "r1", assistant("a1")),
    raw("e1", "r2", { type: "label", targetId: "r1", label: "pi" }),
    raw("e2", "e1", { type: "session_info", name: "pi's name" }),
    raw("e3", "e2", { type: "context_edit", targetId: "r2", replacement: null }),
    raw("e4", "e3", { type: "context_edit", targetId: "gone", replacement: null }),
    raw("e5", "e4", {
      type: "custom",
      customType: "branchline.leaf",
      data: { session: "s1", op: "o", from: "gone" },
    }),
    raw("e6", "e5", {
      type: "custom",
      customType: "branchline.branch",
      data: { session: "else", branch: "main", name: "x" },
    }),
    raw("e7", "e6", {
      type: "custom",
      customType: "branchline.uncompact",
      data: { session: "s1", compaction: "r1", undoes: "gone" },
    }),
    raw("e8", "e7", { type: "custom", customType: "ext", data: { op: "o" } }),
  ]);
  const operations = await session.operations();
  assert.deepEqual(
    operations.map(({ op, kind }) => [op, kind]),
    [
      ["e1", "label"],
      ["e2", "name"],
      ["e3", "edit"],
      ["e7", "uncompact"],
    ],
  );
  assert.ok(operations.every(({ summary }) => summary !== "" && !summary.includes("\n")));
  assert.equal((await session.undo()).op, "e3");
  assert.deepEqual(await texts(session), ["u1", "a1"]);
  assert.equal((await session.undo()).op, "e2");
  assert.equal((await session.undo()).op, "e1");
  assert.equal(session.tree.name(), null);
  assert.equal(session.tree.labels().size, 0);
  const log = await session.operations();
  assert.deepEqual(
    log.map(({ undoes, undone }) => [undoes, undone]),
    [
      [null, true],
      [null, true],
      [null, true],
      ["gone", false],
      ["e3", false],
      ["e2", false],
      ["e1", false],
    ],
  );
});

test("an edit of a malformed or bash entry that Pi wrote can be taken back", async () => {
  const { session } = await newFixture([
    raw("r1", null, {
      type: "message",
      message: { role: "bashExecution", command: "ls", output: "x" },
    }),
    raw("e1", "r1", { type: "context_edit", targetId: "r1", replacement: null }),
  ]);
  assert.equal((await session.undo()).op, "e1");
  await assert.rejects(session.undo(), nothing("NOTHING_TO_UNDO"));
});

type Step = { readonly kind: number; readonly pick: number };

/** Does one operation; what it acts on is picked from what is there. */
async function operate(session: Session, { kind, pick }: Step): Promise<void> {
  const all = [...session.tree.entries()].filter(({ role }) => role !== null);
  const path = session.tree.path(session.leaf).filter(({ role }) => role !== null);
  const any = all[pick % all.length]?.id ?? "";
  const own = path[pick % Math.max(1, path.length)]?.id;
  const named = session.branches().filter(({ name }) => name !== null);
  const branch = named[pick % Math.max(1, named.length)]?.id ?? "main";
  const unique = `n${session.tree.size}`;
  const steps: readonly (() => Promise<unknown>)[] = [
    () => session.moveLeaf(pick % 7 === 0 ? null : any),
    () => session.moveToBranch(branch),
    () => session.select(any),
    () => session.setLabel(any, pick % 3 === 0 ? null : `l${pick}`),
    () => session.rename(pick % 3 === 0 ? null : `name ${pick}`),
    async () => own && session.hide(own),
    async () => own && session.replace(own, `content ${pick}`),
    async () => own && session.unhide(own),
    () => session.createBranch(unique, pick % 2 === 0 ? any : session.leaf),
    () => session.renameBranch(branch, unique),
    // The branch that one stands on is not put away.
    async () => branch !== session.branch && session.archiveBranch(branch),
    async () => own && session.append(compaction(own, `summary ${pick}`)),
    () =>
      session
        .uncompact()
        .catch((error: unknown) => assert.ok(BranchlineError.is(error, "TARGET_INVALID"))),
  ];
  await steps[kind % steps.length]?.();
}

const UNDO = 100;
const REDO = 101;
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.nat(12) },
    { weight: 1, arbitrary: fc.constantFrom(UNDO, UNDO, REDO) },
  ),
  pick: fc.nat(1000),
});

async function ordinaryCount(session: Session): Promise<number> {
  return (await session.operations()).filter(({ undoes }) => undoes === null).length;
}

test("any operations, undone and redone in any order, follow a stack of states (design.md §2)", async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 18 }), async (steps) => {
    const { session, again } = await newFixture();
    const [, a1] = await talk(session, 3);
    await session.moveLeaf(a1 ?? null);
    await talk(session, 1, "B");
    await session.undo();
    let states = [await stateOf(session)];
    let at = 0;
    let count = await ordinaryCount(session);
    const check = async (what: string): Promise<void> =>
      assert.deepEqual(await stateOf(session), states[at], what);
    for (const one of steps) {
      if (one.kind === UNDO && at > 0) {
        await session.undo();
        at--;
        await check("undo");
      } else if (one.kind === REDO && at < states.length - 1) {
        await session.redo();
        at++;
        await check("redo");
      } else if (one.kind < UNDO) {
        await operate(session, one);
        const now = await ordinaryCount(session);
        if (now === count) await check("nothing happened");
        else {
          states = [...states.slice(0, at + 1), await stateOf(session)];
          at++;
        }
        count = now;
      }
    }
    const top = at;
    for (; at > 0; at--) await session.undo();
    await check("all undone");
    await assert.rejects(session.undo(), nothing("NOTHING_TO_UNDO"));
    for (; at < top; at++) await session.redo();
    await check("all redone");
    const reopened = await again();
    assert.deepEqual(await stateOf(reopened), states[at], "after reopening");
  });
  await fc.assert(property, { numRuns: 300, seed: 20260101 });
});
