import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { SessionSummary } from "../store.ts";
import { collect, refused } from "../testing/expect.ts";
import { createJsonlStore, type JsonlStore } from "./jsonl-store.ts";
import { MemoryMachine, pathOf, piHeader, piLine, say, textsOf } from "./testing/memory-fixture.ts";

async function realRoot(context: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "branchline-store-"));
  context.after(() => rm(root, { recursive: true }));
  return root;
}

/** Rows and skipped paths of a list. */
async function listOf(
  store: JsonlStore,
): Promise<{ readonly rows: SessionSummary[]; readonly skipped: Map<string, string> }> {
  const skipped = new Map<string, string>();
  const rows = await collect(
    store.list({ onSkip: ({ path, reason }) => skipped.set(path, reason) }),
  );
  return { rows, skipped };
}

test("files have mode 0600 and folders 0700 under any umask (P10, M17)", async (context) => {
  const root = join(await realRoot(context), "data");
  const umask = process.umask(0);
  try {
    await using store = createJsonlStore({ root });
    await using session = await store.create({ id: "s", cwd: "/p" });
    await session.commit({ entries: [say("a")] });
    await store.values.set({ session: "s" }, "k", 1);
    const file = session.file as string;
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    for (const path of [file, `${file}.lock`, join(root, "values/session/s.json")]) {
      assert.equal(await modeOf(path), 0o600, path);
    }
    for (const path of [root, dirname(file), dirname(dirname(file))]) {
      assert.equal(await modeOf(path), 0o700, path);
    }
  } finally {
    process.umask(umask);
  }
});

test("opening, reading and listing write nothing (R7, F015, row 3)", async (context) => {
  const root = await realRoot(context);
  const folder = join(root, "sessions", "--p--");
  await mkdir(folder, { recursive: true });
  const contents = {
    "unterminated.jsonl": piHeader("a") + piLine("p1", null, "x").slice(0, -1),
    "torn.jsonl": piHeader("b") + piLine("p1", null, "x").slice(0, -20),
    "old.jsonl": piHeader("c", 2) + piLine("p1", null, "x"),
  };
  for (const [name, text] of Object.entries(contents)) await writeFile(join(folder, name), text);
  const seen = async (): Promise<unknown> =>
    Promise.all(
      Object.keys(contents).map(async (name) => {
        const { size, mtimeMs, ino } = await stat(join(folder, name));
        return [await readFile(join(folder, name), "utf8"), size, mtimeMs, ino];
      }),
    );
  const before = await seen();
  await using store = createJsonlStore({ root });
  for (const name of Object.keys(contents)) {
    await using session = await store.openFile(join(folder, name));
    await session.refresh();
    await session.summary();
    await collect(session.scan());
  }
  assert.equal((await listOf(store)).rows.length, 3);
  assert.deepEqual(await seen(), before);
  assert.equal(
    execFileSync("find", [folder, "-type", "f"]).toString().trim().split("\n").length,
    3,
  );
});

test("a file and folder without write permission open read-only (R7)", async (context) => {
  if (process.getuid?.() === 0) {
    context.skip("root may write everywhere; see the test with EACCES and EROFS in memory");
    return;
  }
  const root = await realRoot(context);
  const file = join(root, "s.jsonl");
  await writeFile(file, piHeader("s"), { mode: 0o400 });
  await chmod(root, 0o500);
  await using store = createJsonlStore({ root });
  await using session = await store.openFile(file);
  assert.ok(session.readOnly !== null);
  await chmod(root, 0o700);
});

test("EACCES, EPERM and EROFS open read-only, with the reason; other failures do not", async () => {
  const { fs, store } = await sceneWith({ "s.jsonl": piHeader("s") + piLine("p1", null, "x") });
  for (const errno of ["EACCES", "EPERM", "EROFS"]) {
    fs.failNext("open", { errno });
    await using session = await store.openFile("/data/s.jsonl");
    assert.match(session.readOnly ?? "", /does not allow writing/);
    assert.deepEqual(await textsOf(session), ["x"]);
    await session.refresh();
    const error = await refused("SESSION_READ_ONLY", () => session.commit({ entries: [say("y")] }));
    assert.equal(error.place?.file, "/data/s.jsonl");
  }
  fs.failNext("open", { errno: "EIO" });
  await refused("IO_FAILED", () => store.openFile("/data/s.jsonl"));
});

