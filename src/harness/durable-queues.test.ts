import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { cloneSession } from "../session/fork.ts";
import { Session } from "../session/session.ts";
import { compaction, newFixture, talk, texts, user } from "../session/testing/session-fixture.ts";
import { createJsonlStore } from "../store/jsonl/jsonl-store.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { refused } from "../store/testing/expect.ts";
import { GatingStore } from "../store/testing/gating-store.ts";
import { DurableQueues } from "./durable-queues.ts";
import type { QueuedMessage } from "./queue.ts";
import { queueDraft } from "./queue-rows.ts";
import { deliverQueued } from "./testing/deliver-queued.ts";

const said = (queued: readonly QueuedMessage[]): unknown[] => queued.map(({ content }) => content);

interface Scene {
  readonly session: Session;
  readonly queues: DurableQueues;
  /** The same session as another process sees it. */
  again(): Promise<{ readonly session: Session; readonly queues: DurableQueues }>;
}

async function scene(): Promise<Scene> {
  const { session, again } = await newFixture();
  return {
    session,
    queues: await DurableQueues.load(session),
    again: async () => {
      const other = await again();
      return { session: other, queues: await DurableQueues.load(other) };
    },
  };
}

test("what was accepted stands in its queue, whole, in order, for everybody", async () => {
  const { queues, again } = await scene();
  const image = [
    { type: "text", text: "look" },
    { type: "image", data: "AA==", mimeType: "image/png" },
  ];
  const first = await queues.add("steer", image, { branch: "main" });
  await queues.add("followUp", "then 测试");
  await queues.add("nextTurn", "later");
  assert.deepEqual(said(queues.list()), [image, "then 测试", "later"]);
  const other = await again();
  assert.deepEqual(other.queues.list(), queues.list());
  assert.deepEqual(other.queues.list("steer"), [first]);
  assert.equal(first.branch, "main");
  assert.equal(other.queues.list("nextTurn")[0]?.branch, null);
  assert.ok(Number.isFinite(Date.parse(first.timestamp)));
});

test("F094: each message has exactly one outcome; a second one is QUEUE_ITEM_UNKNOWN", async () => {
  const { session, queues } = await scene();
  const ids: string[] = [];
  for (const text of ["a", "b", "c", "d"]) ids.push((await queues.add("followUp", text)).id);
  const [a = "", b = "", c = "", d = ""] = ids;
  assert.equal((await queues.remove(a)).content, "a");
  assert.equal((await queues.fail(b, "the hook refused it")).content, "b");
  assert.deepEqual(said(await queues.giveBack([c, c, a, "nobody"])), ["c"]);
  assert.equal(await deliverQueued(session, queues, d), true);
  assert.deepEqual(queues.list(), []);
  for (const id of [...ids, "nobody"]) {
    for (const call of [
      () => queues.remove(id),
      () => queues.edit(id, "x"),
      () => queues.fail(id, "x"),
    ]) {
      const { fields } = await refused("QUEUE_ITEM_UNKNOWN", call);
      assert.equal(fields.id, id);
    }
    assert.equal(queues.outcomeOf(id, "run"), null);
  }
  assert.deepEqual(await texts(session), ["d"]);
});

test("an edited message keeps its place and is delivered as it was edited last", async () => {
  const { session, queues, again } = await scene();
  const { id } = await queues.add("steer", "one");
  await queues.add("steer", "two");
  const other = await again();
  assert.equal((await other.queues.edit(id, "first")).content, "first");
  await other.queues.edit(id, [{ type: "text", text: "FIRST" }]);
  // This handle has not seen the edits: its delivery of the old text is refused.
  assert.equal(await deliverQueued(session, queues, id), false);
  assert.deepEqual(said(queues.list()), [[{ type: "text", text: "FIRST" }], "two"]);
  assert.equal(await deliverQueued(session, queues, id), true);
  assert.deepEqual(await texts(session), ["FIRST"]);
});

test("F036 F090: of a removal, an edit and two deliveries at the same time one wins", async () => {
  for (let round = 0; round < 20; round++) {
    const { session, queues, again } = await scene();
    const { id } = await queues.add("steer", "x");
    const [one, two, three] = [await again(), await again(), await again()];
    const outcomes = await Promise.all([
      deliverQueued(session, queues, id),
      deliverQueued(one.session, one.queues, id),
      two.queues.giveBack([id]).then((back) => back.length === 1),
      three.queues.giveBack([id]).then((back) => back.length === 1),
    ]);
    assert.equal(outcomes.filter(Boolean).length, 1);
    await session.refresh();
    const delivered = outcomes[0] === true || outcomes[1] === true;
    assert.deepEqual(await texts(session), delivered ? ["x"] : []);
  }
});

