import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { generateSession } from "../src/bench/session-generator.ts";
import { BranchlineError } from "../src/errors.ts";
import { Session } from "../src/session/session.ts";
import type { SessionContext } from "../src/session/session-context.ts";
import type { ReadingLimits } from "../src/store/jsonl/environment.ts";
import { MemoryMachine, say } from "../src/store/jsonl/testing/memory-fixture.ts";
import type { StoreSession } from "../src/store/store.ts";
import { seededRandom } from "./builders/seeded.ts";
import { randomSession } from "./index/random-session.ts";

const PATH = "/data/s.jsonl";
/** Every file is long, and all of it may be looked at. */
const READING: ReadingLimits = { longFile: 1, context: 1e9, settings: 1e9, kept: 1e9 };

interface Answers {
  /** From the end; null where the end did not tell enough. */
  readonly before: SessionContext | null;
  readonly after: SessionContext;
  readonly whole: SessionContext;
  readonly codes: readonly string[];
}

type Asked = Pick<SessionContext, "messages"> & Partial<SessionContext>;

/** What does not depend on how the session was opened. */
function plain(context: SessionContext): Asked {
  const { verified: _verified, unproven, ...rest } = context;
  const names: readonly string[] = unproven;
  const proven = Object.entries(rest).filter(([name]) => !names.includes(name));
  return Object.fromEntries(proven) as unknown as Asked;
}

/** The same members of another one. */
function sameMembers(context: SessionContext, as: Asked): Asked {
  const members = Object.keys(as).map((name) => [name, context[name as keyof SessionContext]]);
  return Object.fromEntries(members) as unknown as Asked;
}

function assertSame(actual: SessionContext, expected: SessionContext, what: string): void {
  assert.deepEqual(plain(actual), sameMembers(expected, plain(actual)), what);
}

/** The tree as far as anybody can ask for it. */
function treeOf({ tree, problems }: StoreSession): unknown {
  const entries = [...tree.entries()].map(({ id, parent, gap, fold, ordinal }) => {
    const { depth, branch, model, thinkingLevel, activeTools, usage, messages } = fold;
    const settings = { depth, branch, model, thinkingLevel, activeTools, usage, messages };
    return { id, parent: parent?.id ?? null, gap, ordinal, settings };
  });
  return {
    ...{ entries, branches: tree.branches(), labels: [...tree.labels()], name: tree.name() },
    ...{ leaf: tree.leaf(), problems },
  };
}

/** Opens bytes from their end and as a whole, and asks both for the context. null = no session. */
async function ask(bytes: Uint8Array, reading: ReadingLimits = READING): Promise<Answers | null> {
  const machine = new MemoryMachine();
  await machine.fs.makeDirectory("/data");
  machine.fs.place(PATH, "file", Buffer.from(bytes));
  await using store = machine.store({ reading });
  const opened = await store.openFile(PATH, { verify: true }).catch((error: unknown) => {
    if (BranchlineError.is(error, "SESSION_INVALID")) return null;
    throw error;
  });
  if (opened === null) return null;
  const whole = await Session.attach(opened);
  const tail = await Session.attach(await store.openFile(PATH, { tailFirst: true }));
  const first = await tail.context();
  await tail.whenVerified();
  assert.equal(tail.verified, true);
  assert.deepEqual(treeOf(tail.store), treeOf(whole.store));
  assert.equal(tail.branch, whole.branch);
  return {
    before: first.verified ? null : first,
    after: await tail.context(),
    whole: await whole.context(),
    codes: whole.store.problems.map(({ code }) => code),
  };
}

async function askSound(bytes: Uint8Array, reading?: ReadingLimits): Promise<Answers> {
  const answers = await ask(bytes, reading);
  assert.ok(answers);
  return answers;
}