test("a newer format and a lost header open read-only (rows 22, 24)", async () => {
  const { store } = await sceneWith({
    "newer.jsonl": piHeader("n", 99) + piLine("p1", null, "x"),
    "t_lost.jsonl": piLine("p1", null, "x"),
    "t_no.jsonl": "{}\n",
  });
  for (const id of ["n", "lost"]) {
    await using session = await store.open(id);
    assert.ok(session.readOnly !== null);
    assert.deepEqual(await textsOf(session), ["x"]);
    await refused("SESSION_READ_ONLY", () => session.commit({ entries: [say("y")] }));
  }
  const { rows, skipped } = await listOf(store);
  assert.deepEqual(rows.map(({ id }) => id).sort(), ["lost", "n"]);
  assert.deepEqual([...skipped.keys()], ["/data/t_no.jsonl"]);
  await refused("SESSION_INVALID", () => store.open("no"));
});

test("strict mode refuses damage with LOG_DAMAGED", async () => {
  const { store } = await sceneWith({
    "good.jsonl": piHeader("good") + piLine("p1", null, "x"),
    "bad.jsonl": `${piHeader("bad")}{\n${piLine("p1", null, "x")}`,
  });
  await using good = await store.open("good", { strict: true });
  assert.equal(good.tree.size, 1);
  const error = await refused("LOG_DAMAGED", () => store.open("bad", { strict: true }));
  assert.deepEqual(error.fields, { problems: 1 });
  await refused("ABORTED", () => store.open("good", { signal: AbortSignal.abort() }));
});

test("FIFOs, links and devices neither block nor leave the root (rows 46–49)", async (context) => {
  const root = await realRoot(context);
  const outside = await realRoot(context);
  const folder = join(root, "sessions", "--p--");
  await mkdir(folder, { recursive: true });
  await mkdir(join(folder, "folder.jsonl"));
  await writeFile(join(folder, "real.jsonl"), piHeader("real") + piLine("p1", null, "x"));
  await writeFile(join(outside, "out.jsonl"), piHeader("out"));
  execFileSync("mkfifo", [join(folder, "fifo.jsonl")]);
  const links = {
    "dangling.jsonl": join(folder, "nowhere"),
    "inside.jsonl": "real.jsonl",
    "loop.jsonl": "loop.jsonl",
    "outside.jsonl": join(outside, "out.jsonl"),
    "zero.jsonl": "/dev/zero",
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, name));
  await using store = createJsonlStore({ root });
  const { rows, skipped } = await listOf(store);
  assert.deepEqual(
    rows.map(({ id }) => id),
    ["real"],
  );
  const names = [...skipped.keys()].map((path) => path.slice(folder.length + 1)).sort();
  assert.deepEqual(names, [
    "dangling.jsonl",
    "fifo.jsonl",
    "loop.jsonl",
    "outside.jsonl",
    "zero.jsonl",
  ]);
  await refused("FILE_UNSAFE", () => store.openFile(join(folder, "fifo.jsonl")));
  await refused("FILE_UNSAFE", () => store.openFile(join(folder, "zero.jsonl")));
  await refused("FILE_UNSAFE", () => store.openFile(folder));
  // A link is followed to the real file, so that all have one lock.
  await using session = await store.openFile(join(folder, "inside.jsonl"));
  assert.equal(session.file, join(folder, "real.jsonl"));
  await session.commit({ entries: [say("y")] });
  assert.deepEqual(await pathOf(session), ["x", "y"]);
});

test("a folder that cannot be read hides no other session, and never passes for empty (F004)", async () => {
  const { fs, store } = await sceneWith({
    "s.jsonl": piHeader("s"),
    "b/t_other.jsonl": piHeader("other"),
  });
  fs.failNext("readDirectory", { errno: "EACCES", path: "/data/b", times: 4 });
  const { rows, skipped } = await listOf(store);
  assert.deepEqual(
    rows.map(({ id }) => id),
    ["s"],
  );
  assert.ok(skipped.has("/data/b"));
  assert.equal(await store.findFile("s"), "/data/s.jsonl");
  await refused("IO_FAILED", () => store.open("other"));
  await refused("IO_FAILED", () => store.create({ id: "other", cwd: "/p" }));
  fs.failNext("open", { errno: "EIO", path: "/data/b/t_other.jsonl" });
  await refused("IO_FAILED", () => store.open("other"));
});

