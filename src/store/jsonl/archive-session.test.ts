import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { BranchlineError } from "../../errors.ts";
import { openArchive } from "../../io/archive-file.ts";
import type { FileSystem } from "../../io/file-system.ts";
import type { Operation } from "../../io/testing/fault-plan.ts";
import type { SessionSummary } from "../store.ts";
import { createJsonlStore, type JsonlStore } from "./jsonl-store.ts";
import { applyRepair } from "./repair.ts";
import { scanHandle } from "./scan-bytes.ts";
import { MemoryMachine, piHeader, piLine, say, textsOf } from "./testing/memory-fixture.ts";

const PATH = "/data/sessions/a.jsonl";
const TEXT = `${piHeader("s")}${piLine("e1", null, "你好")}${piLine("e2", "e1", "two")}{"torn`;

const hasCode = (code: string) => (error: unknown) =>
  BranchlineError.is(error) && error.code === code;

function machineWith(text: string = TEXT): MemoryMachine {
  const machine = new MemoryMachine();
  for (const folder of ["/data", "/data/sessions"]) machine.fs.place(folder, "directory");
  machine.fs.place(PATH, "file", text);
  return machine;
}

async function rows(store: JsonlStore): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  for await (const row of store.list()) found.push(row);
  return found;
}

async function contentOf(fs: FileSystem, path: string): Promise<string> {
  const open = async () =>
    await openArchive(await fs.open(path, "read"), { path, damaged: "refuse" });
  const chunks: Uint8Array[] = [];
  for await (const chunk of scanHandle(open)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** What may lie around: the session or its archive, whole, once seen by a list. */
async function assertWhole(machine: MemoryMachine, label: string): Promise<void> {
  const fresh = machine.copy();
  const paths = fresh.fs.paths();
  const hasPlain = paths.includes(PATH) && fresh.fs.text(PATH) === TEXT;
  const hasArchive =
    paths.includes(`${PATH}.zst`) && (await contentOf(fresh.fs, `${PATH}.zst`)) === TEXT;
  assert.ok(hasPlain || hasArchive, `${label}: ${paths.join(" ")}`);
  const [row, ...others] = await rows(fresh.store());
  assert.equal(others.length, 0, label);
  assert.equal(row?.id, "s", label);
  assert.equal(row?.entries, 2, label);
}

test("an archived session is listed, found, read, and refuses to be written with a hint", async () => {
  const machine = machineWith();
  const store = machine.store();
  const before = await rows(store);
  const done = await store.upkeep.archive(PATH);
  assert.deepEqual(
    [done.from, done.path, done.bytesBefore],
    [PATH, `${PATH}.zst`, Buffer.byteLength(TEXT)],
  );
  assert.deepEqual(
    machine.fs.paths().filter((path) => path.includes("a.jsonl")),
    [`${PATH}.zst`],
  );
  const after = await rows(store);
  assert.deepEqual(after, [{ ...before[0], path: `${PATH}.zst` }]);
  assert.equal(await store.findFile("s"), `${PATH}.zst`);
  // The path that it had still opens it.
  for (const path of [PATH, `${PATH}.zst`]) {
    await using session = await store.openFile(path);
    assert.deepEqual(await textsOf(session), ["你好", "two"]);
    assert.deepEqual(
      session.problems.map(({ code }) => code),
      ["TAIL_TORN"],
    );
    assert.equal(session.readOnly, "it is archived");
    await session.refresh();
    await assert.rejects(session.commit({ entries: [say("x")] }), (error) => {
      assert.ok(BranchlineError.is(error, "SESSION_READ_ONLY"));
      assert.match(error.hint ?? "", /unarchive/);
      return true;
    });
  }
  await assert.rejects(store.upkeep.archive(`${PATH}.zst`), hasCode("TARGET_INVALID"));
  await assert.rejects(store.relocate(PATH, "/q"), hasCode("SESSION_READ_ONLY"));
  const { fs: fileSystem } = machine;
  const makeLock = (path: string) => machine.lock(path);
  await assert.rejects(
    applyRepair(`${PATH}.zst`, { fileSystem, makeLock }),
    hasCode("SESSION_READ_ONLY"),
  );
  await store.upkeep.unarchive(`${PATH}.zst`);
  assert.equal(machine.fs.text(PATH), TEXT);
  assert.equal(machine.fs.paths().includes(`${PATH}.zst`), false);
  await assert.rejects(store.upkeep.unarchive(PATH), hasCode("TARGET_INVALID"));
  await assert.rejects(store.upkeep.archive("/data/none.jsonl"), hasCode("SESSION_UNKNOWN"));
  await assert.rejects(store.openFile("/data/none"), hasCode("SESSION_UNKNOWN"));
});

test("an archived session goes to the trash and back as it is", async () => {
  const machine = machineWith();
  const store = machine.store();
  await store.upkeep.archive(PATH);
  const bytes = machine.fs.bytes(`${PATH}.zst`);
  await store.trash("s");
  assert.deepEqual(await rows(store), []);
  assert.equal((await store.listTrash())[0]?.path, `${PATH}.zst`);
  await store.restore("s");
  assert.deepEqual(machine.fs.bytes(`${PATH}.zst`), bytes);
  // Where the file system has no links it is copied, as the archive that it is.
  machine.fs.failNext("link", { errno: "EPERM", times: 9 });
  await store.trash("s");
  await store.restore("s");
  assert.deepEqual(machine.fs.bytes(`${PATH}.zst`), bytes);
  await store.purge("s");
  assert.deepEqual(await rows(store), []);
});

test("an estimate packs a sample and writes nothing", async () => {
  const machine = machineWith("");
  const { upkeep } = machine.store();
  assert.deepEqual(await upkeep.estimateArchive(PATH), { bytesBefore: 0, bytesAfter: 0 });
  machine.fs.place(PATH, "file", Buffer.alloc(30_000_000, "abc "));
  const { bytesBefore, bytesAfter } = await upkeep.estimateArchive(PATH);
  assert.equal(bytesBefore, 30_000_000);
  assert.ok(bytesAfter > 0 && bytesAfter < 30_000);
  assert.ok(machine.fs.ops.every(({ operation }) => ["open", "close"].includes(operation)));
});

test("only a *.jsonl is archived", async () => {
  const machine = machineWith();
  machine.fs.place("/data/x.txt", "file", TEXT);
  await assert.rejects(machine.store().upkeep.archive("/data/x.txt"), hasCode("TARGET_INVALID"));
});

test("a session that is locked or open elsewhere is not archived (F017)", async () => {
  const machine = machineWith();
  const store = machine.store({ lockTimeoutMs: 0 });
  const lock = machine.lock(PATH);
  await lock.acquire();
  await machine.run(assert.rejects(store.upkeep.archive(PATH), hasCode("STORE_BUSY")));
  lock.release();
  const owner = { pid: process.pid, startedAt: 0, host: hostname(), command: "c" };
  machine.fs.place(`${PATH}.owner`, "file", JSON.stringify(owner));
  await assert.rejects(store.upkeep.archive(PATH), hasCode("STORE_BUSY"));
  machine.fs.place(`${PATH}.owner`, "file", "?");
  await store.upkeep.archive(PATH);
  await store.upkeep.unarchive(PATH);
  machine.fs.place(`${PATH}.owner`, "file", JSON.stringify({ ...owner, host: "another" }));
  await store.upkeep.archive(PATH);
});

const OPERATIONS: readonly Operation[] = [
  "close",
  "link",
  "lstat",
  "open",
  "read",
  "realpath",
  "removeFile",
  "rename",
  "setTimes",
  "stat",
  "sync",
  "syncDirectory",
  "write",
];

for (const operation of OPERATIONS) {
  test(`every ${operation} of archiving and unarchiving fails in turn: the original or the archive is whole, a retry works (F013)`, async () => {
    for (const verb of ["archive", "unarchive"] as const) {
      for (let after = 0, calm = 0; calm < 3; after++) {
        const machine = machineWith();
        if (verb === "unarchive") await machine.store().upkeep.archive(PATH);
        machine.fs.failNext(operation, { errno: "EIO", after });
        const label = `${verb} ${operation} ${after}`;
        const failed = await machine
          .store()
          .upkeep[verb](verb === "archive" ? PATH : `${PATH}.zst`)
          .then(() => false)
          .catch((error: unknown) => {
            assert.ok(BranchlineError.is(error, "IO_FAILED"), `${label}: ${error}`);
            return true;
          });
        calm = failed ? 0 : calm + 1;
        await assertWhole(machine, label);
        const again = machine.copy();
        const isDone = again.fs.paths().includes(PATH) === (verb === "unarchive");
        if (!isDone) await again.store().upkeep[verb](verb === "archive" ? PATH : `${PATH}.zst`);
        await assertWhole(again, `${label}, again`);
        const shown = (await rows(again.store()))[0]?.path;
        assert.equal(shown, verb === "archive" ? `${PATH}.zst` : PATH, label);
      }
    }
  });
}

test("short writes are continued, a full disk changes nothing (F013)", async () => {
  const machine = machineWith();
  machine.fs.failNext("write", { partialBytes: 3 });
  await machine.store().upkeep.archive(PATH);
  await assertWhole(machine, "short");
  const full = machineWith();
  full.fs.failNext("write", { errno: "ENOSPC", partialBytes: 7 });
  await assert.rejects(full.store().upkeep.archive(PATH), hasCode("IO_FAILED"));
  assert.deepEqual(
    full.fs.paths().filter((path) => path.includes("a.jsonl")),
    [PATH],
  );
});

for (const step of ["link", "rename"] as const) {
  test(`another program appends before the ${step}: its line lasts, nothing is archived`, async () => {
    const machine = machineWith();
    const pause = machine.fs.pauseNext(step);
    const archiving = machine.store().upkeep.archive(PATH);
    await pause.reached;
    machine.fs.appendForeign(PATH, "\n");
    pause.resume();
    await assert.rejects(archiving, hasCode("FILE_REPLACED"));
    assert.equal(machine.fs.text(PATH), `${TEXT}\n`);
    const left = machine.fs.paths().filter((path) => path.includes("a.jsonl"));
    if (step === "rename") assert.deepEqual(left, [PATH]);
    await machine.store().upkeep.archive(PATH);
    assert.equal(await contentOf(machine.fs, `${PATH}.zst`), `${TEXT}\n`);
  });
}

test("a file that cannot be put back under its name is said where it stands, and the archive stays", async () => {
  for (const errno of ["EEXIST", null]) {
    const machine = machineWith();
    // The original stands aside when its removal fails; then the way back is barred.
    machine.fs.failNext("removeFile", { errno: "EIO", after: 1 });
    if (errno !== null) machine.fs.failNext("link", { errno, after: 1 });
    const failure = await machine
      .store()
      .upkeep.archive(PATH)
      .catch((error: unknown) => error);
    assert.ok(BranchlineError.is(failure, "IO_FAILED"));
    const aside = machine.fs.paths().find((path) => path.endsWith(".old"));
    assert.equal(aside !== undefined, errno !== null);
    if (aside === undefined) continue;
    assert.equal(failure.fields.path, aside);
    assert.equal(machine.fs.text(aside), TEXT);
    assert.equal(await contentOf(machine.fs, `${PATH}.zst`), TEXT);
  }
});

test("an archive that is there already: finished, replaced by the longer file, or kept", async () => {
  const machine = machineWith();
  await machine.store().upkeep.archive(PATH);
  const archive = machine.fs.bytes(`${PATH}.zst`);
  machine.fs.place(PATH, "file", TEXT);
  assert.equal((await rows(machine.store()))[0]?.path, PATH);
  await machine.store().upkeep.archive(PATH);
  assert.deepEqual(machine.fs.bytes(`${PATH}.zst`), archive);
  machine.fs.place(PATH, "file", `${TEXT}\n`);
  await machine.store().upkeep.archive(PATH);
  assert.equal(await contentOf(machine.fs, `${PATH}.zst`), `${TEXT}\n`);
  const isKept = async (text: string): Promise<void> => {
    machine.fs.place(PATH, "file", text);
    await assert.rejects(machine.store().upkeep.archive(PATH), hasCode("IO_FAILED"));
    await assert.rejects(machine.store().upkeep.unarchive(`${PATH}.zst`), hasCode("IO_FAILED"));
    assert.equal(machine.fs.text(PATH), text);
    assert.equal(await contentOf(machine.fs, `${PATH}.zst`), `${TEXT}\n`);
  };
  await isKept(TEXT);
  await isKept(TEXT.replace("two", "TWO"));
  machine.fs.place(PATH, "file", `${TEXT}\nmore`);
  await machine.store().upkeep.unarchive(`${PATH}.zst`);
  assert.equal(machine.fs.text(PATH), `${TEXT}\nmore`);
});

test("an archive that rots is not unpacked over anything, and reads with its damage shown (P7)", async () => {
  const lines = Array.from({ length: 300 }, (_, i) =>
    piLine(`e${i}`, i === 0 ? null : `e${i - 1}`, `${i}${"x".repeat(60_000)}`),
  );
  const machine = machineWith(piHeader("s") + lines.join(""));
  await machine.store().upkeep.archive(PATH);
  const archive = machine.fs.bytes(`${PATH}.zst`);
  archive[archive.byteLength - 200] = (archive[archive.byteLength - 200] ?? 0) ^ 1;
  machine.fs.place(`${PATH}.zst`, "file", archive);
  await assert.rejects(machine.store().upkeep.unarchive(`${PATH}.zst`), hasCode("IO_FAILED"));
  assert.deepEqual(machine.fs.bytes(`${PATH}.zst`), archive);
  await using session = await machine.store().openFile(`${PATH}.zst`);
  assert.ok(session.tree.size > 200 && session.tree.size < 300);
  assert.ok(session.problems.length > 0);
});

test("what was packed is compared byte for byte before the original goes", async () => {
  const machine = machineWith();
  const file = machine.fs.place(PATH, "file", TEXT);
  const pause = machine.fs.pauseNext("sync");
  const archiving = machine.store().upkeep.archive(PATH);
  await pause.reached;
  // The same size, so that only the bytes tell.
  const changed = TEXT.replace("two", "TWO");
  file.resize(0);
  file.append(Buffer.from(changed));
  pause.resume();
  await assert.rejects(archiving, hasCode("IO_FAILED"));
  assert.equal(machine.fs.text(PATH), changed);
});

/** All session files that the tests know: genuine ones of Pi and damaged ones. */
function knownFiles(): readonly string[] {
  const root = join(import.meta.dirname, "../../..");
  const folders = ["test/golden/damaged", "test/golden/vectors", "examples/sessions"];
  folders.push("../shared/fixtures/pi");
  return folders
    .map((folder) => join(root, folder))
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.endsWith(".jsonl"));
}

test("archive and unarchive give every known file back byte for byte, sound or damaged", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "branchline-archive-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  await using store = createJsonlStore({ root, durability: "process" });
  const sha = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
  const files = knownFiles();
  assert.ok(files.length > 150, `${files.length} files`);
  for (const file of files) {
    const path = join(root, basename(file));
    cpSync(file, path);
    const time = statSync(path).mtimeMs;
    await store.upkeep.archive(path);
    assert.equal(existsSync(path), false);
    await store.upkeep.unarchive(path);
    assert.equal(sha(path), sha(file), file);
    assert.ok(Math.abs(statSync(path).mtimeMs - time) < 1);
    rmSync(path);
  }
});