describe("a session that is opened from its end (design.md §2, F116, M19)", () => {
  it("has the context of the whole file, before and after it is verified", async () => {
    let told = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const bytes = Buffer.from(randomSession(seed, 50).lines.join(""));
      const { before, after, whole } = await askSound(bytes);
      if (before !== null) assertSame(before, whole, `seed ${seed}`);
      assert.deepEqual(after, whole, `seed ${seed}`);
      assert.deepEqual(before?.unproven ?? [], []);
      if (before !== null) told++;
    }
    assert.ok(told > 60, `${told} told by their end`);
  });

  it("names what is only likely where it did not look for settings up to the root", async () => {
    for (const seed of [1, 2, 3]) {
      const lines = [...generateSession({ seed, bytes: 3_000_000, profile: "agent" })];
      const bytes = Buffer.from(`${lines.join("\n")}\n`);
      const near = await askSound(bytes, { ...READING, settings: 1 });
      assert.ok(near.before?.unproven.includes("activeTools"), `seed ${seed}`);
      const far = await askSound(bytes);
      assert.deepEqual(far.before?.unproven, [], `seed ${seed}`);
      for (const { before, after, whole } of [near, far]) {
        assertSame(before as SessionContext, whole, `seed ${seed}`);
        assert.deepEqual(after, whole, `seed ${seed}`);
      }
    }
  });

  it("is corrected where lines are lost, doubled, swapped or cut (P7)", async () => {
    const random = seededRandom(7);
    let told = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const lines = [...randomSession(seed, 50).lines];
      for (let times = 1 + random(2); times > 0; times--) damage(lines, random);
      const answers = await ask(Buffer.from(lines.join("")));
      if (answers === null) continue;
      const { before, after, whole, codes } = answers;
      assert.deepEqual(after, whole, `seed ${seed}`);
      // An id that an earlier line has too cannot be seen from the end.
      if (before === null || codes.includes("ID_DUPLICATE")) continue;
      assertSame(before, whole, `seed ${seed}`);
      told++;
    }
    assert.ok(told > 20, `${told} told by their end`);
  });

  const root = join(import.meta.dirname, "..");
  for (const folder of ["examples/sessions", "test/golden/damaged", "../shared/fixtures/pi"]) {
    const files = filesOf(join(root, folder));
    it(`reads every file of ${folder} as ever`, { skip: files.length === 0 }, async () => {
      for (const file of files) {
        const answers = await ask(readFileSync(file));
        if (answers === null) continue;
        const { before, after, whole, codes } = answers;
        assert.deepEqual(after, whole, file);
        if (before !== null && !codes.includes("ID_DUPLICATE")) assertSame(before, whole, file);
      }
    });
  }

  it("goes on in the right place: a commit waits for the rest", async () => {
    for (const seed of [2, 5, 9, 14]) {
      const machine = new MemoryMachine();
      await machine.fs.makeDirectory("/data");
      machine.fs.place(PATH, "file", Buffer.from(randomSession(seed, 40).lines.join("")));
      await using store = machine.store({ reading: READING });
      const session = await Session.attach(await store.openFile(PATH, { tailFirst: true }));
      const { leaf } = session;
      const [entry] = await machine.run(session.append(say("on")));
      assert.equal(entry?.parentId, leaf, `seed ${seed}`);
      assert.equal(session.leaf, entry?.id);
      assert.equal(session.tree.branchOf(leaf), session.branch);
    }
  });
});

function filesOf(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    return names.map((name) => join(folder, name));
  } catch {
    // Elsewhere the shared fixtures are not there.
    return [];
  }
}

function damage(lines: string[], random: (limit: number) => number): void {
  const at = random(lines.length);
  const line = lines[at] as string;
  const to = random(lines.length);
  const kind = random(5);
  if (kind === 0) lines.splice(at, 1);
  else if (kind === 1) lines.splice(to, 0, line);
  else if (kind === 2) lines.splice(to, 0, ...lines.splice(at, 1));
  else if (kind === 3) lines[at] = line.slice(0, random(line.length));
  else lines[at] = line.replace("a", "\u0000");
}