test("hidden, deep and foreign names are no sessions; ids are told apart by header", async () => {
  const { store } = await sceneWith({
    ".hidden.jsonl": piHeader("hidden"),
    "note.txt": "x",
    "1/2/3/4/deep.jsonl": piHeader("deep"),
    "1/2/3/4/5/deeper.jsonl": piHeader("deeper"),
    "trash/t.jsonl": piHeader("trashed"),
    "twin-a.jsonl": piHeader("twin"),
    "twin-b.jsonl": piHeader("twin"),
    "t_twisted.jsonl": piHeader("straight"),
  });
  const { rows } = await listOf(store);
  assert.deepEqual(rows.map(({ id }) => id).sort(), ["deep", "straight", "twin", "twin"]);
  const twins = await refused("SESSION_AMBIGUOUS", () => store.open("twin"));
  assert.equal(twins.fields.matches.length, 2);
  await refused("SESSION_UNKNOWN", () => store.open("twisted"));
  assert.equal(await store.findFile("straight"), "/data/t_twisted.jsonl");
  await refused("SESSION_ID_INVALID", () => store.open("../x"));
  await refused("SESSION_UNKNOWN", () => store.openFile("/data/nowhere.jsonl"));
  await refused("ABORTED", () => collect(store.list({ signal: AbortSignal.abort() })));
  await using nowhere = createJsonlStore({ root: "/data/nowhere" });
  assert.deepEqual(await listOf(nowhere), { rows: [], skipped: new Map() });
});

test("a list that is aborted while it reads a file ends with ABORTED", async () => {
  const { fs, store } = await sceneWith({ "s.jsonl": piHeader("s") });
  const pause = fs.pauseNext("read", "/data/s.jsonl");
  const controller = new AbortController();
  const list = collect(store.list({ signal: controller.signal }));
  await pause.reached;
  controller.abort();
  pause.resume();
  await refused("ABORTED", () => list);
});

test("create never writes over a file, and a refused one leaves none", async () => {
  const { fs, machine, store } = await sceneWith({});
  const { file } = await store.create({ id: "s", cwd: "/p" });
  fs.place(file as string, "file", "no header");
  // It may be a damaged session, so its name counts.
  await refused("SESSION_EXISTS", () => store.create({ id: "s", cwd: "/p" }));
  fs.place(file as string, "file", piHeader("other"));
  const error = await refused("IO_FAILED", () => store.create({ id: "s", cwd: "/p" }));
  assert.equal(error.fields.errno, "EEXIST");
  assert.equal(fs.text(file as string), piHeader("other"));
  await refused("SESSION_EXISTS", async () => {
    await machine.store().create({ id: "t", cwd: "/p" });
    await store.create({ id: "t", cwd: "/q" });
  });
});

test("a UUID is taken only by a file that is named by it", async () => {
  const id = "01a2299c-25fa-76bc-a583-c25ca86562d6";
  const { store } = await sceneWith({ "other.jsonl": piHeader(id) });
  const { file } = await store.create({ id, cwd: "/p" });
  assert.ok(file?.endsWith(`_${id}.jsonl`));
  await refused("SESSION_EXISTS", () => store.create({ id, cwd: "/p" }));
});

test("trash, restore and purge across file systems copy; nothing is overwritten (F013)", async () => {
  const { fs, store } = await sceneWith({ "s.jsonl": piHeader("s") + piLine("p1", null, "x") });
  const content = fs.text("/data/s.jsonl");
  fs.failNext("link", { errno: "EXDEV", path: "/data/trash/s/session.jsonl" });
  await store.trash("s");
  assert.equal(fs.text("/data/trash/s/session.jsonl"), content);
  assert.ok(!fs.paths().includes("/data/s.jsonl"));
  fs.place("/data/s.jsonl", "file", "taken");
  await refused("SESSION_EXISTS", () => store.restore("s"));
  assert.equal(fs.text("/data/s.jsonl"), "taken");
  fs.place("/data/s.jsonl", "file", piHeader("other"));
  await refused("SESSION_EXISTS", () => store.restore("s"));
  assert.equal(fs.text("/data/s.jsonl"), piHeader("other"));
  await fs.removeFile("/data/s.jsonl");
  fs.failNext("link", { errno: "EIO", path: "/data/s.jsonl" });
  await refused("IO_FAILED", () => store.restore("s"));
  await store.restore("s");
  assert.equal(fs.text("/data/s.jsonl"), content);
  await store.trash("s");
  await refused("SESSION_UNKNOWN", () => store.restore("other"));
  await store.purge("s");
  await refused("SESSION_UNKNOWN", () => store.purge("s"));
  assert.deepEqual(
    fs.paths().filter((path) => path.endsWith("session.jsonl")),
    [],
  );
});

