import assert from "node:assert/strict";
import type { EntryDraft } from "../../../entry/entry.ts";
import type { ErrorCode } from "../../../errors.ts";
import type { CommitRequest } from "../../store.ts";
import type { ContractCase } from "../contract.ts";
import { custom, user } from "../drafts.ts";
import { add, addMany, refused, stateOf } from "../expect.ts";

const group = "refused commits";

const circle: { self?: unknown; again?: unknown } = {};
circle.self = circle;
circle.again = circle;

/** Drafts as untyped callers may send them. */
function untyped(value: unknown): EntryDraft {
  return value as EntryDraft;
}

const BAD_DRAFTS: readonly (readonly [string, ErrorCode, () => EntryDraft])[] = [
  ["an empty type", "ENTRY_INVALID", () => ({ type: "" })],
  ["no type", "ENTRY_INVALID", () => untyped({ customType: "x" })],
  ["null instead of a draft", "ENTRY_INVALID", () => untyped(null)],
  ["a list instead of a draft", "ENTRY_INVALID", () => untyped([])],
  ["a function instead of a draft", "ENTRY_INVALID", () => untyped(() => 1)],
  [
    "a message entry without a message (row 20)",
    "ENTRY_INVALID",
    () => untyped({ type: "message" }),
  ],
  [
    "a message that is null (row 20)",
    "ENTRY_INVALID",
    () => untyped({ type: "message", message: null }),
  ],
  ["a message without a role", "ENTRY_INVALID", () => untyped({ type: "message", message: {} })],
  ["a model change without a model", "ENTRY_INVALID", () => untyped({ type: "model_change" })],
  ["a label without a target", "ENTRY_INVALID", () => untyped({ type: "label", label: "x" })],
  ["an edit that is none", "ENTRY_INVALID", () => untyped({ type: "context_edit", targetId: "x" })],
  ["a header as entry", "ENTRY_INVALID", () => ({ type: "session", id: "x", cwd: "/" })],
  ["an empty id", "ENTRY_INVALID", () => user("x", { id: "" })],
  ["an id of 257 characters", "ENTRY_INVALID", () => user("x", { id: "i".repeat(257) })],
  ["an id that is a number", "ENTRY_INVALID", () => untyped({ ...user("x"), id: 7 })],
  ["a timestamp that is a number", "ENTRY_INVALID", () => untyped({ ...user("x"), timestamp: 7 })],
  ["an id that is taken", "ENTRY_INVALID", () => user("x", { id: "taken" })],
  ["the id of the draft before", "ENTRY_INVALID", () => user("x", { id: "good" })],
  ["the member key", "ENTRY_INVALID", () => ({ type: "custom", customType: "x", key: "k" })],
  ["the member commit", "ENTRY_INVALID", () => ({ type: "custom", customType: "x", commit: {} })],
  ["the member crc", "ENTRY_INVALID", () => ({ type: "custom", customType: "x", crc: "0" })],
  ["a parent that is not there", "ENTRY_UNKNOWN", () => user("x", { parentId: "nowhere" })],
  ["a parent from a prototype", "ENTRY_UNKNOWN", () => user("x", { parentId: "__proto__" })],
  ["a parent that is a number", "ENTRY_UNKNOWN", () => untyped({ ...user("x"), parentId: 7 })],
  ["itself as parent (row 5)", "ENTRY_UNKNOWN", () => user("x", { id: "self", parentId: "self" })],
  ["a later draft as parent", "ENTRY_UNKNOWN", () => user("x", { parentId: "later" })],
  ["a big integer", "ENTRY_INVALID", () => custom(1n)],
  ["a circle", "ENTRY_INVALID", () => custom(circle)],
  ["10,000 levels of nesting (row 31)", "ENTRY_INVALID", () => custom(nested(10_000))],
  ["1,100 levels of nesting (row 31)", "ENTRY_INVALID", () => custom(nested(1_100))],
  [
    "a getter that throws",
    "ENTRY_INVALID",
    () =>
      custom({
        get x() {
          throw circle;
        },
      }),
  ],
  [
    "a JSON form that is no entry",
    "ENTRY_INVALID",
    () => untyped({ ...user("x"), toJSON: () => 7 }),
  ],
  [
    "a message whose JSON form is none",
    "ENTRY_INVALID",
    () => untyped({ type: "message", message: { role: "user", toJSON: () => 7 } }),
  ],
  ["33 MiB", "ENTRY_TOO_LARGE", () => user("x".repeat(33 * 1024 * 1024))],
];

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

