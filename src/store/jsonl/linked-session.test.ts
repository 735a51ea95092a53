import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeHeader } from "../../entry/line-encode.ts";
import { LINKED_FORMAT } from "../../entry/session-base.ts";
import { BranchlineError, type ErrorCode } from "../../errors.ts";
import type { StoreSession } from "../store.ts";
import { SessionDecorator } from "../testing/store-decorator.ts";
import { BaseSessions } from "./base-sessions.ts";
import { environment } from "./environment.ts";
import type { JsonlStore } from "./jsonl-store.ts";
import { applyRepair } from "./repair.ts";
import { SessionFile } from "./session-file.ts";
import { MemoryMachine, pathOf, piHeader, piLine, say, textsOf } from "./testing/memory-fixture.ts";
import { TrashFolder } from "./trash-folder.ts";

const hasCode = (code: ErrorCode) => (error: unknown) => BranchlineError.is(error, code);

interface Linked {
  readonly machine: MemoryMachine;
  readonly store: JsonlStore;
  /** Paths of the two files. */
  readonly base: string;
  readonly file: string;
}

/** A session "base" with three entries, and a closed one "linked" that goes on from the second. */
async function newLinked(machine = new MemoryMachine()): Promise<Linked> {
  const store = machine.store();
  const from = await store.create({ id: "base", cwd: "/p" });
  const ids: string[] = [];
  for (const text of ["one", "two", "three"]) {
    const { entries } = await from.commit({ entries: [say(text)] });
    for (const { id } of entries) ids.push(id);
  }
  const link = { from, at: ids[1] ?? "" };
  const made = await store.create({ id: "linked", cwd: "/p", link });
  await made.commit({ entries: [say("own")] });
  const [base, file] = [from.file ?? "", made.file ?? ""];
  await made.close();
  await from.close();
  return { machine, store, base, file };
}

const codesOf = (session: StoreSession): readonly string[] =>
  session.problems.map(({ code }) => code);

/** A header that links to a session, as another machine may have written it. */
function linkedHeader(id: string, base: Readonly<Record<string, unknown>>): string {
  const branchline = { format: LINKED_FORMAT, base };
  const header = {
    type: "session",
    version: 3,
    id,
    timestamp: "t",
    cwd: "/p",
    branchline,
  } as const;
  return Buffer.from(encodeHeader(header)).toString();
}

test("what a link shares is read once, from its place (F121): no byte of the base in the new file", async (t) => {
  const machine = new MemoryMachine();
  const store = machine.store();
  const from = await store.create({ id: "base", cwd: "/p" });
  for (let count = 0; count < 50; count++) {
    await from.commit({ entries: [say(`${count} ${"x".repeat(4000)}`)] });
  }
  const at = from.tree.leaf() ?? "";
  // Whoever reads anything of the base before an entry is asked for fails.
  machine.fs.failNext("read", { path: from.file ?? "", errno: "EIO" });
  const walked = t.mock.method(from.tree, "path");
  const made = await store.create({ cwd: "/p", link: { from, at } });
  const written = machine.fs.bytes(made.file ?? "").length;
  assert.ok(written < 600, `${written} bytes`);
  assert.equal(walked.mock.callCount(), 0);
  assert.equal(made.tree.leaf(), at);
  assert.equal(walked.mock.callCount(), 1);
  await assert.rejects(made.get(at), hasCode("FILE_MISSING"));
  assert.equal(made.lines, undefined);
  assert.equal(made.placeOf(at), null);
  assert.equal((await made.get(at))?.id, at);
  assert.equal(await made.get("nobody"), undefined);
  assert.equal((await textsOf(made)).length, 50);
  const { entries } = await made.commit({ entries: [say("own")], key: "k" });
  assert.equal(entries[0]?.parentId, at);
  assert.deepEqual((await made.commit({ entries: [say("own")], key: "k" })).replayed, true);
  assert.equal(made.placeOf(entries[0]?.id ?? "")?.line, 2);
});

test("a list counts what stands in the file, which a scan can be limited to", async () => {
  const { store } = await newLinked();
  const rows = new Map<string, number>();
  for await (const { id, entries } of store.list()) rows.set(id, entries);
  assert.deepEqual([rows.get("base"), rows.get("linked")], [3, 1]);
  const opened = await store.open("linked");
  const own: string[] = [];
  for await (const { id } of opened.scan({ from: opened.link?.entries ?? 0 })) own.push(id);
  assert.deepEqual(own, [opened.tree.leaf()]);
});

