import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { generateSession } from "../bench/session-generator.ts";
import { ClientError } from "../client/client-error.ts";
import type { ErrorCode } from "../errors.ts";
import type { WireEvent } from "../protocol/event.ts";
import type { SessionState } from "../protocol/session.ts";
import { Session } from "../session/session.ts";
import { plainRequest, type ServerRig, serverRig, until } from "./testing/server-rig.ts";

const SAMPLES = path.resolve(import.meta.dirname, "../../examples/sessions");
const TUI = "01a22905-0d4a-73a2-9570-667c162ee480";

/** A session with the design talk of the tutorial: two branches under the second entry. */
async function talk(rig: ServerRig): Promise<{ id: string; a: string; b: string; root: string }> {
  await using session = await Session.attach(await rig.store.create({ cwd: rig.folder }));
  const say = async (role: "user" | "assistant", text: string): Promise<string> => {
    const content = role === "user" ? text : [{ type: "text", text }];
    const message =
      role === "user" ? { role, content } : { role, content, provider: "p", model: "m" };
    const [entry] = await session.append({ type: "message", message });
    return entry?.id ?? "";
  };
  await say("user", "帮我设计缓存方案");
  const root = await say("assistant", "有两个方案");
  await say("user", "方案 A");
  const a = await say("assistant", "A 的细节");
  await session.moveLeaf(root);
  await say("user", "方案 B");
  const b = await say("assistant", "B 的细节");
  return { id: session.id, a, b, root };
}

async function refusal(work: Promise<unknown>): Promise<ClientError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
  return assert.fail("it was not refused");
}

test("a library: pages, filters, pins and archive marks that touch no session file", async (t) => {
  const rig = await serverRig(t);
  const { client, folder } = rig;
  for (const name of ["red", "green", "blue"]) await client.createSession({ name });
  const first = await client.sessions({ limit: 2 });
  assert.equal(first.total, 3);
  assert.equal(first.sessions.length, 2);
  const second = await client.sessions({ limit: 2, cursor: first.cursor });
  assert.equal(second.sessions.length, 1);
  assert.equal(second.cursor, null);
  const [green] = (await client.sessions({ q: "GREEN" })).sessions;
  assert.equal(green?.name, "green");
  const file = green?.path ?? "";
  const before = readFileSync(file);
  await client.update(green?.id ?? "", { pinned: true });
  assert.equal((await client.sessions()).sessions[0]?.name, "green", "pinned ones come first");
  await client.update(green?.id ?? "", { archived: true });
  assert.equal((await client.sessions()).total, 2);
  assert.equal((await client.sessions({ archived: "only" })).sessions[0]?.archived, true);
  assert.deepEqual(readFileSync(file), before);
  assert.deepEqual(first.facets.projects, [{ value: folder, count: 3 }]);
  assert.equal((await client.sessions({ project: "/elsewhere" })).total, 0);
  assert.equal((await client.sessions({ agent: "pi" })).total, 0);
});

test("a session: new, named, to the trash and back, away for good", async (t) => {
  const { client } = await serverRig(t);
  const { row } = await client.createSession({ cwd: "/a project", name: "一" });
  assert.equal((await client.update(row.id, { name: "二" })).row.name, "二");
  const moved = await client.change<SessionState>(row.id, "relocate", { body: { cwd: "/b" } });
  assert.equal(moved.row.cwd, "/b");
  assert.deepEqual(await client.trash(row.id), { id: row.id, trashed: true });
  assert.equal((await refusal(client.state(row.id))).code, "SESSION_UNKNOWN");
  const trash = await client.http.json<{ sessions: readonly { id: string }[] }>(
    "GET",
    "/api/trash",
  );
  assert.deepEqual(
    trash.sessions.map(({ id }) => id),
    [row.id],
  );
  const back = await client.http.json<SessionState>("POST", `/api/trash/${row.id}/restore`);
  assert.equal(back.row.name, "二");
  await client.trash(row.id);
  const purge = (confirm: string): Promise<unknown> =>
    client.http.json("DELETE", `/api/trash/${row.id}`, { query: { confirm } });
  assert.equal((await refusal(purge("other"))).status, 400);
  await purge(row.id);
  assert.equal((await refusal(purge(row.id))).status, 404);
});