const badDrafts: readonly ContractCase[] = BAD_DRAFTS.map(([what, code, draft]) => ({
  group,
  name: `${what} is ${code} and takes its whole group back (P2, P5)`,
  async run({ store }) {
    await using session = await store.create({ cwd: "/p" });
    await addMany(session, 2);
    await add(session, user("x", { id: "taken" }));
    const before = await stateOf(session);
    const entries = [user("good", { id: "good" }), draft(), user("later", { id: "later" })];
    await refused(code, () => session.commit({ entries }));
    assert.deepEqual(await stateOf(session), before);
    assert.equal(await session.get("good"), undefined);
    // The session is none the worse for it.
    const [next] = await add(session, user("good", { id: "good" }));
    assert.equal(next?.parentId, "taken");
  },
}));

const badRequests: readonly (readonly [string, () => CommitRequest])[] = [
  ["no entries", () => ({ entries: [] })],
  ["an empty key", () => ({ entries: [user("x")], key: "" })],
  ["a key of 257 characters", () => ({ entries: [user("x")], key: "k".repeat(257) })],
];

/** Refused commits change nothing (P5). */
export const failureCases: readonly ContractCase[] = [
  ...badRequests.map(
    ([what, request]): ContractCase => ({
      group,
      name: `a commit with ${what} is ENTRY_INVALID`,
      async run({ store }) {
        await using session = await store.create({ cwd: "/p" });
        const before = await stateOf(session);
        await refused("ENTRY_INVALID", () => session.commit(request()));
        assert.deepEqual(await stateOf(session), before);
      },
    }),
  ),
  {
    group,
    name: "a signal that is aborted before the call is ABORTED and writes nothing",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await addMany(session, 2);
      const before = await stateOf(session);
      const signal = AbortSignal.abort();
      await refused("ABORTED", () => session.commit({ entries: [user("x")], signal }));
      assert.deepEqual(await stateOf(session), before);
      await addMany(session, 1);
    },
  },
  {
    group,
    name: "a signal that is aborted during the call: written whole or ABORTED, never between",
    async run({ store }) {
      await using session = await store.create({ id: "a", cwd: "/p" });
      const controller = new AbortController();
      const { signal } = controller;
      const commits = Array.from({ length: 10 }, (_, n) =>
        session.commit({ entries: [custom([n, 0]), custom([n, 1])], signal }),
      );
      controller.abort();
      const outcomes = await Promise.allSettled(commits);
      const written = outcomes.flatMap((outcome) =>
        outcome.status === "fulfilled" ? outcome.value.entries : [],
      );
      for (const outcome of outcomes) {
        if (outcome.status === "rejected")
          await refused("ABORTED", () => Promise.reject(outcome.reason));
      }
      await using again = await store.open("a");
      assert.equal(again.tree.size, written.length);
      await addMany(session, 1);
    },
  },
  {
    group,
    name: "refused commits among good ones: the good ones form one chain (P6)",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const outcomes = await Promise.allSettled(
        Array.from({ length: 30 }, (_, n) => {
          const bad = n % 3 === 1;
          return session.commit({
            entries: [user("x"), bad ? user("y", { parentId: "nowhere" }) : user("y")],
          });
        }),
      );
      assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 10);
      assert.equal(session.tree.size, 40);
      assert.equal(session.tree.path(session.tree.leaf()).length, 40);
    },
  },
  {
    group,
    name: "nothing of refused commits is there after a reopen (P5)",
    needs: ["durable"],
    async run({ store, reopen }) {
      const session = await store.create({ id: "r", cwd: "/p" });
      await addMany(session, 2);
      await refused("ENTRY_UNKNOWN", () =>
        session.commit({ entries: [user("a"), user("b", { parentId: "nowhere" })], key: "k" }),
      );
      const before = await stateOf(session);
      await store.close();
      await using again = await (await reopen()).open("r");
      assert.deepEqual(await stateOf(again), before);
      await add(again, user("free again"), { key: "k" });
    },
  },
  ...badDrafts,
];
