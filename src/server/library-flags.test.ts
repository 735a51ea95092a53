import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { SessionPage, SessionRow } from "../protocol/session.ts";
import { RunsElsewhere } from "./runs-elsewhere.ts";
import { SeenEntries } from "./seen-entries.ts";
import { serverRig, until } from "./testing/server-rig.ts";

function rowOf({ sessions }: SessionPage, id: string): SessionRow {
  const row = sessions.find((one) => one.id === id);
  return row ?? assert.fail(`${id} is not listed`);
}

test("unread: what came since somebody looked; survives a restart, for the owner only, no session file is touched", async (t) => {
  const rig = await serverRig(t);
  const { id } = (await rig.client.createSession({ name: "read me" })).row;
  const { id: other } = (await rig.client.createSession({ name: "never" })).row;
  const { row, seen } = await rig.client.state(id);
  assert.deepEqual([row.unread, seen], [null, null]);
  const file = path.join(row.path ?? "");
  const before = statSync(file);
  await rig.client.seen(id, row.entries);
  await assert.rejects(rig.client.seen("nobody", 1), { status: 404 });
  assert.equal(statSync(file).mtimeMs, before.mtimeMs);
  assert.equal(rowOf(await rig.client.sessions(), id).unread, 0);
  const again = await rig.restart();
  const session = await again.foreign.open(id);
  await session.commit({ entries: [{ type: "message", message: { role: "user", content: "!" } }] });
  await session.close();
  const page = await again.client.sessions();
  assert.equal(rowOf(page, id).unread, 1);
  assert.equal(rowOf(page, other).unread, null);
  assert.equal(page.facets.flags?.unread, 1);
  const unread = await again.client.sessions({ unread: 1 });
  assert.deepEqual(
    unread.sessions.map((one) => one.id),
    [id],
  );
  assert.equal((await again.client.state(id)).seen, row.entries);
  const values = path.join(again.folder, "values", "resource");
  for (const name of readdirSync(values)) {
    assert.equal(statSync(path.join(values, name)).mode & 0o077, 0, name);
  }
});

test("looks of one moment are written down once; a failure loses none, and the oldest is forgotten first", async () => {
  let kept: unknown;
  let writes = 0;
  let isFull = true;
  const failures: unknown[] = [];
  const seen = new SeenEntries({
    values: {
      get: async () => kept,
      set: async (_scope, _key, value) => {
        if (isFull) throw new Error("full");
        writes++;
        kept = value;
      },
    },
    onFailure: (error) => failures.push(error),
  });
  for (let place = 0; place < 5001; place++) await seen.note(`s${place}`, place);
  assert.equal(await seen.note("s7", 7), false);
  await seen.close();
  assert.equal(failures.length, 1);
  assert.equal(await seen.of("s5000"), 5000);
  isFull = false;
  await seen.close();
  assert.equal(writes, 1);
  assert.equal(Object.keys(Object(kept)).length, 5000);
  assert.equal(await seen.of("s0"), null);
  assert.equal((await seen.all()).get("s5000"), 5000);
  kept = { good: 3, "not a number": "x" };
  const later = new SeenEntries({
    values: { get: async () => kept, set: async () => undefined },
    onFailure: () => undefined,
  });
  assert.deepEqual([...(await later.all())], [["good", 3]]);
});

test("running: a run of this server is told, and over when it is over", async (t) => {
  const rig = await serverRig(t);
  const { id } = (await rig.client.createSession({ name: "here" })).row;
  await rig.client.createSession({ name: "idle" });
  await rig.client.change(id, "settings", { body: { ask: ["list_files", "list"] } });
  const { runId } = await rig.client.run(id, { text: "list the files" });
  await until(rig.client.runEvents(runId ?? ""), ({ type }) => type === "tool_permission");
  const page = await rig.client.sessions({ running: 1 });
  assert.deepEqual(
    page.sessions.map((one) => [one.id, one.running]),
    [[id, "here"]],
  );
  assert.equal(page.facets.flags?.running, 1);
  await rig.client.abort(runId ?? "");
  assert.equal((await rig.client.state(id)).row.running, null);
});