test("reading: columns, rows, windows, entries, ranges", async (t) => {
  const rig = await serverRig(t, { samples: SAMPLES });
  const { client } = rig;
  const columns = await client.tree(TUI);
  assert.equal(columns.size, 49);
  assert.equal(columns.kinds.length, 49);
  assert.equal(columns.parents.length, 49);
  assert.equal(columns.parents[0], 0);
  assert.equal(columns.parents[31], 6);
  assert.deepEqual(columns.labels, [[40, "checkpoint-1"]]);
  assert.ok(
    columns.knots.some(([place]) => place === 25),
    "a fork is a knot",
  );
  const tail = await client.tree(TUI, 40);
  assert.equal(tail.from, 40);
  assert.equal(tail.kinds, columns.kinds.slice(40));
  const { rows } = await client.rows(TUI, "0,3-5,48");
  assert.deepEqual(
    rows.map(({ place }) => place),
    [0, 3, 4, 5, 48],
  );
  const window = await client.path(TUI, { before: 4, after: 0 });
  assert.equal(window.rows.length, 5);
  assert.equal(window.start + 5, window.total);
  const around = await client.path(TUI, { around: "~10", before: 2, after: 2 });
  assert.deepEqual(
    around.rows.map(({ place }) => place),
    [8, 9, 10, 11, 12],
  );
  const entry = await client.entry(TUI, "~3");
  assert.equal(entry.preview.role, "user");
  assert.equal(entry.children[0]?.place, 4);
  const { port, token } = rig.server;
  const headers = { Authorization: `Bearer ${token}`, Range: "bytes=0-9" };
  const raw = await plainRequest(port, { path: `/api/sessions/${TUI}/entries/~3/raw`, headers });
  assert.equal(raw.status, 206);
  assert.equal(raw.text.length, 10);
  const none = { ...headers, Range: "bytes=999999-" };
  const beyond = await plainRequest(port, {
    path: `/api/sessions/${TUI}/entries/~3/raw`,
    headers: none,
  });
  assert.equal(beyond.status, 416);
});

test("alternatives: both sides of a fork know each other and where to go", async (t) => {
  const rig = await serverRig(t);
  const { id, a, b, root } = await talk(rig);
  const window = await rig.client.path(id);
  const asked = window.rows.find(({ text }) => text === "方案 B");
  assert.deepEqual(
    asked?.siblings.map(({ text }) => text),
    ["方案 A", "方案 B"],
  );
  assert.equal(asked?.sibling, 1);
  const [other] = asked?.siblings ?? [];
  const moved = await rig.client.branch({ sessionId: id, leafId: other?.leaf ?? "" });
  assert.equal(moved.position, a);
  const there = await rig.client.path(id);
  assert.deepEqual(
    there.rows.map(({ text }) => text),
    ["帮我设计缓存方案", "有两个方案", "方案 A", "A 的细节"],
  );
  const left = await rig.client.path(id, { around: b });
  assert.equal(left.rows.at(-1)?.id, b, "an entry of another branch shows its own path");
  assert.equal((await rig.client.entry(id, root)).preview.text, "有两个方案");
});

test("POST /api/branch: durable, 400, 404, ifLeaf 409 with the present leaf", async (t) => {
  const rig = await serverRig(t);
  const { id, a, b, root } = await talk(rig);
  const { client } = rig;
  const moved = await client.branch({ sessionId: id, leafId: a, ifLeaf: b });
  assert.equal(moved.position, a);
  await using other = await Session.attach(await rig.foreign.open(id));
  assert.equal(other.position, a, "another process stands there too");
  const conflict = await refusal(client.branch({ sessionId: id, leafId: b, ifLeaf: b }));
  assert.equal(conflict.status, 409);
  assert.equal(conflict.code, "STORE_CONFLICT" satisfies ErrorCode);
  assert.equal(Object(conflict.fields).head, moved.leafId);
  assert.equal((await refusal(client.branch({ sessionId: id, leafId: "nope" }))).status, 404);
  const body = { sessionId: id };
  assert.equal((await refusal(client.http.json("POST", "/api/branch", { body }))).status, 400);
  const away = await client.branch({ sessionId: id, leafId: root, summary: "A 更简单" });
  const window = await client.path(id);
  assert.equal(window.rows.at(-1)?.kind, "m", "the summary of what was left");
  assert.equal(away.previousLeafId, moved.leafId);
  const start = await client.branch({ sessionId: id, leafId: null });
  assert.equal(start.position, null);
});

