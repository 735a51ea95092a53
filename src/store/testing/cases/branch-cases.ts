import assert from "node:assert/strict";
import type { ContractCase } from "../contract.ts";
import { custom, nameRow, startMarker, user } from "../drafts.ts";
import { add, addMany, addOne, refused } from "../expect.ts";

const group = "branches";

/** Branches, their heads and their names (design.md §2). */
export const branchCases: readonly ContractCase[] = [
  {
    group,
    name: "a starting marker starts a branch, whose id is the marker's",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const added = await addMany(session, 3);
      const branch = await addOne(session, startMarker(session, added[0] as string));
      assert.equal(session.tree.branchOf(branch), branch);
      assert.equal(session.tree.head(branch), branch);
      assert.equal(session.tree.head("main"), added[2]);
      const next = await addOne(session, user("x"), { branch });
      assert.equal(session.tree.get(next)?.parent?.id, branch);
      assert.equal(session.tree.branchOf(next), branch);
      assert.equal(await addOne(session, user("y")), session.tree.head("main"));
      assert.equal(session.tree.branchOf(session.tree.head("main")), "main");
    },
  },
  {
    group,
    name: "a marker and entries below it are one commit",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [a] = await addMany(session, 2);
      const made = await add(session, [
        startMarker(session, a as string, "b1"),
        user("x"),
        user("y"),
      ]);
      assert.equal(session.tree.head("b1"), made[2]?.id);
      assert.equal(session.tree.branchOf(made[1]?.id ?? null), "b1");
    },
  },
  {
    group,
    name: "a branch may start at the root",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await addMany(session, 2);
      const branch = await addOne(session, startMarker(session, null));
      const next = await addOne(session, user("anew"), { branch });
      assert.deepEqual(
        session.tree.path(next).map(({ id }) => id),
        [branch, next],
      );
      assert.equal(session.tree.position(branch), null);
    },
  },
  {
    group,
    name: "a marker without a start, or of another session, starts nothing",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await addMany(session, 1);
      const data = { session: session.id };
      const plain = await addOne(session, { type: "custom", customType: "branchline.leaf", data });
      const copied = await addOne(session, {
        type: "custom",
        customType: "branchline.leaf",
        data: { session: "another", start: true },
      });
      assert.equal(session.tree.branchOf(plain), "main");
      assert.equal(session.tree.branchOf(copied), "main");
      await refused("BRANCH_UNKNOWN", () =>
        session.commit({ entries: [user("x")], branch: copied }),
      );
    },
  },
  {
    group,
    name: "a commit on one branch moves no other",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [root] = await addMany(session, 1);
      const branches = ["main"];
      for (const id of ["b1", "b2", "b3"]) {
        branches.push(await addOne(session, startMarker(session, root as string, id)));
      }
      const heads = new Map(branches.map((branch) => [branch, session.tree.head(branch)]));
      for (let round = 0; round < 12; round++) {
        const branch = branches[round % 4] as string;
        const [entry] = await add(session, user(`${round}`), { branch });
        assert.equal(entry?.parentId, heads.get(branch));
        heads.set(branch, entry?.id ?? null);
        for (const [id, head] of heads) assert.equal(session.tree.head(id), head);
      }
    },
  },
  {
    group,
    name: "commits to several branches at the same time form one chain on each (P6)",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [root] = await addMany(session, 1);
      await add(session, startMarker(session, root as string, "b1"));
      await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          session.commit({ entries: [custom(n)], branch: n % 2 === 0 ? "main" : "b1" }),
        ),
      );
      assert.equal(session.tree.path(session.tree.head("main")).length, 21);
      assert.equal(session.tree.path(session.tree.head("b1")).length, 22);
    },
  },
  {
    group,
    name: "names are a session-wide table in which the latest row wins",
    async run({ store }) {
      await using session = await store.create({ id: "n", cwd: "/p" });
      const [root] = await addMany(session, 1);
      await add(session, startMarker(session, root as string, "b1"));
      await add(session, nameRow(session, "b1", "plan"));
      assert.equal(session.tree.branch("plan")?.id, "b1");
      await add(session, nameRow(session, "b1", "plan B"));
      await using again = await store.open("n");
      for (const { tree } of [session, again]) {
        assert.equal(tree.branch("plan"), undefined);
        assert.equal(tree.branch("plan B")?.id, "b1");
        assert.equal(tree.branch("b1")?.name, "plan B");
      }
      await add(session, nameRow(session, "b1", null));
      assert.equal(session.tree.branch("b1")?.name, null);
      // A commit goes to an id; a name is the caller's business.
      await refused("BRANCH_UNKNOWN", () =>
        session.commit({ entries: [user("x")], branch: "plan B" }),
      );
    },
  },
  {
    group,
    name: "naming a branch moves no other branch",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [root] = await addMany(session, 1);
      await add(session, [startMarker(session, root as string, "b1"), user("x")]);
      const head = session.tree.head("b1");
      await add(session, nameRow(session, "b1", "plan"));
      assert.equal(session.tree.head("b1"), head);
    },
  },
  {
    group,
    name: "the stored leaf is the last entry, on whatever branch",
    async run({ store }) {
      await using session = await store.create({ id: "l", cwd: "/p" });
      const [root, main] = await addMany(session, 2);
      await add(session, startMarker(session, root as string, "b1"));
      const onBranch = await addOne(session, user("x"), { branch: "b1" });
      await using one = await store.open("l");
      assert.equal(one.tree.leaf(), onBranch);
      const back = await addOne(session, {
        type: "custom",
        customType: "branchline.leaf",
        data: { session: "l" },
        parentId: main as string,
      });
      await using two = await store.open("l");
      assert.equal(two.tree.leaf(), back);
      assert.equal(two.tree.position(back), main);
      assert.equal(two.tree.branchOf(back), "main");
    },
  },
  {
    group,
    name: "branches are listed with their heads",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [root, main] = await addMany(session, 2);
      const [, tip] = await add(session, [startMarker(session, root as string, "b1"), user("x")]);
      const rows = session.tree.branches().map(({ id, head, kind }) => ({ id, head, kind }));
      assert.deepEqual(rows, [
        { id: "main", head: main, kind: "branch" },
        { id: "b1", head: tip?.id, kind: "branch" },
      ]);
    },
  },
];