test("a file that changes while it is copied to the trash stays where it is", async () => {
  const { fs, store } = await sceneWith({ "s.jsonl": piHeader("s") });
  fs.failNext("link", { errno: "EXDEV", path: "/data/trash/s/session.jsonl" });
  const pause = fs.pauseNext("sync");
  const skipped = fs.pauseNext("sync");
  const trash = store.trash("s");
  pause.resume();
  await skipped.reached;
  fs.appendForeign("/data/s.jsonl", piLine("p1", null, "late"));
  skipped.resume();
  await refused("FILE_REPLACED", () => trash);
  assert.ok(fs.text("/data/s.jsonl").includes("late"));
  assert.deepEqual(await store.listTrash(), []);
  await store.trash("s");
  assert.equal((await store.listTrash()).length, 1);
});

test("a crash or failure between the steps of a move loses nothing (F010)", async () => {
  for (const move of ["trash", "restore"] as const) {
    for (const operation of [
      "open",
      "write",
      "link",
      "removeFile",
      "syncDirectory",
      "rename",
    ] as const) {
      for (let after = 0; after < 6; after++) {
        const { fs, store, machine } = await sceneWith({ "s.jsonl": piHeader("s") });
        if (move === "restore") await store.trash("s");
        fs.failNext(operation, { errno: "EIO", after });
        await store[move]("s").catch(() => undefined);
        const fresh = machine.copy();
        const there = fresh.fs.paths().filter((path) => {
          return path.endsWith("s.jsonl") || path.endsWith("session.jsonl");
        });
        assert.ok(there.some((path) => fresh.fs.text(path) === piHeader("s")));
        // Whatever was left, it can be found in one of the two places.
        const again = fresh.store();
        const rows = (await listOf(again)).rows.length + (await again.listTrash()).length;
        assert.ok(rows >= 1, `${move} ${operation} ${after}`);
      }
    }
  }
});

test("a note in the trash cannot send a file anywhere else (P10)", async () => {
  const { fs, store } = await sceneWith({});
  const note = (value: unknown): string => JSON.stringify(value);
  const good = { id: "g", path: "/data/sessions/g.jsonl", trashed: "2026-01-01T00:00:00.000Z" };
  const notes = [
    note({ ...good, path: "/data/../etc/x.jsonl" }),
    note({ ...good, path: "relative.jsonl" }),
    note({ ...good, path: "/home/me/.ssh/authorized_keys" }),
    note({ ...good, path: "/data/nul\u0000.jsonl" }),
    note({ ...good, path: 7 }),
    note({ ...good, id: "../../x" }),
    note({ ...good, id: 7 }),
    note({ id: "g", path: good.path }),
    note([1]),
    "{",
  ];
  for (const [index, text] of notes.entries()) {
    await fs.makeDirectory(`/data/trash/${index}`);
    fs.place(`/data/trash/${index}/info.json`, "file", text);
    fs.place(`/data/trash/${index}/session.jsonl`, "file", piHeader("g"));
  }
  fs.place("/data/trash/file", "file", "x");
  await fs.makeDirectory("/data/trash/empty");
  await fs.makeDirectory("/data/trash/link");
  fs.place("/data/trash/link/info.json", "file", note(good));
  fs.place("/data/trash/link/session.jsonl", "link", "/etc/passwd");
  await fs.makeDirectory("/data/trash/bare");
  fs.place("/data/trash/bare/session.jsonl", "file", "x");
  assert.deepEqual(await store.listTrash(), []);
  fs.place("/data/odd.json", "file", piHeader("odd"));
  await refused("FILE_UNSAFE", () => store.trashFile("/data/odd.json"));
  await refused("SESSION_UNKNOWN", () => store.trashFile("/data/nowhere.jsonl"));
  assert.equal(fs.text("/data/odd.json"), piHeader("odd"));
});