test("changes: labels, edits, select, merge, pick, branches, fork, clone, undo, redo", async (t) => {
  const rig = await serverRig(t);
  const { id, a, b, root } = await talk(rig);
  const { client } = rig;
  await client.change(id, "labels", { body: { entry: b, text: "选它" } });
  assert.deepEqual(
    (await client.state(id)).labels.map(({ text }) => text),
    ["选它"],
  );
  await client.change(id, "context-edits", { body: { entry: b, action: "hide" } });
  const hidden = (await client.path(id)).rows.find((row) => row.id === b);
  assert.equal(hidden?.sent, "hidden");
  await client.change(id, "undo");
  assert.equal((await client.path(id)).rows.find((row) => row.id === b)?.sent, "yes");
  await client.change(id, "undo");
  assert.deepEqual((await client.state(id)).labels, []);
  await client.change(id, "redo");
  assert.equal((await client.state(id)).labels.length, 1);
  const merged = await client.change(id, "merge", { body: { from: a, summary: "A 也有好处" } });
  assert.equal((await client.entry(id, merged.leafId ?? "")).preview.kind, "m");
  await client.change(id, "merge", { body: { from: a } });
  await client.change(id, "pick", { body: { entries: [a] } });
  assert.equal((await client.path(id)).rows.at(-1)?.text, "A 的细节");
  const named = await client.change<{ started: string }>(id, "branches", {
    body: { name: "试试", at: root },
  });
  await client.http.json("PATCH", `/api/sessions/${id}/branches/${named.started}`, {
    body: { name: "再试" },
  });
  await client.http.json("PATCH", `/api/sessions/${id}/branches/${named.started}`, {
    body: { archived: true },
  });
  const branch = (await client.state(id)).branches.find((one) => one.id === named.started);
  assert.equal(branch?.name, "再试");
  assert.equal(branch?.archived, true);
  const picked = await client.change(id, "select", { body: { entry: "~0" } });
  assert.equal(picked.editorText, "帮我设计缓存方案");
  assert.equal(picked.position, null);
  const fork = await client.change<SessionState>(id, "fork", { body: { at: a, name: "叉" } });
  assert.equal(fork.row.name, "叉");
  assert.equal((await client.path(fork.row.id)).rows.length, 4);
  await client.branch({ sessionId: id, leafId: b });
  const clone = await client.change<SessionState>(id, "clone");
  assert.notEqual(clone.row.id, id);
  const { operations } = await client.operations(id);
  assert.ok(operations.some(({ undone }) => undone));
  assert.ok(operations.every(({ entries }) => entries.length > 0));
});

test("context: parts, prefixes, what is not sent, shapes, curve, diff", async (t) => {
  const rig = await serverRig(t, { samples: SAMPLES });
  const { client } = rig;
  const view = await client.context(TUI, { messages: "1" });
  assert.equal(view.parts.length, view.messages.length);
  assert.equal(new Set(view.parts.map(({ prefix }) => prefix)).size, view.parts.length);
  assert.ok(view.parts.some(({ part }) => part === "summary"));
  assert.ok(view.unsent.some(({ why }) => why === "compacted"));
  assert.equal(view.compaction?.entry, "01e5e022");
  for (const as of ["pi", "openai", "anthropic"]) {
    const shaped = await client.http.json<{ body: unknown }>(
      "GET",
      `/api/sessions/${TUI}/context`,
      { query: { as } },
    );
    assert.equal(typeof shaped.body, "object");
  }
  const { points } = await client.curve(TUI);
  assert.ok(points.some(({ kind }) => kind === "c"));
  const talked = await talk(rig);
  const query = { a: talked.a, b: talked.b };
  const turns = await client.diff(talked.id, query);
  assert.equal(turns.meeting, talked.root);
  assert.deepEqual(
    turns.rows.map(({ kind }) => kind),
    ["changed", "changed"],
  );
  assert.equal(turns.a.turns, 1);
  const context = await client.diff(talked.id, { ...query, mode: "context" });
  assert.equal(context.cacheBreak, 2);
  assert.equal(
    (await client.diff(talked.id, { a: talked.a, b: talked.a, mode: "context" })).cacheBreak,
    -1,
  );
});

test("library: search opens at the entry, numbers, health, sources, models", async (t) => {
  const rig = await serverRig(t, { samples: SAMPLES });
  const { id, a } = await talk(rig);
  const { client } = rig;
  const { hits } = await client.search("细节");
  assert.deepEqual(new Set(hits.map(({ session }) => session)), new Set([id]));
  const left = hits.find(({ entry }) => entry === a);
  assert.equal(left?.onActivePath, false);
  assert.ok((left?.marks.length ?? 0) > 0);
  assert.deepEqual(
    (await client.search('"NEAR(" x: *')).hits,
    [],
    "S8: no query language leaks through",
  );
  assert.ok((await client.stats("model")).rows.length > 0);
  const health = await client.health(id);
  assert.equal(health.ok, true);
  assert.equal(
    health.byKind.reduce((sum, { entries }) => sum + entries, 0),
    health.entries,
  );
  const sources = await client.http.json<{ sources: unknown[] }>("GET", "/api/sources");
  assert.deepEqual(sources.sources, []);
  assert.equal((await client.models()).models[0]?.isOffline, true);
  const body = { baseUrl: "http://127.0.0.1:1", apiKey: "secret-key", model: "m" };
  const refused = await refusal(client.http.json("POST", "/api/models", { body }));
  assert.equal(refused.code, "NOT_SUPPORTED");
});