test("a base that is gone leaves a visible gap; appends go on, and it comes back whole", async () => {
  const { machine, store, base, file } = await newLinked();
  const bytes = machine.fs.bytes(base);
  await machine.fs.removeFile(base);
  const session = await store.open("linked");
  assert.deepEqual(codesOf(session), ["BASE_MISSING"]);
  assert.deepEqual(await pathOf(session), ["?", "own"]);
  assert.equal(session.tree.at(0)?.customType, "branchline.gap");
  await session.commit({ entries: [say("further")] });
  await session.close();
  await assert.rejects(store.openFile(file, { strict: true }), hasCode("LOG_DAMAGED"));
  machine.fs.place(base, "file", bytes);
  const again = await store.open("linked", { strict: true });
  assert.deepEqual(codesOf(again), []);
  assert.deepEqual(await pathOf(again), ["one", "two", "own", "further"]);
  await again.close();
});

test("a base is found again by its id: moved, archived, with moved payloads, repaired, in the trash", async () => {
  const { machine, store, base } = await newLinked();
  const expect = async (): Promise<void> => {
    const session = await machine.store().open("linked");
    assert.deepEqual(codesOf(session), []);
    assert.deepEqual(await pathOf(session), ["one", "two", "own"]);
    await session.close();
  };
  const moved = await store.relocate(base, "/elsewhere");
  await expect();
  machine.fs.place(moved, "file", `${Buffer.from(machine.fs.bytes(moved))}damaged\n`);
  await applyRepair(moved, {
    fileSystem: machine.fs,
    clock: machine.clock,
    makeLock: (path) => machine.lock(path),
  });
  await expect();
  await store.upkeep.movePayloads(moved, "apply", { minBytes: 10, leftMinBytes: null });
  await expect();
  const archived = await store.upkeep.archive(moved);
  await expect();
  await store.trashFile(archived.path);
  await expect();
  await store.restore("base");
  await expect();
});

test("a base that is replaced while it is read is looked for again", async (t) => {
  const { machine, store, base } = await newLinked();
  const [one, two] = [await store.open("linked"), await store.open("linked")];
  const [first = "", second = ""] = [one.tree.at(0)?.id, one.tree.at(1)?.id];
  // Of the file that is open, nothing can be read any more.
  const shared = await machine.store().openFile(base);
  const { prototype } = Object.getPrototypeOf(shared).constructor;
  await shared.close();
  const { getAll } = prototype;
  let failures = 0;
  t.mock.method(prototype, "getAll", function (this: StoreSession, ids: readonly string[]) {
    if (this.id === "base" && failures++ < 2) throw new Error("gone");
    return getAll.call(this, ids);
  });
  const texts = await Promise.all([one.mustGet(first), one.mustGet(second), two.mustGet(second)]);
  assert.equal(texts.length, 3);
  await one.close();
  assert.equal((await two.mustGet(first)).id, first);
  await two.close();
});

test("a base that was cut is read as far as it goes", async () => {
  const { machine, store, base } = await newLinked();
  const lines = Buffer.from(machine.fs.bytes(base)).toString().split("\n");
  machine.fs.place(base, "file", `${lines.slice(0, 2).join("\n")}\n`);
  const session = await store.open("linked");
  assert.deepEqual(codesOf(session), ["BASE_MISSING"]);
  assert.deepEqual(await pathOf(session), ["one", "?", "own"]);
  await session.close();
  // What was written there since stands behind the place where the path ended.
  const long = piLine("l1", null, "x".repeat(5000)) + piLine("l2", "l1", "other");
  machine.fs.place(base, "file", `${lines.slice(0, 2).join("\n")}\n${long}`);
  const grown = await store.open("linked");
  assert.deepEqual(
    (await pathOf(grown)).slice(-3).map((text) => text.slice(0, 3)),
    ["xxx", "?", "own"],
  );
  machine.fs.place(base, "file", `${lines[0]}\n`);
  const empty = await store.open("linked");
  assert.deepEqual(await pathOf(empty), ["?", "own"]);
});

