import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Entry } from "../../src/entry/entry.ts";
import { BranchlineError } from "../../src/errors.ts";
import type { JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { MemoryMachine, say } from "../../src/store/jsonl/testing/memory-fixture.ts";
import type { StoreSession } from "../../src/store/store.ts";
import type { Image } from "./disk-image.ts";
import type { Act, Workload } from "./workload.ts";

/** A machine that finds this image when it starts. */
export function machineOf(image: Image): MemoryMachine {
  const machine = new MemoryMachine();
  for (const [path, bytes] of image) {
    machine.fs.place(path, bytes === null ? "directory" : "file", bytes ?? "");
  }
  return machine;
}

/** What must hold of a session after a crash. */
interface Claim {
  readonly id: string;
  readonly mustExist: boolean;
  readonly acked: readonly Act[];
  /** Commits that may be there whole, or not at all. */
  readonly possible: readonly Act[];
}

/** The claims at the moment when `done` operations were done. */
export function claimsAt(workload: Workload, done: number): readonly Claim[] {
  return workload.born.map(({ id, acked }) => {
    const acts = workload.acts.filter((act) => act.session === id && act.began <= done);
    const isOver = (act: Act): boolean => act.ended > 0 && act.ended <= done;
    return {
      id,
      mustExist: acked <= done,
      acked: acts.filter((act) => act.outcome === "acked" && isOver(act)),
      possible: acts.filter((act) => !isOver(act) || act.outcome === "unknown"),
    };
  });
}

/**
 * P1, P2, P4, P5 after a crash: every acknowledged entry is there byte for byte, nothing else but whole
 * commits that were under way, no entry without its parent, nothing to do by hand, and the next append
 * works and lasts.
 */
export async function checkRecovery(image: Image, claims: readonly Claim[]): Promise<void> {
  const machine = machineOf(image);
  await machine.run(checkAll(machine, claims));
}

async function checkAll(machine: MemoryMachine, claims: readonly Claim[]): Promise<void> {
  const store = machine.store();
  for (const claim of claims) {
    const session = await openSomewhere(store, claim.id);
    if (session === null) {
      assert.ok(!claim.mustExist, `the session ${claim.id} is gone`);
      continue;
    }
    const found = await checkSession(session, claim);
    if (session.readOnly !== null) continue;
    const [entry] = (await session.commit({ entries: [say("after the crash")] })).entries;
    await session.close();
    const again = await machine.store().open(claim.id);
    const all = await readAll(again);
    const expected = [...found, entry];
    assert.ok(
      isDeepStrictEqual(all, expected),
      "what is written after the crash lasts, in its place",
    );
    await again.close();
  }
  await store.close();
}

/** The session where it is: in its place, or in the trash that it was on its way through. */
async function openSomewhere(store: JsonlStore, id: string): Promise<StoreSession | null> {
  try {
    return await store.open(id);
  } catch (error) {
    // A crash between the two names of one move leaves both; they are the same file.
    if (BranchlineError.is(error, "SESSION_AMBIGUOUS")) {
      return await store.openFile(error.fields.matches[0] as string);
    }
    if (!BranchlineError.is(error, "SESSION_UNKNOWN")) throw error;
  }
  const trashed = (await store.listTrash()).find((row) => row.id === id);
  if (trashed === undefined) return null;
  await store.restore(id);
  return await store.open(id);
}

async function readAll(session: StoreSession): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.scan()) entries.push(entry);
  return entries;
}

async function checkSession(session: StoreSession, claim: Claim): Promise<readonly Entry[]> {
  const found = await readAll(session);
  const byText = new Map(found.map((entry) => [textOf(entry), entry]));
  assert.equal(byText.size, found.length, "no entry is there twice");
  for (const act of claim.acked) {
    for (const entry of act.entries) {
      const read = byText.get(textOf(entry));
      assert.ok(read !== undefined, `an acknowledged entry is lost: ${textOf(entry)}`);
      assert.ok(isDeepStrictEqual(read, entry), "an acknowledged entry has changed");
      byText.delete(textOf(entry));
    }
  }
  for (const act of claim.possible) {
    const there = act.texts.filter((text) => byText.delete(text));
    const isWhole = there.length === 0 || there.length === act.texts.length;
    assert.ok(isWhole, `half a commit is readable: ${there.join()} of ${act.texts.join()}`);
  }
  assert.deepEqual([...byText.keys()], [], "what was rejected or never asked for is readable");
  const ids = new Set<string | null>([null]);
  for (const { id, parentId } of found) {
    assert.ok(ids.has(parentId), "an entry without its parent");
    ids.add(id);
  }
  return found;
}

function textOf(entry: Entry): string {
  const { message } = entry as { readonly message?: { readonly content?: unknown } };
  return typeof message?.content === "string" ? message.content : JSON.stringify(entry);
}
