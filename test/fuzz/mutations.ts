import assert from "node:assert/strict";
import type { Entry } from "../../src/entry/entry.ts";
import { BranchlineError } from "../../src/errors.ts";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import { projectRaw } from "../../src/projection/raw.ts";
import { checkSession } from "../../src/session/fsck.ts";
import { Session } from "../../src/session/session.ts";
import { MemoryMachine, say } from "../../src/store/jsonl/testing/memory-fixture.ts";
import type { StoreSession } from "../../src/store/store.ts";
import { mutate } from "./mutators.ts";

const PATH = "/data/sessions/--p--/fuzz.jsonl";
/** More work than this is a hang (reliability.md §8), in ms of a processor; the inputs have some 10 kB. */
const MAX_MS = 2_000;

/** What a run over mutated files saw. */
export interface MutationReport {
  inputs: number;
  /** Files that are no session any more: refused with a typed error. */
  refused: number;
  /** Files with at least one problem reported. */
  damaged: number;
  /** Largest time for one input in ms of a processor. */
  slowestMs: number;
}

/** Which inputs. */
export interface MutationOptions {
  readonly firstSeed: number;
  readonly inputs: number;
  /** The files to begin from. */
  readonly corpus: readonly Uint8Array[];
}

/**
 * Mutated session files: nothing throws but typed errors, nothing hangs, opening writes nothing, every
 * entry has a way to the root without a circle, contexts hold whole pairs (P9), and what is appended is
 * readable and leaves everything that was readable in its place.
 */
export async function runMutations(options: MutationOptions): Promise<MutationReport> {
  const { firstSeed, inputs, corpus } = options;
  const report: MutationReport = { inputs: 0, refused: 0, damaged: 0, slowestMs: 0 };
  for (let seed = firstSeed; seed < firstSeed + inputs; seed++) {
    const random = seededRandom(seed);
    const pick = (): Uint8Array => corpus[Math.floor(random.float() * corpus.length)] as Uint8Array;
    const since = process.cpuUsage();
    try {
      const bytes = mutate(pick(), { random, other: pick() });
      await checkInput(bytes, report);
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
    const { user, system } = process.cpuUsage(since);
    const ms = (user + system) / 1000;
    assert.ok(ms < MAX_MS, `seed ${seed}: ${ms} ms`);
    report.slowestMs = Math.max(report.slowestMs, ms);
    report.inputs++;
  }
  return report;
}

async function checkInput(bytes: Uint8Array, report: MutationReport): Promise<void> {
  const machine = new MemoryMachine();
  for (const folder of ["/data", "/data/sessions", "/data/sessions/--p--"])
    machine.fs.place(folder, "directory");
  machine.fs.place(PATH, "file", bytes);
  await machine.run(readAndAppend(machine, report));
}

async function readAndAppend(machine: MemoryMachine, report: MutationReport): Promise<void> {
  const store = await openTyped(machine, report);
  if (store === null) return;
  const session = await Session.attach(store);
  const found = await readAll(store);
  checkPath(store);
  checkPairs((await session.context()).messages);
  projectRaw(await store.getAll(store.tree.rawPath(store.tree.leaf()).map(({ id }) => id)));
  const checked = await checkSession(store);
  if (!checked.ok) report.damaged++;
  const changes = machine.fs.ops.filter(({ operation }) => operation === "write");
  assert.deepEqual(changes, [], "reading wrote to the disk");
  if (session.readOnly === null) await append(machine, session, found);
  else await session.close();
}

async function openTyped(
  machine: MemoryMachine,
  report: MutationReport,
): Promise<StoreSession | null> {
  try {
    return await machine.store().openFile(PATH);
  } catch (error) {
    if (!BranchlineError.is(error, "SESSION_INVALID")) throw error;
    report.refused++;
    return null;
  }
}

async function append(
  machine: MemoryMachine,
  session: Session,
  found: readonly Entry[],
): Promise<void> {
  const [entry] = await session.append(say("behind the damage"));
  await session.close();
  const again = await machine.store().openFile(PATH);
  const after = await readAll(again);
  await again.close();
  assert.equal(JSON.stringify(after.at(-1)), JSON.stringify(entry), "the append is not the last");
  const left = new Set(after.map((one) => JSON.stringify(one)));
  for (const one of found) {
    assert.ok(left.has(JSON.stringify(one)), `an entry left after an append: ${one.id}`);
  }
}

async function readAll(store: StoreSession): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of store.scan()) entries.push(entry);
  return entries;
}

/** From every entry the root is reached, each time by an earlier step count than there are entries. */
function checkPath(store: StoreSession): void {
  const { tree } = store;
  for (const { id, head } of tree.branches()) {
    assert.ok(tree.path(head).length <= tree.size, `branch ${id} runs in a circle`);
  }
}

/** P9: every result has its call before it, every call its result. */
function checkPairs(messages: readonly unknown[]): void {
  const open = new Set<unknown>();
  for (const message of messages as readonly Readonly<Record<string, unknown>>[]) {
    if (message.role === "toolResult") {
      assert.ok(open.delete(message.toolCallId), "a result without its call in the context");
    }
    if (message.role !== "assistant" || !Array.isArray(message.content)) continue;
    for (const block of message.content as readonly Readonly<Record<string, unknown>>[]) {
      if (block?.type === "toolCall") open.add(block.id);
    }
  }
  assert.equal(open.size, 0, "a call without its result in the context");
}
