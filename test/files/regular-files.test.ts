/** Rows 46–49, S12, S19: what is no regular file is never opened, whichever way it is named. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext, test } from "node:test";
import { BranchlineError, type ErrorCode } from "../../src/errors.ts";
import { createJsonlStore, type JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { applyRepair, planRepair } from "../../src/store/jsonl/repair.ts";
import { type Desk, makeDesk } from "../cli/run-cli.ts";

/** How something that is no regular file comes to be at a path. */
const KINDS: Readonly<Record<string, (path: string, t: TestContext) => Promise<void>>> = {
  FIFO: async (path) => {
    assert.equal(spawnSync("mkfifo", [path]).status, 0);
  },
  socket: async (path, t) => {
    const server = createServer();
    t.after(() => server.close());
    await new Promise<void>((done) => server.listen(path, done));
  },
  folder: async (path) => {
    mkdirSync(path);
  },
  "link to a device": async (path) => symlinkSync("/dev/zero", path),
  "link to a terminal": async (path) => symlinkSync("/dev/tty", path),
  "dangling link": async (path) => symlinkSync("nowhere.jsonl", path),
  "link to itself": async (path) => symlinkSync(path, path),
};

const CODES: ReadonlySet<ErrorCode> = new Set(["FILE_UNSAFE", "SESSION_UNKNOWN", "IO_FAILED"]);

/** Every call of the library that takes a path. */
const CALLS: Readonly<Record<string, (store: JsonlStore, path: string) => Promise<unknown>>> = {
  openFile: (store, path) => store.openFile(path),
  "openFile from its end": (store, path) => store.openFile(path, { tailFirst: true }),
  "openFile strictly": (store, path) => store.openFile(path, { strict: true }),
  trashFile: (store, path) => store.trashFile(path),
  purgeFile: (store, path) => store.purgeFile(path),
  relocate: (store, path) => store.relocate(path, "/elsewhere"),
  planRepair: (_store, path) => planRepair(path),
  applyRepair: (_store, path) => applyRepair(path),
};

/** Every verb that takes a session, with what else it needs. */
const VERBS: readonly (readonly string[])[] = [
  ["status"],
  ["tree"],
  ["log"],
  ["context"],
  ["labels"],
  ["oplog"],
  ["fsck"],
  ["repair", "--apply"],
  ["export", "--to", "md"],
  ["rm"],
  ["archive", "--apply"],
  ["name", "text"],
];

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "branchline-kinds-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function cliRefuses(desk: Desk, path: string): Promise<void> {
  for (const [verb = "", ...rest] of VERBS) {
    const said = await desk.cli([verb, path, ...rest, "--json"]);
    assert.notEqual(said.code, 0, `${verb}: ${said.out}`);
    const line = said.err.split("\n").find((each) => each.startsWith("{")) ?? "{}";
    const { error } = JSON.parse(line) as { error?: { code: ErrorCode } };
    assert.ok(error !== undefined && CODES.has(error.code), `${verb}: ${said.err}`);
  }
}

for (const [kind, make] of Object.entries(KINDS)) {
  describe(`a ${kind} named like a session (rows 46–48, S12, S19)`, () => {
    for (const [name, call] of Object.entries(CALLS)) {
      it(`is refused by ${name}, at once and typed`, { timeout: 5000 }, async (t) => {
        const folder = folderFor(t);
        const path = join(folder, "session.jsonl");
        await make(path, t);
        await using store = createJsonlStore({ root: folder });
        await assert.rejects(call(store, path), (error) => {
          assert.ok(BranchlineError.is(error), String(error));
          return CODES.has(error.code);
        });
      });
    }

    it("is refused by every verb, at once and typed", { timeout: 20_000 }, async (t) => {
      const desk = makeDesk(t);
      const path = join(desk.home, "session.jsonl");
      await make(path, t);
      await cliRefuses(desk, path);
    });

    it("hides nothing from list and find", { timeout: 5000 }, async (t) => {
      const folder = folderFor(t);
      await using store = createJsonlStore({ root: folder });
      await (await store.create({ id: "good", cwd: "/p" })).close();
      await make(join(folder, "bad.jsonl"), t);
      const ids: string[] = [];
      for await (const row of store.list()) ids.push(row.id);
      assert.deepEqual(ids, ["good"]);
      await (await store.open("good")).close();
    });
  });
}

test("a link out of the root is not found by id, and nothing is written through it (row 49, S12)", async (t) => {
  const folder = folderFor(t);
  const [root, outside] = [join(folder, "root"), join(folder, "outside")];
  await using other = createJsonlStore({ root: outside });
  const made = await other.create({ id: "outside", cwd: "/p" });
  const path = made.file ?? "";
  await made.close();
  const before = readFileSync(path);
  mkdirSync(root);
  symlinkSync(path, join(root, "linked.jsonl"));
  symlinkSync(outside, join(root, "folder"));
  await using store = createJsonlStore({ root });
  const calls = [
    () => store.open("outside"),
    () => store.trash("outside"),
    () => store.purge("outside"),
  ];
  for (const call of calls) {
    await assert.rejects(call, (error) => BranchlineError.is(error, "SESSION_UNKNOWN"));
  }
  assert.ok(readFileSync(path).equals(before));
});

test("a hard link is a second name of one file: the id is ambiguous, each name shows it whole (S12)", async (t) => {
  const root = folderFor(t);
  await using store = createJsonlStore({ root });
  const made = await store.create({ id: "twice", cwd: "/p" });
  const first = made.file ?? "";
  await made.commit({ entries: [{ type: "custom", customType: "x" }] });
  await made.close();
  const second = join(root, "twice (second name).jsonl");
  linkSync(first, second);
  await assert.rejects(store.open("twice"), (error) =>
    BranchlineError.is(error, "SESSION_AMBIGUOUS"),
  );
  for (const path of [first, second]) {
    await using session = await store.openFile(path);
    await session.commit({ entries: [{ type: "custom", customType: "y" }] });
    assert.deepEqual(session.problems, []);
  }
  await using whole = await store.openFile(first);
  assert.equal(whole.tree.size, 3);
  assert.ok(readFileSync(first).equals(readFileSync(second)));
});
