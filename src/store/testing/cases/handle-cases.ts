import assert from "node:assert/strict";
import { BranchlineError } from "../../../errors.ts";
import type { ContractCase } from "../contract.ts";
import { custom, startMarker, user } from "../drafts.ts";
import { add, addMany, addOne, collect, ids, refused } from "../expect.ts";

const group = "several handles";

/** Several handles on one session in one process. */
export const handleCases: readonly ContractCase[] = [
  {
    group,
    name: "refresh shows what another handle wrote",
    async run({ store }) {
      await using one = await store.create({ id: "h", cwd: "/p" });
      await using two = await store.open("h");
      const added = await addMany(one, 3);
      await two.refresh();
      assert.deepEqual(ids(await collect(two.scan())), added);
      assert.equal(two.tree.leaf(), added[2]);
      assert.equal(JSON.stringify(await two.last(3)), JSON.stringify(await one.last(3)));
      await two.refresh();
      assert.equal(two.tree.size, 3);
    },
  },
  {
    group,
    name: "a commit first catches up, so commits of both form one chain (P6)",
    async run({ store }) {
      await using one = await store.create({ id: "h", cwd: "/p" });
      await using two = await store.open("h");
      const added: string[] = [];
      for (let round = 0; round < 10; round++) {
        added.push(await addOne(round % 2 === 0 ? one : two, user(`${round}`)));
      }
      await one.refresh();
      assert.deepEqual(
        one.tree.path(one.tree.leaf()).map(({ id }) => id),
        added,
      );
      assert.deepEqual(
        two.tree.path(two.tree.leaf()).map(({ id }) => id),
        added,
      );
    },
  },
  {
    group,
    name: "commits of four handles at the same time form one chain, each entry once (P6)",
    async run({ store }) {
      await using one = await store.create({ id: "h", cwd: "/p" });
      const others = await Promise.all([store.open("h"), store.open("h"), store.open("h")]);
      const handles = [one, ...others];
      const results = await Promise.all(
        Array.from({ length: 80 }, (_, n) =>
          handles[n % 4]?.commit({ entries: [custom(n), custom([n])] }),
        ),
      );
      await using fresh = await store.open("h");
      assert.equal(fresh.tree.size, 160);
      assert.equal(fresh.tree.path(fresh.tree.leaf()).length, 160);
      const written = new Set(results.flatMap((result) => ids(result?.entries ?? [])));
      assert.equal(written.size, 160);
      for (const { id } of fresh.tree.entries()) assert.ok(written.has(id));
      for (const other of others) await other.close();
    },
  },
  {
    group,
    name: "an expected leaf is compared with what the other handle wrote",
    async run({ store }) {
      await using one = await store.create({ id: "h", cwd: "/p" });
      const [leaf] = await addMany(one, 1);
      await using two = await store.open("h");
      assert.ok(leaf);
      await add(one, custom("no effect"));
      await add(two, user("first"), { expectedLeaf: leaf });
      const head = two.tree.leaf();
      const error = await refused("STORE_CONFLICT", () =>
        one.commit({ entries: [user("late")], expectedLeaf: leaf }),
      );
      assert.equal(error.fields.head, head);
      // The refused handle has caught up, so that it can look at what came between.
      assert.equal(one.tree.head("main"), head);
    },
  },
  {
    group,
    name: "of 20 commits of two handles with one expected leaf exactly one wins (P6)",
    async run({ store }) {
      await using one = await store.create({ id: "h", cwd: "/p" });
      await using two = await store.open("h");
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? one : two).commit({ entries: [user(`${n}`)], expectedLeaf: null }),
        ),
      );
      assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
      for (const outcome of outcomes) {
        if (outcome.status === "rejected")
          assert.ok(BranchlineError.is(outcome.reason, "STORE_CONFLICT"));
      }
    },
  },
  {
    group,
    name: "two handles on two branches each append under their own head",
    async run({ store }) {
      await using one = await store.create({ id: "h", cwd: "/p" });
      const [root] = await addMany(one, 1);
      const branch = await addOne(one, startMarker(one, root as string));
      await using two = await store.open("h");
      const heads = { main: root as string, branch };
      for (let round = 0; round < 5; round++) {
        const [onMain] = await add(one, user("main"), { expectedLeaf: heads.main });
        const [onBranch] = await add(two, user("branch"), { branch, expectedLeaf: heads.branch });
        assert.equal(onMain?.parentId, heads.main);
        assert.equal(onBranch?.parentId, heads.branch);
        heads.main = onMain?.id ?? "";
        heads.branch = onBranch?.id ?? "";
      }
    },
  },
  {
    group,
    name: "closing one handle leaves the other open",
    async run({ store }) {
      const one = await store.create({ id: "h", cwd: "/p" });
      await using two = await store.open("h");
      await addMany(one, 1);
      await one.close();
      await addMany(two, 1);
      assert.equal(two.tree.size, 2);
    },
  },
  {
    group,
    name: "an id that the other handle took is refused",
    async run({ store }) {
      await using one = await store.create({ id: "h", cwd: "/p" });
      await using two = await store.open("h");
      await add(one, user("x", { id: "taken" }));
      await refused("ENTRY_INVALID", () => two.commit({ entries: [user("y", { id: "taken" })] }));
      await add(two, user("y", { parentId: "taken" }));
    },
  },
  {
    group,
    name: "another store on the same data reads and writes along",
    needs: ["durable", "multiProcess"],
    async run({ store, reopen }) {
      await using one = await store.create({ id: "h", cwd: "/p" });
      const other = await reopen();
      await using two = await other.open("h");
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? one : two).commit({ entries: [custom(n)] }),
        ),
      );
      await Promise.all([one.refresh(), two.refresh()]);
      assert.equal(one.tree.path(one.tree.leaf()).length, 20);
      assert.equal(
        JSON.stringify(await collect(one.scan())),
        JSON.stringify(await collect(two.scan())),
      );
    },
  },
];
