import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../errors.ts";
import { entryHere, resolveRevision } from "./revision.ts";
import { resolveRange } from "./revision-range.ts";
import { parseRevision } from "./revision-text.ts";
import type { Session } from "./session.ts";
import {
  add,
  assistant,
  compaction,
  type Fixture,
  newFixture,
  raw,
  user,
} from "./testing/session-fixture.ts";

/** u1 a1 u2 a2 on main; B and its answer under a1; ids as the texts say. */
async function tree(): Promise<Fixture> {
  const made = await newFixture([
    raw("user-1", null, user("u1")),
    raw("answer-1", "user-1", assistant("a1")),
    raw("user-2", "answer-1", user("u2")),
    raw("answer-2", "user-2", assistant("a2")),
  ]);
  return made;
}

async function resolveAll(session: Session, cases: Record<string, string | null>): Promise<void> {
  for (const [text, expected] of Object.entries(cases)) {
    assert.equal(await resolveRevision(session, text), expected, text);
  }
}

async function unknown(session: Session, ...revisions: string[]): Promise<void> {
  for (const text of revisions) {
    await assert.rejects(
      resolveRevision(session, text),
      (error) => BranchlineError.is(error, "ENTRY_UNKNOWN"),
      text,
    );
  }
}

test("suffixes are taken off the end, in any number", () => {
  assert.deepEqual(parseRevision("@"), { base: "@", steps: [] });
  assert.deepEqual(parseRevision("a~2^^3~"), {
    base: "a",
    steps: [
      { kind: "entries", count: 2 },
      { kind: "turns", count: 1 },
      { kind: "turns", count: 3 },
      { kind: "entries", count: 1 },
    ],
  });
  assert.deepEqual(parseRevision("a~b"), { base: "a~b", steps: [] });
});

test("@, @~n, @^, root and suffixes on any base", async () => {
  const { session } = await tree();
  await session.createBranch("side", "answer-1");
  await resolveAll(session, {
    "@": "answer-2",
    "@~": "user-2",
    "@~0": "answer-2",
    "@~1": "user-2",
    "@~3": "user-1",
    "@~4": null,
    "@^": "user-1",
    "@^0": "answer-2",
    "user-2^": "user-1",
    "@~1^1": "user-1",
    root: null,
    "root~0": null,
    "root^0": null,
    main: "answer-2",
    "main~2": "answer-1",
    "side~": "user-1",
    "answer-2~~": "answer-1",
  });
  await unknown(session, "@~5", "@^^", "@^2", "root~", "root^", "", "x".repeat(600), "~2", "nope");
});

test("our own state is not counted; an entry of it counts as its position", async () => {
  const { session } = await tree();
  await session.moveLeaf("user-2");
  const start = session.leaf ?? "";
  await session.moveLeaf("answer-2");
  const marker = session.leaf ?? "";
  await resolveAll(session, {
    "@": "answer-2",
    "@~": "user-2",
    [marker]: marker,
    [`${marker}~`]: "user-2",
    [`${marker}~0`]: marker,
    [start]: "user-2",
    [start.slice(0, 12)]: "user-2",
  });
  await session.setLabel("user-1", "x");
  assert.equal(await resolveRevision(session, "@~"), "answer-2");
});

test("@{n} is the position before the n-th last move, undos included", async () => {
  const { session } = await tree();
  await session.moveLeaf("answer-1");
  await add(session, { ...user("B"), id: "B" });
  await session.moveLeaf(null);
  await resolveAll(session, {
    "@{0}": null,
    "@{1}": "B",
    "@{2}": "answer-2",
    "@{1}~1": "answer-1",
  });
  await session.undo();
  await resolveAll(session, { "@": "B", "@{1}": null, "@{2}": "B" });
  await unknown(session, "@{4}", "@{x}", "@{}");
});

test("branches by name and id, labels, ids, prefixes", async () => {
  const { session } = await tree();
  const id = await session.createBranch("方案 B", "answer-1");
  await session.setLabel("user-2", "here~2");
  await session.setLabel("user-1", "there");
  await resolveAll(session, {
    "方案 B": "answer-1",
    [id]: "answer-1",
    ":here~2": "user-2",
    ":there": "user-1",
    "user-1": "user-1",
    "answer-1": "answer-1",
  });
  await session.setLabel("user-2", "there");
  await assert.rejects(resolveRevision(session, ":there"), (error) => {
    assert.ok(BranchlineError.is(error, "ENTRY_AMBIGUOUS"));
    assert.deepEqual(error.fields.matches.toSorted(), ["user-1", "user-2"]);
    return true;
  });
  await assert.rejects(resolveRevision(session, "user"), (error) => {
    assert.ok(BranchlineError.is(error, "ENTRY_AMBIGUOUS"));
    assert.deepEqual(error.fields.matches, ["user-1", "user-2"]);
    return true;
  });
  await unknown(session, "us", "USER-1", ":nope", "answer-3");
});