test("Idempotency-Key: done once, 422 for another body, also for what comes at the same time", async (t) => {
  const rig = await serverRig(t);
  const { client } = rig;
  const make = (name: string): Promise<SessionState> =>
    client.http.json("POST", "/api/sessions", { body: { name }, key: "k1" });
  const [one, two] = await Promise.all([make("x"), make("x")]);
  assert.equal(one.row.id, two.row.id);
  assert.equal((await client.sessions()).total, 1);
  const reused = await refusal(make("y"));
  assert.equal(reused.status, 422);
  const undo = { key: "k2" };
  assert.equal(
    (await client.change(one.row.id, "undo", undo)).op,
    (await client.change(one.row.id, "undo", undo)).op,
  );
});

test("ETag: what did not change is not sent again; JSON is compressed", async (t) => {
  const rig = await serverRig(t, { samples: SAMPLES });
  const { port, token } = rig.server;
  const headers = { Authorization: `Bearer ${token}` };
  const where = `/api/sessions/${TUI}/tree`;
  const first = await plainRequest(port, { path: where, headers });
  const tag = String(first.headers.etag);
  const again = await plainRequest(port, {
    path: where,
    headers: { ...headers, "If-None-Match": tag },
  });
  assert.equal(again.status, 304);
  assert.equal(again.text, "");
  await rig.client.change(TUI, "labels", { body: { entry: "~3", text: "x" } });
  const later = await plainRequest(port, {
    path: where,
    headers: { ...headers, "If-None-Match": tag },
  });
  assert.equal(later.status, 200);
  const packed = await plainRequest(port, {
    path: `/api/sessions/${TUI}/path`,
    headers: { ...headers, "Accept-Encoding": "gzip" },
  });
  assert.equal(packed.headers["content-encoding"], "gzip");
});

test("samples are shown, and copied before the first change; the shipped file stays", async (t) => {
  const samples = mkdtempSync(path.join(tmpdir(), "branchline-samples-"));
  t.after(() => rmSync(samples, { recursive: true, force: true }));
  copyFileSync(path.join(SAMPLES, "v3-tui-branches.jsonl"), path.join(samples, "a.jsonl"));
  const before = readFileSync(path.join(samples, "a.jsonl"));
  const rig = await serverRig(t, { samples });
  assert.equal((await rig.client.state(TUI)).row.sample, true);
  assert.equal((await refusal(rig.client.trash(TUI))).status, 403);
  await rig.client.change(TUI, "labels", { body: { entry: "~3", text: "mine" } });
  const state = await rig.client.state(TUI);
  assert.equal(state.row.sample, false);
  assert.deepEqual(state.labels.map(({ text }) => text).sort(), ["checkpoint-1", "mine"]);
  assert.deepEqual(readFileSync(path.join(samples, "a.jsonl")), before);
  assert.equal((await rig.client.sessions()).total, 1, "the copy stands for the sample");
  const copy = path.join(rig.folder, "sessions/samples");
  assert.deepEqual(
    readdirSync(copy).filter((name) => name.endsWith(".jsonl")),
    ["a.jsonl"],
  );
});

test("S1 S14: the note with the token is for the owner only and goes with the server; the next free port", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const rig = await serverRig(t, { port });
  assert.notEqual(rig.server.port, port);
  assert.ok(rig.server.port <= port + 64);
  const note = path.join(rig.folder, "servers", `${rig.server.port}.json`);
  assert.equal(statSync(note).mode & 0o777, 0o600);
  assert.equal(statSync(path.dirname(note)).mode & 0o777, 0o700);
  assert.equal(JSON.parse(readFileSync(note, "utf8")).token, rig.server.token);
  await rig.server.close();
  assert.equal(existsSync(note), false);
});

test("S4: no token in the log", async (t) => {
  const lines: string[] = [];
  const take = (fields: unknown, message: string): void => {
    lines.push(`${JSON.stringify(fields)} ${message}`);
  };
  const rig = await serverRig(t, { log: { info: take, warn: take, error: take } });
  const { port, token } = rig.server;
  const headers = { "Content-Type": "application/json" };
  await plainRequest(port, {
    method: "POST",
    path: "/api/login",
    headers,
    body: JSON.stringify({ token }),
  });
  await plainRequest(port, { path: `/api/sessions?token=${token}` });
  await rig.client.sessions();
  assert.ok(lines.length >= 2);
  assert.ok(!lines.join("\n").includes(token));
});

