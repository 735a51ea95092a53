import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ErrorCode } from "../../errors.ts";
import { BranchlineError } from "../../errors.ts";
import type { JsonlStoreOptions } from "./jsonl-store.ts";
import { MemoryMachine, piHeader, piLine, say, textsOf } from "./testing/memory-fixture.ts";

const NFS: Partial<JsonlStoreOptions> = { networkOf: () => "nfs" };
const PATH = "/data/sessions/s.jsonl";
const CONTENT = `${piHeader("s")}${piLine("a", null, "one")}`;

/** A machine whose one session another one made. */
function machine(): MemoryMachine {
  const made = new MemoryMachine();
  made.fs.place("/data", "directory");
  made.fs.place("/data/sessions", "directory");
  made.fs.place(PATH, "file", Buffer.from(CONTENT));
  return made;
}

async function refuses(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(work, (error) => BranchlineError.is(error, code));
}

describe("a network file system (F033, reliability.md §5)", () => {
  it("is read, and refuses every write with PLACE_REFUSED; no byte changes", async () => {
    const host = machine();
    await using store = host.store(NFS);
    await using session = await store.open("s");
    assert.deepEqual(await textsOf(session), ["one"]);
    await refuses(session.commit({ entries: [say("two")] }), "PLACE_REFUSED");
    await refuses(store.create({ cwd: "/p" }), "PLACE_REFUSED");
    await refuses(store.create({ cwd: "/p", id: "named" }), "PLACE_REFUSED");
    await refuses(store.trash("s"), "PLACE_REFUSED");
    await refuses(store.purge("s"), "PLACE_REFUSED");
    await refuses(store.relocate(PATH, "/q"), "PLACE_REFUSED");
    await refuses(store.values.set({ resource: "r" }, "key", 1), "PLACE_REFUSED");
    assert.equal(Buffer.from(host.fs.bytes(PATH)).toString(), CONTENT);
  });

  it("is named in the error, with a way out", async () => {
    await using store = machine().store(NFS);
    const refusal = await store.create({ cwd: "/p" }).catch((error: unknown) => error);
    assert.ok(BranchlineError.is(refusal, "PLACE_REFUSED"));
    assert.equal(refusal.fields.fileSystem, "nfs");
    assert.match(refusal.hint ?? "", /--allow-network/);
  });

  it("is written where the caller says that only one machine writes there", async () => {
    const host = machine();
    await using store = host.store({ ...NFS, allowNetwork: true });
    await using session = await store.open("s");
    await session.commit({ entries: [say("two")] });
    await (await store.create({ cwd: "/p" })).close();
    assert.deepEqual(await textsOf(session), ["one", "two"]);
  });

  it("keeps what lies in the trash there: nothing is restored", async () => {
    const host = machine();
    await using local = host.store();
    await local.trash("s");
    await using store = host.store(NFS);
    await refuses(store.restore("s"), "PLACE_REFUSED");
    assert.equal((await store.listTrash()).length, 1);
  });

  it("is asked for once by a session, not at each commit", async () => {
    let asked = 0;
    const networkOf = (): null => {
      asked++;
      return null;
    };
    await using store = machine().store({ networkOf });
    await using session = await store.open("s");
    for (const text of ["two", "three", "four"]) await session.commit({ entries: [say(text)] });
    assert.equal(asked, 1);
  });
});

describe("where a session lies", () => {
  it("is told: the network file system, the program that syncs the folder, or neither", async () => {
    const host = machine();
    assert.deepEqual(await host.store().placeOf(PATH), { network: null, synced: null });
    assert.deepEqual(await host.store(NFS).placeOf(PATH), { network: "nfs", synced: null });
    host.fs.place("/data/.stfolder", "directory");
    assert.deepEqual(await host.store().placeOf(PATH), { network: null, synced: "Syncthing" });
  });

  it("is told also where a folder above cannot be looked into", async () => {
    const host = machine();
    const fileSystem = Object.assign(Object.create(host.fs) as typeof host.fs, {
      lstat: async () => {
        throw new RangeError("no");
      },
    });
    assert.equal((await host.store({ fileSystem }).placeOf(PATH)).synced, null);
  });
});

describe("two machines with one file in a synced folder", () => {
  it("the copy that the program makes of a conflict is a second file of the id: both are named", async () => {
    const host = machine();
    const conflict = "/data/sessions/s (conflicted copy of another machine).jsonl";
    host.fs.place(conflict, "file", Buffer.from(`${piHeader("s")}${piLine("b", null, "other")}`));
    await using store = host.store();
    const refusal = await store.open("s").catch((error: unknown) => error);
    assert.ok(BranchlineError.is(refusal, "SESSION_AMBIGUOUS"));
    assert.deepEqual([...refusal.fields.matches].sort(), [conflict, PATH].sort());
    await using named = await store.openFile(conflict);
    assert.deepEqual(await textsOf(named), ["other"]);
  });

  it("a file that the program replaces under an open handle is FILE_REPLACED (F011), and opens anew", async () => {
    const host = machine();
    await using store = host.store();
    const session = await store.open("s");
    await session.commit({ entries: [say("two")] });
    const theirs = `${CONTENT}${piLine("b", "a", "from the other machine")}`;
    host.fs.place("/data/sessions/.new", "file", Buffer.from(theirs));
    await host.fs.rename("/data/sessions/.new", PATH);
    await refuses(session.commit({ entries: [say("three")] }), "FILE_REPLACED");
    assert.equal(Buffer.from(host.fs.bytes(PATH)).toString(), theirs);
    await using again = await store.open("s");
    assert.deepEqual(await textsOf(again), ["one", "from the other machine"]);
  });
});