test("a retry with its key adds nothing; the key with another content is KEY_REUSED", async () => {
  const { queues, again } = await scene();
  const first = await queues.add("steer", "x", { key: "k" });
  assert.deepEqual(await queues.add("steer", "x", { key: "k" }), first);
  const other = await again();
  assert.deepEqual(await other.queues.add("steer", "x", { key: "k" }), first);
  await refused("KEY_REUSED", () => other.queues.add("steer", "y", { key: "k" }));
  await queues.remove("k");
  // A late retry of what is settled brings nothing back.
  assert.equal((await queues.add("steer", "x", { key: "k" })).id, "k");
  assert.deepEqual(queues.list(), []);
});

test("P5: what was not accepted is not there; what was written without an answer is, once", async () => {
  const gated = new GatingStore(createMemoryStore());
  const session = await Session.attach(await gated.create({ id: "g", cwd: "/p" }));
  const queues = await DurableQueues.load(session);
  gated.gate.failNext(new Error("disk"), "before");
  await assert.rejects(queues.add("steer", "lost", { key: "a" }), /disk/);
  assert.deepEqual(queues.list(), []);
  gated.gate.failNext(new Error("sync"), "after");
  await assert.rejects(queues.add("steer", "there", { key: "b" }), /sync/);
  await queues.add("steer", "there", { key: "b" });
  assert.deepEqual(said(queues.list()), ["there"]);
  const { id } = await queues.add("steer", "z");
  gated.gate.failNext(new Error("disk"), "before");
  await assert.rejects(queues.remove(id), /disk/);
  assert.equal(queues.list().length, 2);
});

test("queues go through compaction, navigation and other branches; they move nobody (F093)", async () => {
  const { session, queues, again } = await scene();
  const [first = "", second = ""] = await talk(session, 2);
  await queues.add("followUp", "waits");
  await session.append(compaction(first));
  await session.moveLeaf(first);
  await queues.add("nextTurn", "waits too");
  assert.deepEqual(said(queues.list()), ["waits", "waits too"]);
  const reader = await again();
  const detached = await Session.attach(session.store, { at: second });
  const own = await DurableQueues.load(detached);
  await own.add("steer", "from afar");
  assert.equal(detached.detached, true);
  assert.equal(await reader.queues.refresh(), true);
  assert.equal(await reader.queues.refresh(), false);
  assert.deepEqual(said(reader.queues.list()), ["waits", "waits too", "from afar"]);
  assert.deepEqual(await texts(session), ["u1"]);
});

test("a copy starts with empty queues", async () => {
  const { store, session } = await newFixture();
  await talk(session, 1);
  const queues = await DurableQueues.load(session);
  await queues.add("steer", "x");
  const copied = await cloneSession({ from: session, store });
  const copy = await Session.attach(copied);
  // A row that came along in spite of it (another program's copy) has no effect either.
  await copy.append(
    queueDraft(session.id, {
      event: "add",
      id: "old",
      queue: "steer",
      content: "old",
      branch: null,
    }),
  );
  assert.deepEqual((await DurableQueues.load(copy)).list(), []);
});

test("rows of any other shape have no effect (P7)", async () => {
  const { session, queues } = await scene();
  const kept = await queues.add("steer", "kept");
  const rows: unknown[] = [
    null,
    {},
    { id: 1, event: "add", queue: "steer", content: "x" },
    { id: "n", event: "add", queue: "steer" },
    { id: "n", event: "add", queue: "other", content: "x" },
    { id: "n", event: "add", queue: "steer", content: [{ text: "x" }] },
    { id: kept.id, event: "add", queue: "steer", content: "again" },
    { id: kept.id, event: "edit", version: 0, content: 5 },
    { id: kept.id, event: "edit", version: "0", content: "x" },
    { id: kept.id, event: "removed", version: 7 },
    { id: kept.id, event: "eaten", version: 0 },
    { id: "nobody", event: "removed", version: 0 },
  ];
  for (const row of rows) {
    const data = row === null ? null : { session: session.id, ...(row as object) };
    await session.append({ type: "custom", customType: "branchline.queue", data });
  }
  assert.equal(await queues.refresh(), false);
  assert.deepEqual(queues.list(), [kept]);
  assert.deepEqual((await DurableQueues.load(session)).list(), [kept]);
  await refused("ENTRY_INVALID", () => queues.add("steer", JSON.parse("[1]")));
  await refused("ENTRY_INVALID", () => queues.edit(kept.id, JSON.parse("{}")));
});

