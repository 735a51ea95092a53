import assert from "node:assert/strict";
import type { ContractCase } from "../contract.ts";
import { custom, nameRow, startMarker, user } from "../drafts.ts";
import { add, addMany, addOne, refused, soon } from "../expect.ts";

const group = "run lock";

/** One run at a time on a branch (P6, design.md §2 "Lock"). */
export const runLockCases: readonly ContractCase[] = [
  {
    group,
    name: "a second run on a branch is refused with RUN_ACTIVE, also through the same handle",
    async run({ store }) {
      await using one = await store.create({ id: "r", cwd: "/p" });
      await using two = await store.open("r");
      await using lock = await one.lockRun("main");
      assert.equal(lock.branch, "main");
      for (const handle of [one, two]) {
        const error = await refused("RUN_ACTIVE", () => handle.lockRun("main"));
        assert.equal(error.fields.branch, "main");
      }
    },
  },
  {
    group,
    name: "the refusal names the owner",
    needs: ["multiProcess"],
    async run({ store, reopen }) {
      await using one = await store.create({ id: "r", cwd: "/p" });
      await using _lock = await one.lockRun("main");
      await using two = await (await reopen()).open("r");
      const { fields } = await refused("RUN_ACTIVE", () => two.lockRun("main"));
      assert.ok(fields.owner);
      assert.ok(fields.owner.pid > 0 && fields.owner.startedAt > 0);
    },
  },
  {
    group,
    name: "released, it is free; releasing again does nothing to the next run",
    async run({ store }) {
      await using one = await store.create({ id: "r", cwd: "/p" });
      await using two = await store.open("r");
      const first = await one.lockRun("main");
      await first.release();
      const second = await two.lockRun("main");
      await first.release();
      await refused("RUN_ACTIVE", () => one.lockRun("main"));
      await second.release();
      await (await one.lockRun("main")).release();
    },
  },
  {
    group,
    name: "closing the handle frees it",
    async run({ store }) {
      const one = await store.create({ id: "r", cwd: "/p" });
      await using two = await store.open("r");
      await one.lockRun("main");
      await one.close();
      await (await two.lockRun("main")).release();
      await refused("STORE_CLOSED", () => one.lockRun("main"));
    },
  },
  {
    group,
    name: "appends, labels, names and branches of others stay possible meanwhile",
    async run({ store }) {
      await using one = await store.create({ id: "r", cwd: "/p" });
      await using two = await store.open("r");
      const [said] = await addMany(one, 1);
      assert.ok(said);
      await using _lock = await one.lockRun("main");
      await add(two, { type: "label", targetId: said, label: "here" });
      await add(two, { type: "session_info", name: "named" });
      await add(two, nameRow(two, "main", "trunk"));
      const leaf = await addOne(two, custom("queued"));
      await one.refresh();
      assert.equal(one.tree.head("main"), leaf);
      await add(one, user("the run's own"));
      assert.equal(one.tree.size, 6);
    },
  },
  {
    group,
    name: "another branch is free; an unknown one is BRANCH_UNKNOWN",
    async run({ store }) {
      await using one = await store.create({ id: "r", cwd: "/p" });
      await using two = await store.open("r");
      const [said = ""] = await addMany(one, 2);
      await using _main = await one.lockRun("main");
      const branch = await addOne(one, startMarker(one, said));
      // The other handle has not seen the branch yet.
      await using lock = await two.lockRun(branch);
      assert.equal(lock.branch, branch);
      await refused("RUN_ACTIVE", () => one.lockRun(branch));
      for (const unknown of ["none", said, ""]) {
        await refused("BRANCH_UNKNOWN", () => one.lockRun(unknown));
      }
    },
  },
  {
    group,
    name: "branches with ids of other programs have locks of their own (P10)",
    async run({ store }) {
      await using one = await store.create({ id: "r", cwd: "/p" });
      await using two = await store.open("r");
      const ids = ["../../x", "A/B", "a b", "Ü", "a".repeat(256)];
      for (const id of ids) await add(one, startMarker(one, null, id));
      for (const id of ids) await one.lockRun(id);
      for (const id of ids) await refused("RUN_ACTIVE", () => two.lockRun(id));
    },
  },
  {
    group,
    name: "with a time it waits for the one before, until that time is over or the signal aborts",
    async run({ store }) {
      await using one = await store.create({ id: "r", cwd: "/p" });
      await using two = await store.open("r");
      const first = await one.lockRun("main");
      await refused("RUN_ACTIVE", () => two.lockRun("main", { timeoutMs: 5 }));
      const stop = new AbortController();
      const waiting = two.lockRun("main", { timeoutMs: 60_000, signal: stop.signal });
      const refusal = refused("ABORTED", () => waiting);
      stop.abort();
      await refusal;
      const next = two.lockRun("main", { timeoutMs: 60_000 });
      await first.release();
      await (await soon(next)).release();
      const aborted = AbortSignal.abort();
      await refused("ABORTED", () => one.lockRun("main", { signal: aborted }));
    },
  },
  {
    group,
    name: "of ten that ask at the same time one gets it",
    async run({ store }) {
      await using one = await store.create({ id: "r", cwd: "/p" });
      const asked = Array.from({ length: 10 }, () => one.lockRun("main"));
      const answers = await Promise.allSettled(asked);
      assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
    },
  },
  {
    group,
    name: "a handle that is closed while it waits gets nothing",
    async run({ store }) {
      await using one = await store.create({ id: "r", cwd: "/p" });
      const two = await store.open("r");
      const first = await one.lockRun("main");
      const refusal = refused("STORE_CLOSED", () => two.lockRun("main", { timeoutMs: 60_000 }));
      await two.refresh();
      await two.close();
      await first.release();
      await refusal;
      await (await one.lockRun("main")).release();
    },
  },
];
