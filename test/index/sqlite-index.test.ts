import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { BranchlineError } from "../../src/errors.ts";
import type { SqliteIndex } from "../../src/index/sqlite/sqlite-index.ts";
import { draw, drawn } from "../builders/draft-tree.ts";
import { IndexMachine } from "./index-machine.ts";
import { randomSession } from "./random-session.ts";
import { assertSameBase, assertSameSession, plainEntry } from "./same-answers.ts";

const HEADER = `${JSON.stringify({ type: "session", version: 3, id: "drawn", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" })}\n`;
/** Seeds of drawn sessions that the scanner takes: no old leaf entry names what is not there. */
const SEED = 4;

function lines(words: string): string {
  return drawn(words)
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join("");
}

describe("the index in SQLite", () => {
  let machine: IndexMachine;
  let index: SqliteIndex;

  beforeEach(() => {
    machine = new IndexMachine();
    mkdirSync(machine.root);
    index = machine.index();
  });
  afterEach(async () => {
    await index.close();
    machine.remove();
  });

  async function known(path: string, by: SqliteIndex = index): Promise<boolean> {
    const session = await by.session(path);
    assert.ok(session !== null, `${path} is known`);
    return assertSameSession(session, path);
  }

  it("needs one stat and one SELECT where nothing changed", async () => {
    const path = machine.write("a", HEADER + lines("a b<a c<b"));
    await known(path);
    const before = { ...index.counters };
    const session = await index.session(path);
    assert.equal(session?.summary.entries, 3);
    assert.deepEqual({ ...index.counters }, before);
  });

  it("reads from the last known byte on when others append, by whole lines only", async () => {
    const path = machine.write("a", HEADER + lines("a b<a"));
    await known(path);
    const snapshot = await index.session(path);
    const [more, torn] = [lines("c<b d<c"), lines("e<d")];
    appendFileSync(path, more + torn.slice(0, 40));
    const before = index.counters.bytesRead;
    const rows = index.counters.rowsWritten;
    assert.equal((await index.session(path))?.summary.entries, 4);
    assert.ok(index.counters.bytesRead - before <= more.length + 40 + 2 * 64);
    assert.equal(index.counters.rowsWritten - rows, 2);
    assert.ok(await known(path));
    appendFileSync(path, torn.slice(40));
    assert.ok(await known(path));
    // What was handed out before stays what it was.
    assertSameBase(snapshot?.base ?? assert.fail(), draw("a b<a"));
  });

  it("leaves an incomplete commit at the end for the next time (P2)", async () => {
    const { lines: all } = randomSession(SEED, 60);
    const text = all.join("");
    for (const cut of all.keys()) {
      machine.write("a", all.slice(0, cut + 1).join(""));
      assert.ok(await known(machine.path("a")));
    }
    assert.equal(readFileSync(machine.path("a"), "utf8"), text);
  });

  const changes: Readonly<Record<string, (path: string) => void>> = {
    "another file at its path": (path) => {
      writeFileSync(`${path}.new`, HEADER + lines("x y<x z<y w<z v<w"));
      renameSync(`${path}.new`, path);
    },
    "a file that was rewritten": (path) =>
      writeFileSync(path, HEADER + lines("a c<a d<c e<d f<e g<f")),
    "a file that was rewritten with the same length": (path) => {
      writeFileSync(path, HEADER + lines("a b<a c<a"));
      utimesSync(path, new Date(), new Date("2030-01-01"));
    },
    "a file that became shorter": (path) =>
      truncateSync(path, HEADER.length + lines("a b<a").length),
    "a file that is empty now": (path) => truncateSync(path, 0),
    "a file that got worse": (path) => appendFileSync(path, '{"type":"message"\n'),
    "a file with two entries of one id": (path) => appendFileSync(path, lines("c<b")),
    "a file with an entry whose parent is missing": (path) => appendFileSync(path, lines("d<gone")),
    "a file whose last line lacks its newline": (path) => appendFileSync(path, lines("d<c").trim()),
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`reads anew: ${what}`, async () => {
      const path = machine.write("a", HEADER + lines("a b<a c<b"));
      assert.ok(await known(path));
      change(path);
      const session = await index.session(path);
      if (session === null) await assert.rejects(assertSameSession(session as never, path));
      else await assertSameSession(session, path);
      assert.equal(index.counters.rebuilds, 0);
    });
  }

  it("says so when the rows of an old base are gone", async () => {
    const path = machine.write("a", HEADER + lines("a b<a c<b"));
    const { base } = (await index.session(path)) ?? assert.fail();
    machine.write("a", HEADER + lines("x y<x"));
    await index.session(path);
    assert.throws(
      () => base?.at(0),
      (error) => BranchlineError.is(error, "IO_FAILED"),
    );
  });

  const damages: Readonly<Record<string, (database: string) => void>> = {
    deleted: (database) => rmSync(database),
    emptied: (database) => truncateSync(database, 0),
    "no database": (database) => writeFileSync(database, "x".repeat(8192)),
    "cut in half": (database) =>
      truncateSync(database, Math.floor(statSync(database).size / 8192) * 4096),
    "overwritten in the middle": (database) => {
      const bytes = readFileSync(database);
      writeFileSync(database, bytes.fill(0x5a, 4096, bytes.length));
    },
    "of another version": (database) => {
      const other = new DatabaseSync(database);
      other.exec("PRAGMA user_version = 999");
      other.close();
    },
    "another program's": (database) => {
      rmSync(database);
      const other = new DatabaseSync(database);
      other.exec("CREATE TABLE mine (x)");
      other.close();
    },
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`answers the same when the database is ${what} (F032, F098)`, async () => {
      const path = machine.write("a", HEADER + lines("a b<a c<b d<a"));
      await known(path);
      await index.close();
      for (const suffix of ["-wal", "-shm"]) rmSync(machine.database + suffix, { force: true });
      damage(machine.database);
      index = machine.index();
      assert.ok(await known(path));
      const report = await index.refresh([machine.root]);
      assert.deepEqual([report.sessions, report.complete], [1, true]);
      assert.deepEqual(
        index.list().map(({ id }) => id),
        ["drawn"],
      );
    });

    it(`answers the same when the database is ${what} while it is open`, async () => {
      const path = machine.write("a", HEADER + lines("a b<a c<b d<a"));
      await known(path);
      damage(machine.database);
      appendFileSync(path, lines("e<d"));
      const session = await index.session(path);
      if (session !== null) await assertSameSession(session, path);
      const other = machine.index();
      assert.ok(await known(path, other));
      await other.close();
      await index.refresh([machine.root]);
      assert.ok(await known(path));
    });
  }

  it("gives up where the database cannot be made, and stands in nobody's way", async () => {
    mkdirSync(machine.database);
    const path = machine.write("a", HEADER + lines("a"));
    assert.equal(await index.session(path), null);
    assert.deepEqual(index.list(), []);
    assert.equal((await index.refresh([machine.root])).complete, false);
  });

  it("waits for a process that writes, without taking the database for broken (F031)", async () => {
    const path = machine.write("a", HEADER + lines("a b<a"));
    await known(path);
    const other = new DatabaseSync(machine.database);
    other.exec("BEGIN IMMEDIATE");
    appendFileSync(path, lines("c<b"));
    const asked = index.session(path);
    await new Promise((resolve) => setImmediate(resolve));
    other.exec("COMMIT");
    other.close();
    assert.equal((await asked)?.summary.entries, 3);
    assert.equal(index.counters.rebuilds, 0);
  });

  it("makes files that nobody else can read, under any umask (P10)", async () => {
    const umask = process.umask(0);
    try {
      await known(machine.write("a", HEADER + lines("a")));
    } finally {
      process.umask(umask);
    }
    const modes = readdirSync(machine.folder)
      .filter((name) => name.startsWith("index.db"))
      .map((name) => statSync(join(machine.folder, name)).mode & 0o777);
    assert.ok(modes.length > 1 && modes.every((mode) => mode === 0o600));
  });

  it("lists every session below the roots, and forgets what is gone (F097, F098, F102)", async () => {
    for (let at = 0; at < 1000; at++) {
      const header = HEADER.replace('"drawn"', `"s${at}"`).replace("/w", `/w/${at % 2}`);
      machine.write(`s${at}`, header + lines("a b<a"));
    }
    machine.write("none", '{"no":"session"}\n');
    const report = await index.refresh([machine.root]);
    assert.equal(report.sessions, 1000);
    assert.deepEqual(
      report.skipped.map(({ path }) => path),
      [machine.path("none")],
    );
    assert.equal(index.list({ roots: [machine.root] }).length, 1000);
    assert.equal(index.list({ cwd: "/w/1", limit: 10, offset: 495 }).length, 5);
    assert.equal(index.count({ cwd: "/w/1" }), 500);
    const before = { ...index.counters };
    rmSync(machine.path("s7"));
    assert.equal((await index.refresh([machine.root])).sessions, 999);
    assert.deepEqual({ ...index.counters }, before);
    assert.equal(index.list().length, 999);
    assert.equal(await index.session(machine.path("s7")), null);
    assert.deepEqual(index.list({ roots: [join(machine.folder, "sess")] }), []);
  });

  it("filters and sorts a list", async () => {
    const named = (id: string, name: string, size: number): void => {
      const info = `${JSON.stringify({ type: "session_info", id: "n", parentId: null, timestamp: "", name })}\n`;
      machine.write(
        id,
        HEADER.replace('"drawn"', `"${id}"`) +
          info +
          lines("a").repeat(1).padEnd(0) +
          " \n".repeat(size),
      );
    };
    named("one", "Zebra 100%", 3);
    named("two", "apple", 9);
    await index.refresh([machine.root]);
    const ids = (options: Parameters<SqliteIndex["list"]>[0]): readonly string[] =>
      index.list(options).map(({ id }) => id);
    assert.deepEqual(ids({ sort: "title" }), ["two", "one"]);
    assert.deepEqual(ids({ sort: "bytes" }), ["two", "one"]);
    assert.deepEqual(ids({ text: "100%" }), ["one"]);
    assert.deepEqual(ids({ text: "1%0" }), []);
    assert.deepEqual(ids({ agent: "branchline" }), []);
    assert.deepEqual(ids({ since: "2027" }), []);
    assert.deepEqual(ids({ roots: [] }), []);
  });

  it("sums usage by day and model, and keeps what a fork copied apart", async () => {
    const usage = { input: 5, output: 7, cacheRead: 1, cacheWrite: 2, cost: { total: 0.5 } };
    const message = { role: "assistant", content: [], api: "a", provider: "p", model: "m", usage };
    const at = (id: string, day: string): string =>
      `${JSON.stringify({ type: "message", id, parentId: null, timestamp: `${day}T01:00:00.000Z`, message })}\n`;
    const tool = {
      role: "toolResult",
      toolCallId: "t",
      toolName: "bash",
      content: [],
      isError: false,
    };
    const result = `${JSON.stringify({ type: "message", id: "r", parentId: null, timestamp: "2026-02-01T00:00:00Z", message: tool })}\n`;
    const header = JSON.stringify({
      type: "session",
      version: 3,
      id: "f",
      timestamp: "2026-01-15T00:00:00.000Z",
      cwd: "/w",
      parentSession: "drawn",
    });
    const path = machine.write(
      "fork",
      `${header}\n${at("a", "2026-01-10")}${at("b", "2026-02-01")}`,
    );
    await known(path);
    appendFileSync(path, at("c", "2026-02-01") + result);
    await known(path);
    const rows = index
      .usage({ roots: [machine.root] })
      .map(({ day, model, tool: name, copied, requests, usage: sums }) => ({
        day,
        model,
        name,
        copied,
        requests,
        output: sums.output,
      }));
    assert.deepEqual(rows, [
      { day: "2026-01-10", model: "m", name: null, copied: true, requests: 1, output: 7 },
      { day: "2026-02-01", model: "m", name: null, copied: false, requests: 2, output: 14 },
      { day: "2026-02-01", model: "", name: "bash", copied: false, requests: 1, output: 0 },
    ]);
    assert.equal(index.usage({ from: "2026-02-01", to: "2026-02-01" }).length, 2);
  });

  it("reads a file whole that it was told not to trust", async () => {
    const path = machine.write("a", HEADER + lines("a b<a"));
    assert.ok(await known(path));
    await index.distrust(path);
    assert.equal(await known(path), false);
    assert.equal(index.counters.filesReadWhole, 1);
    await known(path);
    assert.equal(index.counters.filesReadWhole, 1);
  });

  it("stops when it is told to, and goes on later", async () => {
    const path = machine.write("a", HEADER + lines("a b<a"));
    const signal = AbortSignal.abort();
    await assert.rejects(index.session(path, { signal }), (error) =>
      BranchlineError.is(error, "ABORTED"),
    );
    await assert.rejects(index.refresh([machine.root], { signal }), (error) =>
      BranchlineError.is(error, "ABORTED"),
    );
    assert.ok(await known(path));
  });

  it("ends with the same rows when two processes read the same files at the same time (F030, F031)", async () => {
    const paths: string[] = [];
    for (let seed = 1; seed <= 6; seed++)
      paths.push(machine.write(`p${seed}`, randomSession(seed, 3000).lines.join("")));
    const program = join(import.meta.dirname, "index-process.ts");
    const outputs = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = spawn(process.execPath, [program, machine.database, ...paths], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        let text = "";
        child.stdout.on("data", (chunk) => {
          text += String(chunk);
        });
        await once(child, "close");
        return JSON.parse(text) as { readonly entries: number; readonly rebuilds: number };
      }),
    );
    for (const path of paths) await known(path);
    assert.equal(index.counters.rowsWritten, 0);
    assert.equal(new Set(outputs.map(({ entries }) => entries)).size, 1);
    assert.ok(outputs.every(({ rebuilds }) => rebuilds === 0));
  });

  it("takes 100,000 entries in batches, in memory that does not grow with them", async () => {
    const words = ["e0"];
    for (let at = 1; at < 100_000; at++) words.push(`e${at}<e${at % 50 === 0 ? at - 50 : at - 1}`);
    const path = machine.write("a", HEADER + lines(words.join(" ")));
    const seen: number[] = [];
    const session = await index.session(path, { onProgress: (done) => seen.push(done) });
    assert.equal(session?.summary.entries, 100_000);
    assert.equal(seen.at(-1), statSync(path).size);
    assert.ok(seen.every((done, at) => at === 0 || done >= (seen[at - 1] as number)));
    assert.equal(index.counters.linesParsed < 8_000, true);
    const tree = draw(words.join(" "));
    for (const id of ["e0", "e50", "e51", "e99999", "e77777"])
      assert.deepEqual(plainEntry(session?.base?.get(id)), plainEntry(tree.get(id)));
    let depth = 0;
    for (let at = session?.base?.get("e99999") ?? null; at !== null; at = at.parent) depth++;
    assert.equal(depth, tree.get("e99999")?.fold.depth);
  });
});