test("another session at the path does not count, nor a copy without the entry (M4)", async () => {
  const { machine, store, base } = await newLinked();
  const bytes = Buffer.from(machine.fs.bytes(base)).toString();
  machine.fs.place(base, "file", piHeader("other") + piLine("a", null, "not this"));
  machine.fs.place("/data/short.jsonl", "file", bytes.split("\n").slice(0, 2).join("\n"));
  const cut = await store.open("linked");
  assert.deepEqual(await pathOf(cut), ["one", "?", "own"]);
  machine.fs.place("/data/whole.jsonl", "file", bytes);
  machine.fs.place("/data/a-second-short.jsonl", "file", bytes.split("\n").slice(0, 2).join("\n"));
  const whole = await machine.store().open("linked");
  assert.deepEqual(await pathOf(whole), ["one", "two", "own"]);
});

test("a path out of the known folders is not followed (P10)", async () => {
  const machine = new MemoryMachine();
  const store = machine.store();
  machine.fs.place("/data", "directory");
  machine.fs.place("/secret", "directory");
  machine.fs.place("/secret/b.jsonl", "file", piHeader("b") + piLine("a", null, "secret"));
  for (const path of ["/secret/b.jsonl", "secret/b.jsonl", "/data/\u0000", "/data/none.jsonl"]) {
    const base = { session: "b", path, entry: "a", bytes: 10 };
    machine.fs.place("/data/l.jsonl", "file", linkedHeader("l", base));
    const session = await store.openFile("/data/l.jsonl");
    assert.deepEqual(codesOf(session), ["BASE_MISSING"]);
    assert.deepEqual(await pathOf(session), ["?"]);
    await session.close();
  }
  const known = machine.store({ bases: ["/secret", "/nowhere"] });
  const session = await known.openFile("/data/l.jsonl");
  assert.deepEqual(await pathOf(session), ["secret"]);
  assert.deepEqual(await known.linkedTo("b"), ["/data/l.jsonl"]);
});

test("a file outside of the folders reads nothing of a session in them, until it is put there (S11, S13)", async () => {
  const machine = new MemoryMachine();
  const store = machine.store();
  for (const folder of ["/data", "/downloads"]) machine.fs.place(folder, "directory");
  machine.fs.place("/data/b.jsonl", "file", piHeader("b") + piLine("a", null, "secret"));
  const base = { session: "b", path: "/data/b.jsonl", entry: "a", bytes: 10 };
  for (const [path, seen] of [
    ["/downloads/l.jsonl", "?"],
    ["/data/l.jsonl", "secret"],
  ] as const) {
    machine.fs.place(path, "file", linkedHeader("l", base));
    const session = await store.openFile(path);
    assert.deepEqual(await pathOf(session), [seen], path);
    assert.equal(codesOf(session).includes("BASE_MISSING"), seen === "?");
    await session.close();
  }
});

test("links of links are followed, circles are cut and long rows end (row 20)", async () => {
  const machine = new MemoryMachine();
  const store = machine.store();
  machine.fs.place("/data", "directory");
  const name = (number: number): string => `/data/s${number}.jsonl`;
  const place = (number: number, to: number): void => {
    const entry = `e${to}`;
    const base = { session: `s${to}`, path: name(to), entry, bytes: 10_000 };
    const line = piLine(`e${number}`, entry, `text ${number}`);
    machine.fs.place(name(number), "file", linkedHeader(`s${number}`, base) + line);
  };
  machine.fs.place(name(0), "file", piHeader("s0") + piLine("e0", null, "text 0"));
  for (let number = 1; number <= 40; number++) place(number, number - 1);
  const deep = await store.openFile(name(20));
  assert.equal((await pathOf(deep)).length, 21);
  await deep.close();
  const tooDeep = await store.openFile(name(40));
  assert.deepEqual(codesOf(tooDeep), ["BASE_MISSING"]);
  assert.equal((await pathOf(tooDeep))[0], "?");
  await tooDeep.close();
  place(0, 2);
  const opened = await Promise.all([0, 1, 2].map((number) => store.openFile(name(number))));
  for (const session of opened) {
    // The first entry of the session that comes again stands further up already.
    assert.deepEqual(codesOf(session), ["BASE_MISSING", "ID_DUPLICATE"]);
    assert.equal((await pathOf(session)).length, 3);
    await session.close();
  }
});

