import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { BranchlineError } from "../errors.ts";
import { seededRandom } from "../io/testing/seeded-random.ts";
import { MemoryMachine, piHeader, say } from "../store/jsonl/testing/memory-fixture.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import type { StoreSession } from "../store/store.ts";
import { mulberry32 } from "../store/testing/mulberry32.ts";
import { cloneSession, forkSession } from "./fork.ts";
import { checkSession } from "./fsck.ts";
import { Session } from "./session.ts";
import { add, assistant, compaction, NOW, talk, user } from "./testing/session-fixture.ts";

const FILE = "/data/s.jsonl";
const clock = { now: () => NOW };

async function newSession(machine: MemoryMachine): Promise<Session> {
  return Session.attach(await machine.store().create({ id: "s", cwd: "/p" }));
}

/** What the model gets, and where it is told that something is missing. */
async function contextOf(store: StoreSession): Promise<unknown> {
  const session = await Session.attach(store);
  const { messages, model, thinkingLevel, activeTools, gaps } = await session.context();
  return { messages, model, thinkingLevel, activeTools, gaps: gaps.length };
}

/** Ids and parents in file order; placeholders and label rows have ids that nobody chose. */
async function shapeOf(store: StoreSession): Promise<unknown> {
  const given = new Map<string, string>();
  const nameOf = (id: string | null): string | null => (id === null ? null : (given.get(id) ?? id));
  const rows: unknown[] = [];
  for await (const entry of store.scan()) {
    const { id, parentId, ...rest } = entry as Entry & Record<string, unknown>;
    const isMade = entry.type === "label" || rest.customType === "branchline.gap";
    if (isMade) given.set(id, `made-${rows.length}`);
    const data = typeof rest.data === "object" ? { ...rest.data, session: "" } : rest.data;
    rows.push([nameOf(id), nameOf(parentId), { ...rest, data }, store.tree.get(id)?.fold.usage]);
  }
  return rows;
}

test("a linked clone reads the path where it is and goes on in a file of its own (F121)", async () => {
  const machine = new MemoryMachine();
  const session = await newSession(machine);
  const [u1] = await talk(session, 2);
  await session.append({ type: "model_change", provider: "p", modelId: "m" });
  const store = machine.store();
  const made = await cloneSession({ from: session, store, clock, how: "link" });
  assert.equal(made.header.parentSession, session.file);
  const { link } = made;
  assert.deepEqual([link?.session, link?.entry, link?.entries], ["s", session.leaf, 5]);
  assert.deepEqual(await contextOf(made), await contextOf(session.store));
  const copy = await Session.attach(made);
  await add(copy, user("on"));
  // What happens in the old session afterwards is nothing of the new one.
  await session.moveLeaf(u1 ?? null);
  await add(session, user("elsewhere"));
  await session.setLabel(u1 ?? "", "later");
  const read = await machine.store().openFile(made.file ?? "");
  for (const one of [made, read]) {
    const { messages } = await (await Session.attach(one)).context();
    assert.equal(messages.length, 5);
    assert.equal(one.tree.size, 6);
    assert.equal(one.tree.labels().size, 0);
    assert.deepEqual((await checkSession(one)).problems, []);
  }
  assert.equal(
    Buffer.from(machine.fs.bytes(made.file ?? ""))
      .toString()
      .split("\n").length,
    3,
  );
});

test("nothing to link: before the first entry, without a file, outside of the known folders", async () => {
  const machine = new MemoryMachine();
  const session = await newSession(machine);
  const store = machine.store();
  const empty = await forkSession({ from: session, at: null, store, how: "link" });
  assert.deepEqual([empty.link, empty.tree.size], [undefined, 0]);
  await add(session, user("u1"));
  const memory = createMemoryStore();
  const isCode = (code: "NOT_SUPPORTED" | "TARGET_INVALID") => (error: unknown) =>
    BranchlineError.is(error, code);
  const into = cloneSession({ from: session, store: memory, how: "link" });
  await assert.rejects(into, isCode("NOT_SUPPORTED"));
  const other = await Session.attach(await memory.create({ cwd: "/p" }));
  await add(other, user("u1"));
  const outOf = cloneSession({ from: other, store, how: "link" });
  await assert.rejects(outOf, isCode("NOT_SUPPORTED"));
  const elsewhere = machine.store({ root: "/other" });
  const far = cloneSession({ from: session, store: elsewhere, how: "link" });
  await assert.rejects(far, isCode("TARGET_INVALID"));
  const known = machine.store({ root: "/other", bases: ["/data"] });
  const made = await cloneSession({ from: session, store: known, how: "link" });
  assert.deepEqual(await contextOf(made), await contextOf(session.store));
});

