import type { EntryDraft } from "../../src/entry/entry.ts";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import { forkSession } from "../../src/session/fork.ts";
import { Session } from "../../src/session/session.ts";
import type { JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { applyRepair } from "../../src/store/jsonl/repair.ts";
import {
  MemoryMachine,
  piHeader,
  piLine,
  say,
} from "../../src/store/jsonl/testing/memory-fixture.ts";

/** One change of a store, from an equal beginning each time. */
export interface Script {
  readonly name: string;
  /** A machine with sessions on it, on which nothing fails. */
  prepare(): Promise<MemoryMachine>;
  /** The change, made by a store that has just been opened. */
  step(store: JsonlStore, machine: MemoryMachine): Promise<void>;
}

const ID = "one";
const PI_PATH = "/data/sessions/--p--/pi.jsonl";

function assistant(text: string, payload = ""): EntryDraft {
  const content = [{ type: "text", text: `${text}${payload}` }];
  return { type: "message", message: { role: "assistant", provider: "p", model: "m", content } };
}

/** A session of four messages with a branch, a session of Pi, one in the trash, and a value. */
async function prepare(): Promise<MemoryMachine> {
  const machine = new MemoryMachine();
  await machine.run(fill(machine));
  return machine;
}

async function fill(machine: MemoryMachine): Promise<void> {
  const store = machine.store();
  const session = await Session.attach(await store.create({ id: ID, cwd: "/p" }), {
    clock: machine.clock,
    random: seededRandom(7),
  });
  await session.append([say("a"), assistant("b"), say("c"), assistant("d", "x".repeat(3000))]);
  const [first] = await firstIds(session);
  await session.createBranch("left", first);
  await session.close();
  await (await store.create({ id: "gone", cwd: "/p" })).close();
  await store.trash("gone");
  await store.values.set({ session: ID }, "k", 1);
  await store.close();
  const text = piHeader("pi") + piLine("p1", null, "von Pi") + piLine("p2", "p1", "noch eins");
  machine.fs.place(PI_PATH, "file", `${text}{"type":"mess`);
}

async function firstIds(session: Session): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of session.store.scan()) ids.push(id);
  return ids;
}

async function withSession(
  store: JsonlStore,
  work: (session: Session) => Promise<unknown>,
): Promise<void> {
  const session = await Session.attach(await store.open(ID));
  try {
    await work(session);
  } finally {
    await session.close();
  }
}

async function commit(store: JsonlStore, id: string, drafts: readonly EntryDraft[]): Promise<void> {
  const session = await store.open(id);
  try {
    await session.commit({ entries: drafts, key: "the step" });
  } finally {
    await session.close();
  }
}

type Step = Script["step"];

const STEPS: Readonly<Record<string, Step>> = {
  "create a session": async (store) => (await store.create({ id: "new", cwd: "/q" })).close(),
  "append one entry": (store) => commit(store, ID, [say("e")]),
  "append a group": (store) => commit(store, ID, [say("e"), assistant("f"), say("g")]),
  "append behind the torn tail of Pi": (store) => commit(store, "pi", [say("q3")]),
  "move the leaf": (store) =>
    withSession(store, async (session) => session.moveLeaf((await firstIds(session))[1] ?? null)),
  "set a label": (store) =>
    withSession(store, async (session) =>
      session.setLabel((await firstIds(session))[0] ?? "", "L"),
    ),
  "trash a session": (store) => store.trash(ID),
  "restore a session": (store) => store.restore("gone"),
  "archive a session": async (store) => {
    await store.upkeep.archive(await store.findFile(ID));
  },
  "repair a session of Pi": async (_store, machine) => {
    await applyRepair(PI_PATH, {
      fileSystem: machine.fs,
      clock: machine.clock,
      makeLock: (path) => machine.lock(path),
    });
  },
  "set a value": (store) => store.values.set({ session: ID }, "k", 2),
  "fork a session": async (store) => {
    const from = await Session.attach(await store.open(ID));
    try {
      await (await forkSession({ from, at: from.leaf, store })).close();
    } finally {
      await from.close();
    }
  },
};

/** The scripted workloads of reliability.md §10 "n-th operation failure". */
export const SCRIPTS: readonly Script[] = Object.entries(STEPS).map(([name, step]) => ({
  name,
  prepare,
  step,
}));
