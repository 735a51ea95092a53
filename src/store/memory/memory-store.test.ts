import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../../errors.ts";
import type { SessionStore } from "../store.ts";
import type { StoreFixture } from "../testing/contract.ts";
import { user } from "../testing/drafts.ts";
import { addMany } from "../testing/expect.ts";
import { runContract } from "../testing/run-contract.ts";
import { StoreDecorator } from "../testing/store-decorator.ts";
import { createMemoryStore, memoryCapabilities } from "./memory-store.ts";

function fixtureOf(store: SessionStore): StoreFixture {
  return {
    store,
    reopen: () => {
      throw new BranchlineError(
        "NOT_SUPPORTED",
        { feature: "reopen" },
        { message: "Not durable." },
      );
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

runContract(
  {
    name: "memory",
    capabilities: memoryCapabilities,
    makeFixture: async () => fixtureOf(createMemoryStore()),
  },
  test,
);
runContract(
  {
    name: "memory through a decorator",
    capabilities: memoryCapabilities,
    makeFixture: async () => fixtureOf(new StoreDecorator(createMemoryStore())),
  },
  test,
);

test("clock and random source of the caller decide times and ids", async () => {
  let calls = 0;
  const options = {
    clock: { now: () => Date.UTC(2024, 0, 1) },
    random: { bytes: (count: number) => new Uint8Array(count).fill(++calls) },
  };
  await using store = createMemoryStore(options);
  await using session = await store.create({ cwd: "/p" });
  assert.equal(session.id, "018cc251-f400-7101-8101-010101010101");
  assert.equal(session.header.timestamp, "2024-01-01T00:00:00.000Z");
  const { entries } = await session.commit({ entries: [user("a")] });
  assert.equal(entries[0]?.id, "02".repeat(10));
  assert.equal(entries[0]?.timestamp, "2024-01-01T00:00:00.000Z");
});

test("a tree stays as it was until its handle commits, refreshes or follows", async () => {
  await using store = createMemoryStore();
  await using one = await store.create({ id: "s", cwd: "/p" });
  await using two = await store.open("s");
  const [id] = await addMany(one, 1);
  assert.equal(two.tree.size, 0);
  assert.equal(await two.get(id as string), undefined);
  assert.equal((await two.summary()).entries, 0);
  await using three = await store.open("s");
  assert.equal(three.tree.size, 1);
  const events = two.follow()[Symbol.asyncIterator]();
  assert.equal(two.tree.size, 1);
  await addMany(one, 1);
  assert.equal(two.tree.size, 2);
  await events.return?.();
  await addMany(one, 2);
  assert.equal(two.tree.size, 2);
  await two.refresh();
  assert.equal(two.tree.size, 4);
});

test("a session of a memory store has no file", async () => {
  await using store = createMemoryStore();
  await using session = await store.create({ cwd: "/p" });
  assert.equal(session.file, null);
  assert.deepEqual((await session.summary()).bytes, 0);
});

test("a chain of 200,000 entries is written, walked and summed up in linear time", async () => {
  await using store = createMemoryStore();
  await using session = await store.create({ cwd: "/p" });
  for (let round = 0; round < 200; round++) {
    await session.commit({ entries: Array.from({ length: 1000 }, () => user("x")) });
  }
  let count = 0;
  for await (const _entry of session.path(session.tree.leaf())) count++;
  assert.equal(count, 200_000);
  assert.equal((await session.summary()).messages, 200_000);
});