type Dice = (sides: number) => number;

/** One step of somebody's work; wrong ones are refused by the session and count for nothing. */
async function randomStep(session: Session, dice: Dice): Promise<void> {
  const ids = [...session.tree.entries()].map(({ id }) => id);
  const any = (): string => ids[dice(ids.length)] ?? "";
  const steps: readonly (() => Promise<unknown>)[] = [
    () => add(session, user(`u${ids.length}`)),
    () => add(session, assistant(`a${ids.length}`)),
    () => add(session, user(`again ${ids.length}`)),
    () => session.setLabel(any(), dice(3) === 0 ? null : `label ${ids.length}`),
    () => session.moveLeaf(any()),
    () => session.createBranch(`b${ids.length}`),
    () => session.hide(any()),
    () => session.replace(any(), "other"),
    () => add(session, compaction(any(), `so far ${ids.length}`)),
    () => session.uncompact(),
    () => session.undo(),
    () => session.rename(`name ${ids.length}`),
    () => session.append({ type: "thinking_level_change", thinkingLevel: "high" }),
    () => session.append({ type: "model_change", provider: "p", modelId: `m${ids.length}` }),
  ];
  try {
    await steps[dice(steps.length)]?.();
  } catch (error) {
    if (!BranchlineError.is(error)) throw error;
  }
}

/** The same file as another program, or damage, may leave it: a line of it is gone. */
function withoutLine(machine: MemoryMachine, file: string, dice: Dice): void {
  const lines = Buffer.from(machine.fs.bytes(file)).toString().split("\n");
  lines.splice(1 + dice(lines.length - 2), 1);
  machine.fs.place(file, "file", lines.join("\n"));
}

test("the context and tree of a linked fork are those of a copy, links of links too (F088, F121)", async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const machine = new MemoryMachine();
    const random = mulberry32(seed);
    const dice: Dice = (sides) => Math.floor(random() * sides);
    machine.fs.place("/data", "directory");
    machine.fs.place(FILE, "file", piHeader("s"));
    let session = await Session.attach(await machine.store().openFile(FILE));
    for (let step = 0; step < 12 + dice(30); step++) await randomStep(session, dice);
    if (dice(2) === 0) {
      withoutLine(machine, FILE, dice);
      session = await Session.attach(await machine.store().openFile(FILE));
    }
    for (let depth = 0; depth < 2; depth++) {
      const ids = [null, ...[...session.tree.entries()].map(({ id }) => id)];
      const at = ids[dice(ids.length)] ?? null;
      const store = machine.store();
      const options = {
        from: session,
        at,
        store,
        clock,
        random: seededRandom(1000 + 2 * seed + depth),
      };
      const copy = await forkSession(options).catch((error: unknown) => error);
      const name = `seed ${seed}, at ${at}, depth ${depth}`;
      if (BranchlineError.is(copy)) {
        await assert.rejects(forkSession({ ...options, how: "link" }), { code: copy.code }, name);
        break;
      }
      const linked = await forkSession({ ...options, how: "link", id: `l${depth}` });
      const read = await machine.store().openFile(linked.file ?? "");
      const copied = copy as StoreSession;
      for (const one of [linked, read]) {
        assert.deepEqual(await shapeOf(one), await shapeOf(copied), name);
        assert.deepEqual(await contextOf(one), await contextOf(copied), name);
        assert.deepEqual(one.problems, [], name);
      }
      session = await Session.attach(read);
      for (let step = 0; step < 6; step++) await randomStep(session, dice);
      const again = await machine.store().openFile(linked.file ?? "");
      assert.deepEqual(await contextOf(again), await contextOf(read), name);
    }
  }
});

test("a copying fork of a linked session holds all of it", async () => {
  const machine = new MemoryMachine();
  const session = await newSession(machine);
  await talk(session, 2);
  const linked = await cloneSession({ from: session, store: machine.store(), how: "link" });
  const middle = await Session.attach(linked);
  await middle.append(say("on"));
  const copy = await cloneSession({ from: middle, store: machine.store() });
  const before = await contextOf(linked);
  await session.close();
  await machine.store().purge(session.id, { links: "break" });
  assert.equal(copy.link, undefined);
  assert.deepEqual(await contextOf(copy), before);
  const read = await machine.store().openFile(copy.file ?? "");
  assert.deepEqual(await contextOf(read), before);
  assert.deepEqual((await checkSession(read)).problems, []);
});