test("a note of somebody else sends a file to no place outside of the root; --to does (P10)", async () => {
  const { fs, store } = await sceneWith({});
  await fs.makeDirectory("/home/me");
  await fs.makeDirectory("/data/sessions");
  fs.place("/data/sessions/away", "link", "/home/me");
  fs.place("/data/sessions/nowhere", "link", "/gone");
  const places = [
    "/home/me/x.jsonl",
    "/data/sessions/away/x.jsonl",
    "/data/sessions/nowhere/x.jsonl",
  ];
  for (const [index, path] of places.entries()) {
    const id = `g${index}`;
    const folder = `/data/trash/${id}`;
    await fs.makeDirectory(folder);
    const note = { id, path, trashed: "2026-01-01T00:00:00.000Z" };
    fs.place(`${folder}/info.json`, "file", JSON.stringify(note));
    fs.place(`${folder}/session.jsonl`, "file", piHeader(id));
    await refused("TARGET_INVALID", () => store.restore(id));
    assert.equal(fs.text(`${folder}/session.jsonl`), piHeader(id), path);
  }
  assert.deepEqual((await fs.readDirectory("/home/me")).length, 0);
  fs.place("/home/me/x.jsonl.lock", "file", "");
  await store.purge("g2");
  await store.restore("g0", { to: "/home/me" });
  assert.equal(fs.text("/home/me/x.jsonl"), piHeader("g0"));
  assert.equal((await store.listTrash()).length, 1);
});

test("of sessions in the trash with one id the newest comes back first", async () => {
  const { fs, store, machine } = await sceneWith({});
  for (const text of ["first", "second", "third"]) {
    fs.place("/data/s.jsonl", "file", piHeader("s") + piLine("p1", null, text));
    if (text !== "second") machine.clock.advance(1000);
    await store.trash("s");
  }
  assert.deepEqual((await store.listTrash()).length, 3);
  await store.restore("s");
  assert.ok(fs.text("/data/s.jsonl").includes("third"));
  await refused("SESSION_EXISTS", () => store.restore("s"));
  await store.purge("s");
  assert.deepEqual(await store.listTrash(), []);
});

test("a session that is purged or trashed while it is open is FILE_MISSING there (F008)", async () => {
  const { store, machine } = await sceneWith({});
  await using session = await store.create({ id: "s", cwd: "/p" });
  await store.values.set({ session: "s" }, "k", 1);
  await store.purge("s");
  await refused("FILE_MISSING", () => session.commit({ entries: [say("a")] }));
  assert.deepEqual(await store.values.keys({ session: "s" }), []);
  assert.deepEqual(
    machine.fs.paths().filter((path) => path.includes("_s.")),
    [],
  );
});

test("purging a file takes the session's values and its copies in the trash along", async () => {
  const { fs, store } = await sceneWith({ "s.jsonl": piHeader("s") });
  await store.values.set({ session: "s" }, "secret", 1);
  await store.trash("s");
  fs.place("/data/s.jsonl", "file", piHeader("s"));
  fs.place("/data/twin.jsonl", "file", piHeader("s"));
  await store.purgeFile("/data/twin.jsonl");
  assert.equal(await store.values.get({ session: "s" }, "secret"), 1);
  assert.equal((await store.listTrash()).length, 1);
  await store.purgeFile("/data/s.jsonl");
  assert.deepEqual(
    fs.paths().filter((path) => /s\.json/.test(path)),
    [],
  );
  assert.deepEqual(await store.listTrash(), []);
});

test("purging the trash leaves a session of the same id in use, with its values", async () => {
  const { fs, store } = await sceneWith({ "s.jsonl": piHeader("s") });
  await store.values.set({ session: "s" }, "k", 1);
  await refused("SESSION_UNKNOWN", () => store.purgeTrashed("s"));
  await store.trash("s");
  fs.place("/data/s.jsonl", "file", piHeader("s"));
  await store.purgeTrashed("s");
  assert.deepEqual(await store.listTrash(), []);
  assert.equal(await store.findFile("s"), "/data/s.jsonl");
  assert.equal(await store.values.get({ session: "s" }, "k"), 1);
  await store.trash("s");
  await store.purgeTrashed("s");
  assert.equal(await store.values.get({ session: "s" }, "k"), undefined);
});