/** What every accepted message is now, and what was delivered. */
class Model {
  readonly waiting = new Map<string, string>();
  readonly delivered: string[] = [];
}

async function randomRun(seed: number, make: () => Promise<Session>): Promise<void> {
  const random = seededRandom(seed);
  const model = new Model();
  const open = async (): Promise<[Session, DurableQueues]> => {
    const session = await make();
    return [session, await DurableQueues.load(session)];
  };
  const handles = [await open(), await open()];
  for (let step = 0; step < 60; step++) {
    const at = random(2);
    if (random(12) === 0) handles[at] = await open();
    const [session, queues] = handles[at] as [Session, DurableQueues];
    const id = [...model.waiting.keys()][random(Math.max(1, model.waiting.size))];
    await randomStep({ session, queues, model, id, roll: random(8), text: `t${step}` });
    await queues.refresh();
    const shown = queues.list().map((one) => [one.id, one.content]);
    assert.deepEqual(shown, [...model.waiting], `seed ${seed}, step ${step}`);
  }
  const [session] = handles[0] as [Session, DurableQueues];
  await session.refresh();
  const users: string[] = [];
  for await (const entry of session.store.scan({ roles: ["user"] })) {
    users.push((entry as unknown as { message: { content: string } }).message.content);
  }
  assert.deepEqual(users, model.delivered, `seed ${seed}`);
}

interface Step {
  readonly session: Session;
  readonly queues: DurableQueues;
  readonly model: Model;
  readonly id: string | undefined;
  readonly roll: number;
  readonly text: string;
}

async function randomStep({ session, queues, model, id, roll, text }: Step): Promise<void> {
  if (id === undefined || roll < 3) {
    const { id: added } = await queues.add("followUp", text);
    model.waiting.set(added, text);
  } else if (roll === 3) {
    await queues.edit(id, text);
    model.waiting.set(id, text);
  } else if (roll === 4) {
    await queues.remove(id);
    model.waiting.delete(id);
  } else if (roll === 5) {
    const [first] = [...session.tree.entries()];
    await session.moveLeaf(first?.id ?? null);
  } else {
    const content = model.waiting.get(id) ?? "";
    while (!(await deliverQueued(session, queues, id))) await queues.refresh();
    model.waiting.delete(id);
    model.delivered.push(content);
  }
}

function seededRandom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test("random steps of two handles: the queues are what the model says, each message delivered at most once", async () => {
  const first = Number(process.env.SEED ?? Date.now() % 0x7fffffff);
  console.log(`seed ${first}`);
  for (let seed = first; seed < first + 40; seed++) {
    const store = createMemoryStore();
    await (await store.create({ id: "q", cwd: "/p" })).close();
    await randomRun(seed, async () => Session.attach(await store.open("q")));
  }
});

async function folder(context: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "branchline-queues-"));
  context.after(() => rm(root, { recursive: true }));
  return root;
}

test("the same on files, each handle in a store of its own", async (context) => {
  const root = await folder(context);
  const make = createJsonlStore({ root, durability: "process" });
  const stores = [make];
  for (let seed = 1; seed <= 3; seed++) {
    const id = `q${seed}`;
    await (await make.create({ id, cwd: "/p" })).close();
    await randomRun(seed, async () => {
      const store = createJsonlStore({ root, durability: "process" });
      stores.push(store);
      return Session.attach(await store.open(id));
    });
  }
  for (const store of stores) await store.close();
});

test("a crash right after the answer loses nothing: a new process finds the row", async (context) => {
  const root = await folder(context);
  const store = createJsonlStore({ root });
  const session = await Session.attach(await store.create({ id: "s", cwd: "/p" }));
  await session.append(user("hello"));
  await (await DurableQueues.load(session)).add("steer", "kept");
  // Nothing is closed: what a kill leaves.
  await using other = createJsonlStore({ root });
  const seen = await DurableQueues.load(await Session.attach(await other.open("s")));
  assert.deepEqual(said(seen.list()), ["kept"]);
  await store.close();
});