test("a shared base is read on where a link begins behind what was known of it", async () => {
  const { store } = await newLinked();
  const first = await store.open("linked");
  const from = await store.open("base");
  const { entries } = await from.commit({ entries: [say("later")] });
  const at = entries[0]?.id ?? "";
  const made = await store.create({ id: "second", cwd: "/p", link: { from, at } });
  assert.deepEqual(await textsOf(made), ["one", "two", "three", "later"]);
  assert.deepEqual(await textsOf(first), ["one", "two", "own"]);
  await store.close();
});

test("a base that is gone before anything of it was read is told", async () => {
  const machine = new MemoryMachine();
  const store = machine.store();
  const from = await store.create({ id: "base", cwd: "/p" });
  const { entries } = await from.commit({ entries: [say("one")] });
  const at = entries[0]?.id ?? "";
  const made = await store.create({ id: "linked", cwd: "/p", link: { from, at } });
  assert.equal(made.tree.leaf(), at);
  const bytes = machine.fs.bytes(from.file ?? "");
  await machine.fs.removeFile(from.file ?? "");
  await assert.rejects(made.mustGet(at), hasCode("FILE_MISSING"));
  machine.fs.place(from.file ?? "", "file", bytes);
  assert.equal((await made.mustGet(at)).id, at);
});

test("what others read is not purged unless that is said; the trash counts too", async () => {
  const { machine, store, base, file } = await newLinked();
  await assert.rejects(store.purge("base"), hasCode("SESSION_LINKED"));
  await assert.rejects(store.purgeFile(base), hasCode("SESSION_LINKED"));
  const copy = "/data/copy.jsonl";
  machine.fs.place(copy, "file", machine.fs.bytes(base));
  await store.purgeFile(copy);
  await store.trashFile(base);
  await assert.rejects(store.purgeTrashed("base"), hasCode("SESSION_LINKED"));
  machine.fs.place(
    copy,
    "file",
    linkedHeader("third", { session: "base", path: "/x", entry: "e", bytes: 1 }),
  );
  await store.trashFile(file);
  const error = await store.purge("base").catch((caught: unknown) => caught);
  assert.ok(BranchlineError.is(error, "SESSION_LINKED"));
  assert.equal(error.fields.linkedBy.length, 2);
  await store.purgeTrashed("base", { links: "break" });
  await store.restore("linked");
  const session = await store.open("linked");
  assert.deepEqual(codesOf(session), ["BASE_MISSING"]);
  await session.close();
  await store.purge("linked");
});

test("a repair of a linked file mends its own lines and takes nothing for missing that the base may hold", async () => {
  const { machine, store, file } = await newLinked();
  machine.fs.place(file, "file", `${Buffer.from(machine.fs.bytes(file))}damaged\n`);
  const session = await store.openFile(file);
  assert.deepEqual(codesOf(session), ["LINE_NOT_JSON"]);
  await session.close();
  const options = {
    fileSystem: machine.fs,
    clock: machine.clock,
    makeLock: (path: string) => machine.lock(path),
  };
  const { actions } = await applyRepair(file, options);
  assert.deepEqual(
    actions.map(({ code }) => code),
    ["LINE_NOT_JSON"],
  );
  const mended = await store.openFile(file, { strict: true });
  assert.deepEqual(await pathOf(mended), ["one", "two", "own"]);
});