test("relocate rewrites the header only, moves the file to its new folder (F014)", async () => {
  const { fs, store } = await sceneWith({});
  const made = await store.create({ id: "s", cwd: "/old/place", header: { extra: 1 } });
  await made.commit({ entries: [say("a")] });
  await made.close();
  const from = made.file as string;
  const body = fs
    .text(from)
    .split(/(?<=\n)/)
    .slice(1)
    .join("");
  const to = await store.relocate(from, "/new/place");
  assert.equal(to, from.replace("--old-place--", "--new-place--"));
  assert.ok(!fs.paths().includes(from));
  assert.ok(fs.text(to).endsWith(`\n${body}`));
  await using session = await store.open("s");
  assert.deepEqual([session.header.cwd, session.header.extra], ["/new/place", 1]);
  assert.deepEqual(session.problems, []);
  // Elsewhere it stays in its folder; large files are copied in pieces.
  const lines = piLine("p1", null, "x".repeat(3_000_000)) + piLine("p2", "p1", "y");
  fs.place("/data/anywhere.jsonl", "file", piHeader("a") + lines);
  assert.equal(await store.relocate("/data/anywhere.jsonl", "/q"), "/data/anywhere.jsonl");
  assert.ok(fs.text("/data/anywhere.jsonl").endsWith(`\n${lines}`));
  assert.equal((await store.open("a")).header.cwd, "/q");
});

test("relocate refuses what it cannot do whole: nothing is changed or overwritten", async () => {
  const bad = {
    "v1.jsonl": piHeader("v1", 1) + piLine("p1", null, "x"),
    "newer.jsonl": piHeader("newer", 4) + piLine("p1", null, "x"),
    "late.jsonl": `\n${piHeader("late")}`,
    "none.jsonl": piLine("p1", null, "x"),
  };
  const { fs, store } = await sceneWith(bad);
  for (const [name, text] of Object.entries(bad)) {
    await refused("SESSION_INVALID", () => store.relocate(`/data/${name}`, "/q"));
    assert.equal(fs.text(`/data/${name}`), text);
  }
  const { file } = await store.create({ id: "s", cwd: "/p" });
  const from = file as string;
  const before = fs.text(from);
  const target = from.replace("--p--", "--q--");
  await fs.makeDirectory(dirname(target));
  fs.place(target, "file", "taken");
  const error = await refused("IO_FAILED", () => store.relocate(from, "/q"));
  assert.equal(error.fields.errno, "EEXIST");
  assert.deepEqual([fs.text(from), fs.text(target)], [before, "taken"]);
  for (const cwd of ["/p", "/r"]) {
    const pause = fs.pauseNext("sync");
    const relocation = store.relocate(from, cwd);
    await pause.reached;
    fs.appendForeign(from, piLine(`late${cwd.slice(1)}`, null, "late"));
    pause.resume();
    await refused("FILE_REPLACED", () => relocation);
    assert.ok(fs.text(from).endsWith(piLine(`late${cwd.slice(1)}`, null, "late")));
  }
  fs.failNext("stat", { errno: "EIO", path: from, after: 1 });
  await refused("IO_FAILED", () => store.relocate(from, "/r"));
  await refused("SESSION_UNKNOWN", () => store.relocate("/data/nowhere.jsonl", "/q"));
});

test("relocate keeps both files where another program writes up to the end (F014)", async () => {
  const { fs, store } = await sceneWith({});
  const made = await store.create({ id: "s", cwd: "/p" });
  await made.close();
  const from = made.file as string;
  const target = from.replace("--p--", "--q--");
  const pause = fs.pauseNext("link");
  const relocation = store.relocate(from, "/q");
  await pause.reached;
  fs.appendForeign(from, piLine("late", null, "late"));
  pause.resume();
  const error = await refused("FILE_REPLACED", () => relocation);
  assert.match(error.hint ?? "", /relocate again/);
  assert.ok(fs.text(from).endsWith(piLine("late", null, "late")));
  assert.ok(!fs.text(target).includes("late"));
  await store.trashFile(target);
  const second = fs.pauseNext("link");
  const failing = store.relocate(from, "/q");
  await second.reached;
  fs.failNext("stat", { errno: "EIO", path: from });
  second.resume();
  await refused("IO_FAILED", () => failing);
  await store.trashFile(target);
  await store.relocate(from, "/q");
  assert.ok(fs.text(target).includes("late"));
});