test("running: the name beside a run lock of another process that lives, not of one that died or of this one", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "branchline-running-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const owner = (name: string, pid: unknown, host = hostname()): void => {
    const text = JSON.stringify({ pid, host, startedAt: 1, command: "node x" });
    writeFileSync(path.join(folder, `${name}.jsonl.run-main.owner`), text);
  };
  owner("alive", process.ppid);
  owner("old", process.ppid);
  owner("own", process.pid);
  owner("dead", 2 ** 22 + 1);
  owner("far", process.ppid, "elsewhere.invalid");
  owner("odd", "1");
  writeFileSync(path.join(folder, "broken.jsonl.run-main.owner"), "{");
  writeFileSync(path.join(folder, "large.jsonl.run-main.owner"), " ".repeat(5000));
  writeFileSync(path.join(folder, "null.jsonl.run-main.owner"), "null");
  mkdirSync(path.join(folder, "folder.jsonl.run-main.owner"));
  const names = ["alive", "own", "dead", "far", "odd", "broken", "large", "null", "folder"];
  const modified = new Date().toISOString();
  const sessions = names.map((name) => ({ path: path.join(folder, `${name}.jsonl`), modified }));
  const gone = { path: "/nowhere/at/all.jsonl", modified };
  const memory = { path: null, modified };
  const elsewhere = new RunsElsewhere();
  const old = [{ path: path.join(folder, "old.jsonl"), modified: "2020-01-01T00:00:00.000Z" }];
  assert.deepEqual(await elsewhere.among(old), new Set());
  const running = await elsewhere.among([...sessions, gone, memory]);
  assert.ok(running.has(path.join(folder, "alive.jsonl")));
  assert.deepEqual(
    sessions.filter((one) => running.has(one.path)).map((one) => path.basename(one.path)),
    ["alive.jsonl"],
  );
});

test("whoever hears of all sessions hears what other programs write; a look tells only what is new", async (t) => {
  const rig = await serverRig(t, { limits: { libraryMs: 1e6 } });
  const made = await rig.foreign.create({ cwd: "/x" });
  const { watch, hub } = rig.server.core;
  await watch.look();
  const from = hub.seq;
  const told = (): readonly string[] =>
    (hub.since(from, { sessions: null, run: null }) ?? []).map(
      ({ event }) => `${event.type} ${event.sessionId}`,
    );
  await watch.look();
  assert.deepEqual(told(), []);
  await made.commit({ entries: [{ type: "message", message: { role: "user", content: "hi" } }] });
  const second = await rig.foreign.create({ cwd: "/x" });
  await watch.look();
  assert.deepEqual(told().toSorted(), [
    `session_created ${second.id}`,
    `session_updated ${made.id}`,
  ]);
  await made.close();
  await rig.foreign.trash(made.id);
  await watch.look();
  assert.equal(told().at(-1), `session_removed ${made.id}`);
  await second.close();
});

test("a look goes by itself while somebody listens", async (t) => {
  const rig = await serverRig(t, { limits: { libraryMs: 5 } });
  const end = new AbortController();
  const events = rig.client.events(null, { signal: end.signal });
  const created = until(events, ({ type }) => type === "session_created");
  while (!rig.server.core.hub.isLibraryWatched) await new Promise(setImmediate);
  // Until a look that comes after the first has been.
  const made: string[] = [];
  let isTold = false;
  void created.then(() => {
    isTold = true;
  });
  while (!isTold) {
    const session = await rig.foreign.create({ cwd: "/x" });
    made.push(session.id);
    await session.close();
  }
  const heard = await created;
  end.abort();
  assert.ok(made.includes(heard.at(-1)?.sessionId ?? ""));
});

test("labels, divergence and secrets of sessions narrow the library, as the index and the look for secrets know them", async (t) => {
  const rig = await serverRig(t);
  const { id } = (await rig.client.createSession({ name: "marked" })).row;
  const { id: plain } = (await rig.client.createSession({ name: "plain" })).row;
  const secret = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
  await using session = await rig.foreign.open(id);
  const { entries } = await session.commit({
    entries: [{ type: "message", message: { role: "user", content: `use ${secret}` } }],
  });
  const [first] = entries;
  for (const label of ["旧标签", "决定"]) {
    await session.commit({ entries: [{ type: "label", targetId: first?.id ?? "", label }] });
  }
  const before = rowOf(await rig.client.sessions(), id);
  assert.deepEqual([before.labels, before.diverged, before.secrets], [["决定"], false, null]);
  // Another writer went on from the same entry, and no mark says that this was wished for.
  await session.commit({
    entries: [
      {
        type: "message",
        parentId: first?.id ?? null,
        message: { role: "user", content: "beside" },
      },
    ],
  });
  await rig.client.health(id);
  const page = await rig.client.sessions();
  assert.deepEqual(page.facets.labels, [{ value: "决定", count: 1 }]);
  assert.deepEqual([page.facets.flags?.diverged, page.facets.flags?.secrets], [1, 1]);
  assert.deepEqual([rowOf(page, id).diverged, rowOf(page, id).secrets], [true, 1]);
  assert.deepEqual([rowOf(page, plain).secrets, rowOf(page, plain).labels ?? []], [null, []]);
  for (const filter of [{ label: "决定" }, { diverged: 1 }, { secrets: 1 }] as const) {
    const narrowed = await rig.client.sessions(filter);
    assert.deepEqual(
      narrowed.sessions.map((one) => one.id),
      [id],
    );
  }
  assert.deepEqual((await rig.client.sessions({ label: "旧标签" })).sessions, []);
});