test("a payload of the base whose blob is gone is shown as its stub and told (F035)", async () => {
  const machine = new MemoryMachine();
  const store = machine.store();
  const from = await store.create({ id: "base", cwd: "/p" });
  const content = [{ type: "text", text: "y".repeat(5_000) }];
  const message = { role: "toolResult", toolCallId: "c", toolName: "t", content, isError: false };
  const { entries } = await from.commit({ entries: [say("one"), { type: "message", message }] });
  const at = entries[1]?.id ?? "";
  await (await store.create({ id: "linked", cwd: "/p", link: { from, at } })).close();
  await from.close();
  const path = await store.findFile("base");
  const moved = await store.upkeep.movePayloads(path, "apply", {
    minBytes: 100,
    leftMinBytes: null,
  });
  assert.equal(moved.lines, 1);
  const whole = await store.open("linked");
  assert.equal(JSON.stringify(await whole.get(at)).includes("y".repeat(5_000)), true);
  await whole.close();
  for (const name of machine.fs.paths())
    if (/\/blobs\/.*\//.test(name)) await machine.fs.removeFile(name);
  const session = await store.open("linked");
  assert.equal(JSON.stringify(await session.get(at)).includes("y".repeat(5_000)), false);
  assert.deepEqual(codesOf(session), ["BLOB_MISSING"]);
});

test("a linked file that cannot be read to its end lets go of its base", async () => {
  const { machine, store, file } = await newLinked();
  const session = await store.open("linked");
  for (let count = 0; count < 3; count++)
    await session.commit({ entries: [say("z".repeat(500_000))] });
  await session.close();
  machine.fs.failNext("read", { path: file, errno: "EIO", after: 2 });
  await assert.rejects(store.open("linked", { verify: true }), hasCode("IO_FAILED"));
  const closes = machine.fs.ops.filter(({ operation }) => operation === "close").length;
  const opens = machine.fs.ops.filter(({ operation }) => operation === "open").length;
  assert.equal(closes, opens, "a file stays open");
});

test("a file that is only a header, without its newline, is linked too; a failing open lets go of the base", async () => {
  const { machine, store, base } = await newLinked();
  const entry =
    Buffer.from(machine.fs.bytes(base))
      .toString()
      .match(/"id":"([0-9a-f]{20})"/)?.[1] ?? "";
  const header = linkedHeader("l", { session: "base", path: base, entry, bytes: 9999 });
  machine.fs.place("/data/l.jsonl", "file", header.trim());
  const session = await store.openFile("/data/l.jsonl");
  assert.deepEqual(await pathOf(session), ["one"]);
  await session.close();
  let closed = 0;
  const file = "/data/broken.jsonl";
  machine.fs.place(file, "file", header + "x".repeat(10));
  const below = async (): Promise<never> => {
    closed++;
    throw new BranchlineError("ABORTED", {}, { message: "no" });
  };
  await assert.rejects(
    SessionFile.open(machine.fs, file, { mode: "read", below }),
    hasCode("ABORTED"),
  );
  assert.equal(closed, 1);
});

test("a link whose file cannot be read back, or whose end never came, leaves nothing behind (P5)", async () => {
  const machine = new MemoryMachine();
  const store = machine.store();
  const from = await store.create({ id: "base", cwd: "/p" });
  const { entries } = await from.commit({ entries: [say("one")] });
  const link = { from, at: entries[0]?.id ?? "" };
  const before = machine.fs.paths();
  machine.fs.failNext("read", { errno: "EIO" });
  await assert.rejects(store.create({ cwd: "/p", link }), hasCode("IO_FAILED"));
  assert.deepEqual(machine.fs.paths(), before);
  const made = await store.create({ cwd: "/p", link });
  machine.fs.failNext("read", { path: from.file ?? "", errno: "EIO" });
  const asked = assert.rejects(made.get(link.at), hasCode("FILE_MISSING"));
  await made.close();
  await asked;
});

test("what cannot be read links to nothing; what no file could cause is thrown", async () => {
  const { machine, store, base, file } = await newLinked();
  machine.fs.failNext("open", { path: file, errno: "EIO" });
  assert.deepEqual(await store.linkedTo("base"), []);
  const bytes = machine.fs.bytes(base);
  await machine.fs.removeFile(base);
  machine.fs.failNext("readDirectory", { path: "/data", errno: "EIO" });
  const blind = await store.openFile(file);
  assert.deepEqual(codesOf(blind), ["BASE_MISSING"]);
  await blind.close();
  machine.fs.place(base, "file", bytes);
  const env = environment({ fileSystem: machine.fs, clock: machine.clock });
  const trash = new TrashFolder("/data/trash", env, ["/data"]);
  const header = (await store.open("linked")).header;
  const aborted = new BranchlineError("ABORTED", {}, { message: "no" });
  const broken = new BaseSessions({
    ...{ env, trash, roots: ["/data"] },
    open: async () => {
      throw aborted;
    },
  });
  await assert.rejects(broken.below(header, []), hasCode("ABORTED"));
  let closed = 0;
  const torn = new BaseSessions({
    ...{ env, trash, roots: ["/data"] },
    open: async (path) => {
      const session = await machine.store().openFile(path);
      // The rows of an index may be gone while the path is walked.
      session.tree.path = () => {
        throw aborted;
      };
      return Object.assign(new SessionDecorator(session), {
        close: async () => {
          closed++;
          await session.close();
        },
      });
    },
  });
  await assert.rejects(torn.below(header, []), hasCode("ABORTED"));
  assert.equal(closed, 1);
});