test("purge and relocate leave no lock file behind", async () => {
  const { fs, store } = await sceneWith({ "s.jsonl": piHeader("s") });
  const locks = (): string[] => fs.paths().filter((path) => path.endsWith(".lock"));
  fs.place("/data/s.jsonl.lock", "file");
  await store.trash("s");
  fs.place("/data/s.jsonl.zst", "file", "x");
  await store.purgeTrashed("s").catch(() => undefined);
  assert.deepEqual(locks(), ["/data/s.jsonl.lock"]);
  await fs.removeFile("/data/s.jsonl.zst");
  fs.place("/data/s.jsonl", "file", piHeader("s"));
  await store.trash("s");
  await store.purge("s");
  assert.deepEqual(locks(), []);
  const { file } = await store.create({ id: "r", cwd: "/p" });
  fs.place(`${file}.lock`, "file");
  await store.relocate(file as string, "/q");
  assert.deepEqual(locks(), []);
});

test("a file that goes away during a move is IO_FAILED, not a crash", async () => {
  const { fs, store } = await sceneWith({ "s.jsonl": piHeader("s") });
  const pause = fs.pauseNext("realpath", "/data/s.jsonl");
  const second = fs.pauseNext("realpath", "/data/s.jsonl");
  const relocation = store.relocate("/data/s.jsonl", "/q");
  await pause.reached;
  const stop = fs.pauseNext("stat", "/data/s.jsonl");
  pause.resume();
  await stop.reached;
  await fs.removeFile("/data/s.jsonl");
  stop.resume();
  const error = await refused("IO_FAILED", () => relocation);
  assert.equal(error.fields.errno, "ENOENT");
  second.resume();
});

test("values: damage is typed, a lost update of two processes is not possible (F028, F034)", async () => {
  const { fs, store, machine } = await sceneWith({});
  const other = machine.store();
  const scope = { session: "s" };
  await machine.run(
    Promise.all(
      [store, other].flatMap((one, i) =>
        [0, 1, 2].map((n) => one.values.set(scope, `${i}${n}`, n)),
      ),
    ),
  );
  assert.equal((await other.values.keys(scope)).length, 6);
  for (const text of ["{", "7", "null"]) {
    fs.place("/data/values/session/s.json", "file", text);
    await refused("LOG_DAMAGED", () => store.values.get(scope, "00"));
    await refused("LOG_DAMAGED", () => store.values.set(scope, "x", 1));
    assert.equal(fs.text("/data/values/session/s.json"), text);
  }
  await refused("SESSION_ID_INVALID", () => store.values.get({ session: "../x" }, "k"));
  await store.values.set({ resource: "\ud800" }, "k", 1);
  assert.equal(await store.values.get({ resource: "\ud801" }, "k"), undefined);
});

async function sceneWith(files: Readonly<Record<string, string>>): Promise<{
  readonly machine: MemoryMachine;
  readonly fs: MemoryMachine["fs"];
  readonly store: JsonlStore;
}> {
  const machine = new MemoryMachine();
  await machine.fs.makeDirectory("/data");
  for (const [name, text] of Object.entries(files)) {
    await machine.fs.makeDirectory(dirname(`/data/${name}`));
    machine.fs.place(`/data/${name}`, "file", text);
  }
  return { machine, fs: machine.fs, store: machine.store() };
}

test("a v4 file is found by the id in its header, read and listed, and never written", async (context) => {
  const root = await mkdtemp(join(tmpdir(), "branchline-v4-"));
  context.after(() => rm(root, { recursive: true }));
  const sample = join(
    import.meta.dirname,
    "../../../examples/sessions/v4-native-two-branches.jsonl",
  );
  await writeFile(join(root, "any-name.jsonl"), await readFile(sample));
  await using store = createJsonlStore({ root });
  const [row] = await collect(store.list());
  await using session = await store.open(row?.id ?? "");
  assert.match(session.readOnly ?? "", /v4/);
  assert.equal(session.tree.branches().length, 2);
  await refused("SESSION_READ_ONLY", () => session.commit({ entries: [say("x")] }));
});

test("a session whose first line is overlong or missing is told from an empty file", async (context) => {
  const root = await mkdtemp(join(tmpdir(), "branchline-first-"));
  context.after(() => rm(root, { recursive: true }));
  await writeFile(join(root, "empty.jsonl"), "");
  await writeFile(
    join(root, "long.jsonl"),
    `${"x".repeat(257 * 1024 * 1024)}\n${piLine("a", null, "x")}`,
  );
  await using store = createJsonlStore({ root });
  await refused("SESSION_INVALID", () => store.openFile(join(root, "empty.jsonl")));
  await using session = await store.openFile(join(root, "long.jsonl"));
  assert.deepEqual(
    session.problems.map(({ code }) => code),
    ["HEADER_MISSING", "LINE_TOO_LONG"],
  );
});