test("an ambiguous prefix lists up to 8; a unique one of 3 characters is enough", async () => {
  const entries = Array.from({ length: 12 }, (_, index) =>
    raw(
      `abc${String.fromCharCode(97 + index)}`,
      index === 0 ? null : `abc${String.fromCharCode(96 + index)}`,
      user("x"),
    ),
  );
  const { session } = await newFixture([...entries, raw("xyz123", "abcl", user("y"))]);
  assert.equal(await resolveRevision(session, "xyz"), "xyz123");
  assert.equal(await resolveRevision(session, "xyz~"), "abcl");
  await assert.rejects(resolveRevision(session, "abc"), (error) => {
    assert.ok(BranchlineError.is(error, "ENTRY_AMBIGUOUS"));
    assert.equal(error.fields.matches.length, 8);
    assert.match(error.message, /…/);
    return true;
  });
});

test("unknown revisions come with near matches", async () => {
  const { session } = await tree();
  await session.createBranch("release", "answer-1");
  await session.setLabel("user-1", "start");
  const hints: Record<string, RegExp> = {
    relaese: /release/,
    ":strat": /:start/,
    "USER-1": /user-1/,
    "answer-9": /answer-1, answer-2/,
    zz: /prefix/,
  };
  for (const [text, hint] of Object.entries(hints)) {
    await assert.rejects(resolveRevision(session, text), (error) => {
      assert.ok(BranchlineError.is(error, "ENTRY_UNKNOWN"));
      assert.match(error.hint ?? "", hint, text);
      return true;
    });
  }
});

test("what goes too far says how far it could go", async () => {
  const { session } = await tree();
  const messages: Record<string, RegExp> = {
    "@~999": /only 3 entries above/,
    "answer-1~9": /only 1 entry above/,
    "root~": /only 0 entries above/,
    "@^9": /only 1 user turn above/,
    "user-1^": /only 0 user turns above/,
    "@{1}": /no move/,
    us: /at least 3 characters/,
    "us~2": /at least 3 characters/,
    zz: /called zz/,
  };
  const check = async (): Promise<void> => {
    for (const [text, message] of Object.entries(messages)) {
      await assert.rejects(resolveRevision(session, text), (error) => {
        assert.ok(BranchlineError.is(error, "ENTRY_UNKNOWN"));
        assert.match(error.message, message, text);
        assert.ok(error.hint !== undefined);
        return true;
      });
    }
  };
  await check();
  await session.moveLeaf("answer-1");
  delete messages["@{1}"];
  Object.assign(messages, { "@{2}": /only 1 move\./, "@~999": /only 1 entry/, "@^9": /only 0/ });
  await check();
  await session.moveLeaf("user-1");
  delete messages["@{2}"];
  Object.assign(messages, { "@{3}": /only 2 moves/, "@~999": /only 0 entries/ });
  await check();
});

test("here: the entry that a person means, not what was written about it", async () => {
  const { session, again } = await tree();
  await session.setLabel("answer-2", "x");
  await session.rename("n");
  await session.hide("answer-2");
  assert.notEqual(session.position, "answer-2");
  assert.equal(entryHere(session), "answer-2");
  const here = entryHere(session);
  assert.equal(await resolveRevision(session, "@", { here }), "answer-2");
  assert.equal(await resolveRevision(session, "@~", { here }), "user-2");
  assert.equal(await resolveRevision(session, "@"), session.position);
  const start = await again({ at: null });
  assert.equal(entryHere(start), null);
  const { session: empty } = await newFixture();
  await empty.rename("only a name");
  assert.equal(entryHere(empty), empty.position);
});

test("A..B, A...B and the sets", async () => {
  const { session } = await tree();
  await session.moveLeaf("answer-1");
  await add(session, { ...user("B"), id: "B1" });
  await add(session, { ...assistant("b"), id: "B2" });
  await session.moveLeaf("B1");
  await add(session, { ...compaction("B1"), id: "C1" });
  const beyond = await resolveRange(session, "main..B2");
  assert.deepEqual(beyond, { kind: "beyond", base: "answer-1", left: [], right: ["B1", "B2"] });
  const sides = await resolveRange(session, "main...@");
  assert.deepEqual(sides.left, ["user-2", "answer-2"]);
  assert.deepEqual(sides.right, ["B1", "C1"]);
  assert.equal(sides.base, "answer-1");
  assert.deepEqual((await resolveRange(session, "B2..")).right, ["C1"]);
  assert.deepEqual((await resolveRange(session, "root..user-2")).right, [
    "user-1",
    "answer-1",
    "user-2",
  ]);
  assert.deepEqual((await resolveRange(session, "main")).right, ["answer-2"]);
  assert.deepEqual((await resolveRange(session, "root")).right, []);
  assert.deepEqual((await resolveRange(session, "leaves")).right, ["answer-2", "B2", "C1"]);
  assert.deepEqual((await resolveRange(session, "forks")).right, ["answer-1", "B1"]);
  assert.deepEqual((await resolveRange(session, "compactions")).right, ["C1"]);
  await assert.rejects(resolveRange(session, "nope..@"), (error) =>
    BranchlineError.is(error, "ENTRY_UNKNOWN"),
  );
});