test("without an index everything is read, and the answers are the same", async (t) => {
  const rig = await serverRig(t, { index: "off" });
  const { id, a } = await talk(rig);
  assert.equal((await rig.client.sessions()).total, 1);
  assert.ok((await rig.client.search("细节")).hits.some(({ entry }) => entry === a));
  assert.ok((await rig.client.stats("day")).rows.length > 0);
  assert.equal((await rig.client.state(id)).verified, true);
});

test("a damaged session is shown with its problems and goes on", async (t) => {
  const rig = await serverRig(t);
  const folder = path.join(rig.folder, "sessions/x");
  mkdirSync(folder, { recursive: true });
  copyFileSync(path.join(SAMPLES, "v3-tui-branches.jsonl"), path.join(folder, "a.jsonl"));
  const text = readFileSync(path.join(folder, "a.jsonl"), "utf8").split("\n");
  text.splice(10, 1, '{"broken":');
  writeFileSync(path.join(folder, "a.jsonl"), text.join("\n"));
  const state = await rig.client.state(TUI);
  assert.ok(state.problems > 0);
  const health = await rig.client.health(TUI);
  assert.equal(health.ok, false);
  assert.ok(health.problems.every(({ reason }) => reason !== ""));
});

test("two clients stay in step: what one does the other hears, in order, with who did it", async (t) => {
  const rig = await serverRig(t);
  const { id, a } = await talk(rig);
  const stop = new AbortController();
  const heard = rig.client.events(id, { signal: stop.signal });
  await until(heard, ({ type }) => type === "snapshot");
  await rig.client.branch({ sessionId: id, leafId: a });
  await rig.client.change(id, "labels", { body: { entry: a, text: "x" } });
  await rig.client.change(id, "undo");
  const seen = await until(heard, ({ type }) => type === "op_undone");
  const types = seen.map(({ type }) => type);
  assert.deepEqual(
    types,
    [
      "entry_appended",
      "branch_switch",
      "entry_appended",
      "label_changed",
      "entry_appended",
      "label_changed",
      "op_undone",
    ].slice(0, types.length),
  );
  const move = seen.find(({ type }) => type === "branch_switch") as WireEvent;
  assert.equal(Object(move.data).by, "test");
  const numbers = seen.map(({ seq }) => seq);
  assert.deepEqual(
    numbers,
    numbers.toSorted((x, y) => x - y),
  );
  stop.abort();
});

test("10,000 entries: the first payload is small, a window is quick, nothing is whole", async (t) => {
  const rig = await serverRig(t);
  const folder = path.join(rig.folder, "sessions/big");
  mkdirSync(folder, { recursive: true });
  const lines = [...generateSession({ seed: 1, entries: 10_000, profile: "chat" })];
  writeFileSync(path.join(folder, "big.jsonl"), `${lines.join("\n")}\n`);
  const { id } = JSON.parse(lines[0] ?? "") as { id: string };
  const { port, token } = rig.server;
  const headers = { Authorization: `Bearer ${token}`, "Accept-Encoding": "gzip" };
  const bytes = async (where: string): Promise<number> => {
    const { headers: said, text } = await plainRequest(port, { path: where, headers });
    return Number(said["content-length"] ?? text.length);
  };
  let first = 0;
  for (const part of ["", "/tree", "/path?before=59&after=0"]) {
    first += await bytes(`/api/sessions/${id}${part}`);
  }
  assert.ok(first <= 150_000, `${first} bytes`);
  const times: number[] = [];
  for (let at = 0; at < 40; at++) {
    const began = performance.now();
    const window = await rig.client.path(id, {
      around: `~${(at * 211) % 10_000}`,
      before: 30,
      after: 29,
    });
    times.push(performance.now() - began);
    assert.ok(window.rows.length >= 30 && window.rows.length <= 60);
  }
  times.sort((a, b) => a - b);
  t.diagnostic(`first payload ${first} bytes; windows of 60: median ${times[20]?.toFixed(1)} ms`);
  const began = performance.now();
  await rig.client.change(id, "labels", { body: { entry: "~5000", text: "x" } });
  const tail = await rig.client.tree(id, 10_000);
  assert.equal(tail.kinds, "l", "what was added comes alone");
  assert.ok(performance.now() - began < 5000);
});
