import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { RefreshedList } from "../../src/index/session-index.ts";
import type { SqliteIndex, SqliteIndexOptions } from "../../src/index/sqlite/sqlite-index.ts";
import { systemClock } from "../../src/io/clock.ts";
import { type FileStamp, stampNow } from "../../src/io/file-stamp.ts";
import type { FileSystem } from "../../src/io/file-system.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import type { SessionSummary } from "../../src/store/store.ts";
import { collect } from "../../src/store/testing/expect.ts";
import { fileSystem, IndexMachine, sessionFiles } from "./index-machine.ts";

/** Rows of more than one page of a refresh. */
const SESSIONS = 300;

const line = (value: object): string => `${JSON.stringify(value)}\n`;
const time = (at: number): string => new Date(1.7e12 + at * 1000).toISOString();
const session = (at: number, cwd = "/w"): string =>
  line({ type: "session", version: 3, id: `s${at}`, timestamp: time(at % 7), cwd }) + say(at);
const say = (at: number): string => {
  const message = { role: "user", content: `text ${at}` };
  return line({ type: "message", id: `e${at}`, parentId: null, timestamp: time(at), message });
};

describe("a refreshed list", () => {
  let machine: IndexMachine;
  let index: SqliteIndex;

  beforeEach(() => {
    machine = new IndexMachine();
    mkdirSync(join(machine.root, "in", "deep"), { recursive: true });
    for (let at = 0; at < SESSIONS; at++)
      machine.write(at % 3 === 0 ? `in/deep/s${at}` : `s${at}`, session(at));
    index = machine.index();
  });
  afterEach(async () => {
    await index.close();
    machine.remove();
  });

  const listed = (by: SqliteIndex = index): Promise<RefreshedList> =>
    by.refreshedList([machine.root]);
  const read = (): Promise<readonly SessionSummary[]> =>
    collect(createJsonlStore({ root: machine.root }).list());
  function change(sql: string): void {
    const other = new DatabaseSync(machine.database, { defensive: false });
    other.exec(sql);
    other.close();
  }

  it("is what the files say, before and after each change of them (F097, F098)", async () => {
    machine.write("none", '{"no":"session"}\n');
    const changes: readonly (() => void)[] = [
      () => undefined,
      () => appendFileSync(machine.path("s1"), say(5000)),
      () => rmSync(machine.path("in/deep/s3")),
      () => renameSync(machine.path("s2"), machine.path("in/moved")),
      () => machine.write("new", session(9000, "/else")),
      () => utimesSync(machine.path("s5"), 1e9, 1e9),
      () => {
        // Another file of the same size and time.
        const other = machine.write("other", session(5).replaceAll("text 5", "TEXT 5"));
        utimesSync(other, 1e9, 1e9);
        renameSync(other, machine.path("s5"));
      },
    ];
    for (const apply of changes) {
      apply();
      const { rows, sessions, complete, skipped } = await listed();
      assert.deepEqual(rows, await read());
      assert.deepEqual([complete, sessions, skipped.length], [true, rows.length, 1]);
      assert.deepEqual(index.list({ roots: [machine.root] }), rows);
      const { bytesRead } = index.counters;
      assert.deepEqual(await listed(), { ...(await listed()), rows, scannedBytes: 0 });
      assert.equal(index.counters.bytesRead, bytesRead);
    }
  });

  it("has each session once where one root lies in another, and forgets none of them", async () => {
    const roots = [join(machine.root, "in"), machine.root, join(machine.root, "in", "deep")];
    for (let time = 0; time < 2; time++) {
      const { rows, sessions } = await index.refreshedList([...roots, machine.root]);
      assert.deepEqual([rows.length, sessions], [SESSIONS, SESSIONS]);
    }
    assert.equal(index.count(), SESSIONS);
    assert.equal((await index.refreshedList([roots[0] ?? ""])).rows.length, SESSIONS / 3);
    assert.equal(index.count(), SESSIONS);
  });

  it("is right whatever happened to a row, or to the look-up tree of the list (F032)", async () => {
    const expected = await read();
    const damages = [
      "UPDATE file SET listed = replace(listed, 'text 4', 'text 5')",
      "UPDATE file SET listed_seal = 0 WHERE session = 's7'",
      "UPDATE file SET reason = 'odd', listed = replace(listed, 's8', 's9') WHERE session = 's8'",
      "UPDATE file SET path = path || 'x' WHERE session = 's9'",
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, '(path,', '(path DESC,') WHERE name = 'file_listed'`,
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'file_modified')
         WHERE name = 'file_listed'`,
    ];
    for (const damage of damages) {
      await listed();
      change(damage);
      await using other = machine.index();
      assert.deepEqual((await listed(other)).rows, expected, damage);
      assert.deepEqual((await listed(other)).rows, expected, damage);
    }
  });

  it("leaves rows alone that another process makes while it looks", async () => {
    await listed();
    await using other = machine.index();
    const late = machine.index(
      lateWalk(async () => {
        machine.write("late", session(7000));
        await other.refresh([machine.root]);
      }),
    );
    assert.equal((await listed(late)).rows.length, SESSIONS);
    assert.equal(late.count(), SESSIONS + 1);
    await late.close();
  });

  it("has each session also where another process takes its row up again meanwhile (F031)", async () => {
    await using other = machine.index();
    await using slow = machine.index({ fileSystem: afterClose(machine.path("s1"), 2, again) });
    async function again(path: string): Promise<void> {
      await other.distrust(path);
    }
    const { rows, complete } = await listed(slow);
    assert.deepEqual([rows.length, complete], [SESSIONS, true]);
    await using never = machine.index({ fileSystem: afterClose(machine.path("s2"), 1e9, again) });
    appendFileSync(machine.path("s2"), say(5000));
    assert.equal((await listed(never)).complete, false);
    const store = createJsonlStore({ root: machine.root, index: never });
    assert.deepEqual(await collect(store.list()), await read());
  });

  it("is no answer where another process never stops writing, and the files are read (F031)", async () => {
    await listed();
    appendFileSync(machine.path("s1"), say(5000));
    const writing = new DatabaseSync(machine.database);
    writing.exec("BEGIN IMMEDIATE");
    // Each look at this clock takes so long.
    let now = 0;
    const clock = { ...systemClock, monotonic: () => (now += 3000) };
    await using late = machine.index({ clock });
    assert.equal((await listed(late)).complete, false);
    const store = createJsonlStore({ root: machine.root, index: late });
    assert.deepEqual(await collect(store.list()), await read());
    writing.close();
  });

  it("forgets and finds sessions below a folder with a backslash in its name", async () => {
    const folder = join(machine.root, "a\\b");
    mkdirSync(folder);
    writeFileSync(join(folder, "x.jsonl"), session(7000));
    writeFileSync(join(folder, "y.jsonl"), session(7001));
    assert.equal((await index.refreshedList([folder])).rows.length, 2);
    assert.equal(index.list({ roots: [folder] }).length, 2);
    rmSync(join(folder, "x.jsonl"));
    assert.equal((await index.refreshedList([folder])).rows.length, 1);
    assert.equal(index.count(), 1);
  });

  it("asks the file system where a stamp is not told at once", async () => {
    await listed();
    const before = { ...index.counters };
    await using other = machine.index({ stampNow: () => undefined });
    assert.equal((await listed(other)).rows.length, SESSIONS);
    assert.ok((await other.session(machine.path("s1"))) !== null);
    assert.equal(other.counters.bytesRead, 0);
    assert.equal(other.count(), SESSIONS);
    assert.deepEqual({ ...index.counters }, before);
  });

  it("gives way to timers and the like between two pages, and ends when one of them aborts it", async () => {
    await listed();
    const slowly = (path: string): FileStamp | undefined => {
      if (path === machine.path("in/deep/s0")) spin(20);
      return stampNow(path);
    };
    await using slow = machine.index({ stampNow: slowly });
    const controller = new AbortController();
    const { signal } = controller;
    setImmediate(() => controller.abort());
    await assert.rejects(slow.refreshedList([machine.root], { signal }), { code: "ABORTED" });
  });
});

/** A file system where something happens after a file was closed, so many times. */
function afterClose(
  path: string,
  times: number,
  then: (path: string) => Promise<void>,
): FileSystem {
  let left = times;
  return {
    ...fileSystem,
    async open(opened, mode) {
      const handle = await fileSystem.open(opened, mode);
      if (opened !== path) return handle;
      const close = async (): Promise<void> => {
        await before();
        if (left-- > 0) await then(path);
      };
      const before = handle.close.bind(handle);
      return Object.assign(handle, { close });
    },
  };
}

/** Keeps the event loop busy for so many ms. */
function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** An index whose walks end with something that happens after all was found. */
function lateWalk(then: () => Promise<void>): Partial<SqliteIndexOptions> {
  return {
    files: {
      ...sessionFiles,
      async *walk(root) {
        yield* sessionFiles.walk(root);
        await then();
      },
    },
  };
}
