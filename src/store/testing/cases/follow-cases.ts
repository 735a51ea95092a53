import assert from "node:assert/strict";
import type { StoreEvent, StoreSession } from "../../store.ts";
import type { ContractCase } from "../contract.ts";
import { custom, startMarker, user } from "../drafts.ts";
import {
  add,
  addMany,
  addOne,
  assertFrozen,
  collect,
  eventIds,
  eventsWith,
  ids,
  soon,
} from "../expect.ts";

const group = "follow";
const needs = ["follow"] as const;

function iterate(session: StoreSession, signal?: AbortSignal): AsyncIterator<StoreEvent> {
  return session.follow(signal === undefined ? {} : { signal })[Symbol.asyncIterator]();
}

/** Reads until the event of the wanted type is there. */
async function until(
  events: AsyncIterator<StoreEvent>,
  type: StoreEvent["type"],
): Promise<StoreEvent> {
  for (;;) {
    const { value, done } = await soon(events.next());
    assert.equal(done, false, "the events ended early");
    if (value.type === type) return value;
  }
}

/** Live events. */
export const followCases: readonly ContractCase[] = [
  {
    group,
    needs,
    name: "own commits are told in order, as not foreign",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await addMany(session, 2);
      const events = iterate(session);
      const added = ids(await add(session, [user("a"), user("b"), user("c")]));
      added.push(...(await addMany(session, 2)));
      const read = await eventsWith(events, 5);
      assert.deepEqual(eventIds(read), added);
      for (const event of read) assert.ok(event.type === "entries" && !event.foreign);
      assertFrozen(read.flatMap((event) => (event.type === "entries" ? event.entries : [])));
    },
  },
  {
    group,
    needs,
    name: "entries of another handle are told as foreign, and are in the tree then",
    async run({ store }) {
      await using one = await store.create({ id: "f", cwd: "/p" });
      await using two = await store.open("f");
      const events = iterate(one);
      const added = await addMany(two, 3);
      const read = await eventsWith(events, 3);
      assert.deepEqual(eventIds(read), added);
      for (const event of read) assert.ok(event.type === "entries" && event.foreign);
      assert.equal(one.tree.leaf(), added[2]);
      assert.deepEqual(ids(await one.getAll(added)), added);
    },
  },
  {
    group,
    needs,
    name: "entries of both handles are told in file order",
    async run({ store }) {
      await using one = await store.create({ id: "f", cwd: "/p" });
      await using two = await store.open("f");
      const events = [iterate(one), iterate(two)];
      const handles = [one, two];
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => handles[n % 2]?.commit({ entries: [custom(n)] })),
      );
      await using fresh = await store.open("f");
      const order = ids(await collect(fresh.scan()));
      for (const [index, of] of events.entries()) {
        const read = await eventsWith(of, 20);
        assert.deepEqual(eventIds(read), order);
        for (const event of read) {
          if (event.type !== "entries") continue;
          for (const entry of event.entries) {
            const writer = (entry as { data?: number }).data ?? 0;
            assert.equal(event.foreign, writer % 2 !== index);
          }
        }
      }
    },
  },
  {
    group,
    needs,
    name: "nothing falls between the tree and the events",
    async run({ store }) {
      await using one = await store.create({ id: "f", cwd: "/p" });
      await using two = await store.open("f");
      await addMany(two, 2);
      const known = [...one.tree.entries()].map(({ id }) => id);
      const events = iterate(one);
      await addMany(two, 2);
      const read = await eventsWith(events, 4 - known.length);
      await using fresh = await store.open("f");
      assert.deepEqual([...known, ...eventIds(read)], ids(await collect(fresh.scan())));
    },
  },
  {
    group,
    needs,
    name: "a waiting reader is woken",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const events = iterate(session);
      const first = soon(events.next());
      const id = await addOne(session, user("x"));
      const { value } = await first;
      assert.ok(value?.type === "entries");
      assert.deepEqual(ids(value.entries), [id]);
    },
  },
  {
    group,
    needs,
    name: "several followers each get everything, however slowly they read",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const followers = [iterate(session), iterate(session), iterate(session)];
      const added = await addMany(session, 30);
      for (const events of followers)
        assert.deepEqual(eventIds(await eventsWith(events, 30)), added);
    },
  },
  {
    group,
    needs,
    name: "a follower that stops disturbs no other",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const gone = iterate(session);
      const stays = iterate(session);
      await gone.return?.();
      const added = await addMany(session, 2);
      assert.deepEqual(eventIds(await eventsWith(stays, 2)), added);
      assert.equal((await soon(gone.next())).done, true);
    },
  },
  {
    group,
    needs,
    name: "the signal ends it, also while it waits",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const controller = new AbortController();
      const events = iterate(session, controller.signal);
      const waiting = events.next();
      controller.abort();
      assert.equal((await soon(waiting)).done, true);
      assert.equal((await soon(events.next())).done, true);
      await addMany(session, 1);
      assert.equal((await soon(events.next())).done, true);
    },
  },
  {
    group,
    needs,
    name: "a signal that is aborted already gives no events and no error",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const events = iterate(session, AbortSignal.abort());
      await addMany(session, 1);
      assert.equal((await soon(events.next())).done, true);
    },
  },
  {
    group,
    needs,
    name: "closing the session ends it behind the last event",
    async run({ store }) {
      const session = await store.create({ cwd: "/p" });
      const events = iterate(session);
      const idle = iterate(session);
      const added = await addMany(session, 2);
      assert.deepEqual(eventIds(await eventsWith(idle, 2)), added);
      const waiting = idle.next();
      await session.close();
      assert.equal((await soon(waiting)).done, true);
      assert.deepEqual(eventIds(await eventsWith(events, 2)), added);
      assert.equal((await soon(events.next())).done, true);
    },
  },
  {
    group,
    needs,
    name: "closing the store ends it",
    async run({ store }) {
      const session = await store.create({ cwd: "/p" });
      const waiting = iterate(session).next();
      await store.close();
      assert.equal((await soon(waiting)).done, true);
    },
  },
  {
    group,
    needs,
    name: "a refused commit is not told",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const events = iterate(session);
      await session.commit({ entries: [user("x")], expectedLeaf: "no" }).catch(() => undefined);
      await session.commit({ entries: [user("x", { parentId: "no" })] }).catch(() => undefined);
      await add(session, user("a"), { key: "k" });
      await session.commit({ entries: [user("a")], key: "k" });
      const last = await addOne(session, user("b"));
      const read = await eventsWith(events, 2);
      assert.equal(eventIds(read).length, 2);
      assert.equal(eventIds(read)[1], last);
    },
  },
  {
    group,
    needs,
    name: "a foreign entry beside another of its branch is told as diverged",
    async run({ store }) {
      await using one = await store.create({ id: "f", cwd: "/p" });
      await using two = await store.open("f");
      const [root] = await addMany(one, 2);
      const events = iterate(one);
      const entryId = await addOne(two, user("beside", { parentId: root as string }));
      assert.deepEqual(await until(events, "diverged"), {
        type: "diverged",
        branch: "main",
        entryId,
      });
    },
  },
  {
    group,
    needs,
    name: "the start of a branch, entries on it and plain appends are not diverged",
    async run({ store }) {
      await using one = await store.create({ id: "f", cwd: "/p" });
      await using two = await store.open("f");
      const [root] = await addMany(one, 2);
      const events = iterate(one);
      await add(two, startMarker(two, root as string, "b1"));
      await add(two, user("x"), { branch: "b1" });
      await add(two, user("y"));
      await add(two, startMarker(two, root as string, "b2"));
      const entryId = await addOne(two, user("z", { parentId: "b1" }));
      const read = await eventsWith(events, 5);
      const diverged = read.filter(({ type }) => type === "diverged");
      diverged.push(await until(events, "diverged"));
      assert.deepEqual(diverged, [{ type: "diverged", branch: "b1", entryId }]);
    },
  },
];
