import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { ClientError } from "../client/client-error.ts";
import { createOfflineModel } from "../model/offline-model.ts";
import { createScriptedModel } from "../model/scripted-model.ts";
import type { WireEvent } from "../protocol/event.ts";
import { Session } from "../session/session.ts";
import { plainRequest, type ServerRig, serverRig, until } from "./testing/server-rig.ts";
import { sseLoad } from "./testing/sse-load.ts";

const isType =
  (type: WireEvent["type"]) =>
  (event: WireEvent): boolean =>
    event.type === type;

async function refusal(work: Promise<unknown>): Promise<ClientError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
  return assert.fail("it was not refused");
}

async function sessionOf(rig: ServerRig): Promise<string> {
  return (await rig.client.createSession()).row.id;
}

/** Streams that end with the test. */
function listener(t: { after(fn: () => void): void }): AbortSignal {
  const stop = new AbortController();
  t.after(() => stop.abort());
  return stop.signal;
}

test("a stream that comes back gets exactly what it missed", async (t) => {
  const rig = await serverRig(t);
  const id = await sessionOf(rig);
  const first = new AbortController();
  const heard = rig.client.events(id, { signal: first.signal });
  const [snapshot] = await until(heard, isType("snapshot"));
  await rig.client.change(id, "branches", { body: { name: "x" } });
  const before = await until(heard, isType("branch_updated"));
  first.abort();
  const last = before.at(-1)?.seq ?? 0;
  assert.ok(last > (snapshot?.seq ?? 0));
  await rig.client.update(id, { name: "a" });
  await rig.client.update(id, { name: "b" });
  const again = rig.client.events(id, { signal: listener(t), lastEventId: last });
  const missed = await until(again, () => true);
  assert.equal(missed[0]?.seq, last + 1);
  const rest = await until(again, ({ seq }) => seq === rig.server.core.hub.seq);
  const numbers = [...missed, ...rest].map(({ seq }) => seq);
  assert.deepEqual(
    numbers,
    Array.from({ length: numbers.length }, (_, at) => last + 1 + at),
  );
});

test("what is gone from the buffer, or of another start, comes as a snapshot", async (t) => {
  const rig = await serverRig(t, { limits: { replayEvents: 3 } });
  const id = await sessionOf(rig);
  const { seq } = rig.server.core.hub;
  for (const name of ["a", "b", "c", "d"]) await rig.client.update(id, { name });
  for (const lastEventId of [seq, 1, seq + 10_000]) {
    const heard = rig.client.events(id, { signal: listener(t), lastEventId });
    const [event] = await until(heard, () => true);
    assert.equal(event?.type, "snapshot", String(lastEventId));
  }
});

test("a client comes back by itself after the server was started again, and nothing is lost", async (t) => {
  const rig = await serverRig(t);
  const id = await sessionOf(rig);
  const states: string[] = [];
  const heard = rig.client.events(id, {
    signal: listener(t),
    onState: (state) => states.push(state),
    wait: () => new Promise((resolve) => setImmediate(resolve)),
  });
  await until(heard, isType("snapshot"));
  const { token, port } = rig.server;
  const again = await rig.restart();
  assert.equal(again.server.port, port);
  assert.notEqual(again.server.token, token, "a new start has a new token");
  // The old token is refused, which a page shows as "open the new address".
  assert.equal((await refusal(heard.next())).status, 401);
  assert.equal(states.at(-1), "lost");
  assert.equal((await again.client.state(id)).row.id, id);
});

test("another process that writes is heard: entries, moves, divergence", async (t) => {
  const rig = await serverRig(t);
  const id = await sessionOf(rig);
  const heard = rig.client.events(id, { signal: listener(t) });
  await until(heard, isType("snapshot"));
  await using other = await Session.attach(await rig.foreign.open(id));
  const [one] = await other.append({ type: "message", message: { role: "user", content: "一" } });
  const seen = await until(heard, isType("entry_appended"));
  assert.deepEqual(Object(seen.at(-1)?.data), {
    entries: [one?.id],
    foreign: true,
    revision: "0-1-0",
    leaf: one?.id,
  });
  await other.append({ type: "message", message: { role: "user", content: "二" } });
  await other.moveLeaf(one?.id ?? null);
  const moved = (await until(heard, isType("branch_switch"))).at(-1);
  assert.equal(Object(moved?.data).by, "foreign");
  assert.equal((await rig.client.state(id)).position, one?.id, "the page goes along");
});

test("two writers at one leaf: siblings, `diverged`, no line lost", async (t) => {
  const rig = await serverRig(t);
  const id = await sessionOf(rig);
  const heard = rig.client.events(id, { signal: listener(t) });
  await until(heard, isType("snapshot"));
  await using other = await Session.attach(await rig.foreign.open(id));
  const message = { role: "user", content: "x" } as const;
  const [root] = await other.append({ type: "message", message });
  await other.append({ type: "message", message });
  const draft = { type: "message", message, parentId: root?.id ?? null } as const;
  await other.store.commit({ entries: [draft] });
  const seen = await until(heard, isType("diverged"));
  assert.equal(Object(seen.at(-1)?.data).branch, "main");
  assert.equal((await rig.client.tree(id)).size, 3);
});

test("a run: prompt, stream, tool, entries; the tree grows; everything is on disk at message_end", async (t) => {
  const rig = await serverRig(t);
  const id = await sessionOf(rig);
  const { runId } = await rig.client.run(id, { text: "list the files" });
  assert.ok(runId);
  const events: WireEvent[] = [];
  for await (const event of rig.client.runEvents(runId)) {
    events.push(event);
    if (event.type !== "message_end") continue;
    await using other = await rig.foreign.open(id);
    assert.ok(await other.get(Object(event.data).entryId), "durable before it is told (P1)");
  }
  const types = new Set(events.map(({ type }) => type));
  for (const type of ["agent_start", "message_update", "tool_execution_end", "usage", "run_done"]) {
    assert.ok(types.has(type as WireEvent["type"]), type);
  }
  assert.equal(events.at(-1)?.type, "run_done");
  const later: WireEvent[] = [];
  for await (const event of rig.client.runEvents(runId)) later.push(event);
  const kept = (list: readonly WireEvent[]): number[] =>
    list
      .filter(({ type }) => !type.endsWith("_update") || type === "queue_update")
      .map(({ seq }) => seq);
  assert.deepEqual(kept(later), kept(events), "a late listener hears the run from its beginning");
  assert.equal((await refusal(rig.client.runEvents("nope").next())).status, 404);
  const rows = (await rig.client.path(id)).rows.map(({ kind }) => kind).join("");
  assert.match(rows, /^s.*uat+a$/);
});

test("one run at a time: 409 for another and for moves, abort: true ends it, steering waits in the queue", async (t) => {
  const gate = Promise.withResolvers<void>();
  const model = createScriptedModel([
    { text: "one", gate: gate.promise },
    { text: "two" },
    { text: "three" },
  ]);
  const rig = await serverRig(t, { model });
  const id = await sessionOf(rig);
  const { runId } = await rig.client.run(id, { text: "go" });
  assert.equal((await rig.client.state(id)).run?.id, runId);
  assert.equal((await refusal(rig.client.run(id, { text: "again" }))).status, 409);
  const blocked = await refusal(rig.client.branch({ sessionId: id, leafId: null }));
  assert.equal(blocked.code, "HTTP_RUN_ACTIVE");
  assert.equal((await refusal(rig.client.change(id, "undo"))).status, 409);
  assert.equal((await refusal(rig.client.trash(id))).status, 409);
  const { queued } = await rig.client.run(id, { text: "schneller", mode: "steer" });
  assert.deepEqual(
    (await rig.client.state(id)).queue.map(({ content }) => content),
    ["schneller"],
  );
  const place = `/api/sessions/${id}/queue/${queued?.id}`;
  const edited = await rig.client.http.json<{ queue: { content: string }[] }>("PATCH", place, {
    body: { content: "langsamer" },
  });
  assert.equal(edited.queue[0]?.content, "langsamer");
  const moved = await rig.client.branch({ sessionId: id, leafId: null, abort: true });
  assert.equal(moved.position, null);
  gate.resolve();
  assert.equal((await rig.client.state(id)).run, null);
  assert.deepEqual((await rig.client.state(id)).queue, [], "steering came back with the abort");
});

test("DELETE /api/runs/:r: settled when it answers, with what the run had not taken", async (t) => {
  const model = createScriptedModel([{ text: "one", gate: new Promise<void>(() => undefined) }]);
  const rig = await serverRig(t, { model });
  const id = await sessionOf(rig);
  const { runId } = await rig.client.run(id, { text: "go" });
  await rig.client.run(id, { text: "and then", mode: "followUp" });
  const { returned } = await rig.client.abort(runId ?? "");
  assert.deepEqual(
    returned.map(({ content }) => content),
    ["and then"],
  );
  assert.equal((await rig.client.state(id)).run, null);
  assert.equal((await refusal(rig.client.abort(runId ?? ""))).status, 404);
});

test("a call that a person wants to be asked about waits for the answer", async (t) => {
  const call = { name: "write_note", arguments: { path: "a.md", text: "x" } };
  const model = createScriptedModel([
    { calls: [call] },
    { text: "done" },
    { calls: [call] },
    { text: "no" },
  ]);
  const rig = await serverRig(t, { model });
  const id = await sessionOf(rig);
  await rig.client.change(id, "settings", { body: { ask: ["write_note"] } });
  const heard = rig.client.events(id, { signal: listener(t) });
  await until(heard, isType("snapshot"));
  for (const [decision, isError] of [
    ["allow", false],
    ["block", true],
  ] as const) {
    const { runId } = await rig.client.run(id, { text: "write" });
    const isAsked = ({ type, data }: WireEvent): boolean =>
      type === "tool_permission" && Object(data).decision === "confirm";
    await until(heard, isAsked);
    const [waiting] = (await rig.client.state(id)).permissions;
    assert.equal(waiting?.name, "write_note");
    assert.equal((await refusal(rig.client.decide(runId ?? "", "nope", { decision }))).status, 404);
    await rig.client.decide(runId ?? "", waiting?.callId ?? "", { decision });
    const ended = (await until(heard, isType("tool_execution_end"))).at(-1);
    assert.equal(Object(ended?.data).isError, isError, decision);
    await until(heard, isType("settled"));
  }
});

test("edit and ask again: `at` moves first, the old branch stays", async (t) => {
  const rig = await serverRig(t);
  const id = await sessionOf(rig);
  const ask = async (text: string, at?: string): Promise<void> => {
    const { runId } = await rig.client.run(id, { text, ...(at === undefined ? {} : { at }) });
    for await (const _ of rig.client.runEvents(runId ?? ""));
  };
  await ask("hello");
  const rows = (await rig.client.path(id)).rows;
  const asked = rows.find(({ kind }) => kind === "u");
  await ask("hello there", asked?.parentId ?? "");
  const edited = (await rig.client.path(id)).rows.find(({ kind }) => kind === "u");
  assert.equal(edited?.text, "hello there");
  assert.deepEqual(
    edited?.siblings.map(({ text }) => text),
    ["hello", "hello there"],
  );
});

test("compaction: dry run, compact, originals, uncompact", async (t) => {
  const rig = await serverRig(t);
  const id = await sessionOf(rig);
  await using other = await Session.attach(await rig.foreign.open(id));
  for (let at = 0; at < 30; at++) {
    const content = `message ${at}: ${"src/server/app.ts was read and changed. ".repeat(30)}`;
    await other.append([
      { type: "message", message: { role: "user", content } },
      {
        type: "message",
        message: {
          role: "assistant",
          content: [{ type: "text", text: content }],
          provider: "offline",
          model: "offline-1",
        },
      },
    ]);
  }
  await rig.client.state(id);
  const dry = await rig.client.change<{ dryRun: boolean; summarised: number }>(id, "compact", {
    body: { dryRun: true, keep: 1000 },
  });
  assert.ok(dry.summarised > 10);
  const done = await rig.client.change<{
    compaction: string;
    tokensAfter: number;
    tokensBefore: number;
  }>(id, "compact", { body: { keep: 1000 } });
  assert.ok(done.tokensAfter < done.tokensBefore);
  const originals = await rig.client.http.json<{ rows: unknown[]; total: number }>(
    "GET",
    `/api/sessions/${id}/compactions/${done.compaction}/originals`,
  );
  assert.ok(originals.total > 10 && originals.rows.length > 0);
  const rows = (await rig.client.path(id, { before: 150 })).rows;
  assert.equal(rows.filter(({ sent }) => sent === "compacted").length, originals.total);
  await rig.client.change(id, "uncompact");
  assert.ok(
    (await rig.client.path(id, { before: 150 })).rows.every(({ sent }) => sent !== "compacted"),
  );
});

test("clean shutdown: a run is settled, streams end, what was said is on disk", async (t) => {
  const model = createScriptedModel([{ text: "never", gate: new Promise<void>(() => undefined) }]);
  const rig = await serverRig(t, { model });
  const id = await sessionOf(rig);
  await rig.client.run(id, { text: "go" });
  const heard = rig.client.events(id, { signal: listener(t), wait: async () => undefined });
  await until(heard, isType("snapshot"));
  const again = await rig.restart();
  const state = await again.client.state(id);
  assert.equal(state.run, null);
  const kinds = (await again.client.path(id)).rows.map(({ kind }) => kind).join("");
  assert.match(kinds, /u/);
  assert.equal((await again.client.health(id)).ok, true);
});

test("S18: streams and sockets have limits, and give 503", async (t) => {
  const rig = await serverRig(t, { limits: { streams: 3, streamsPerClient: 2, sockets: 12 } });
  const open = async (client: string): Promise<number> => {
    const { status } = await fetch(`${rig.server.origin}/api/events?client=${client}`, {
      headers: { Authorization: `Bearer ${rig.server.token}` },
      signal: listener(t),
    });
    return status;
  };
  assert.deepEqual([await open("a"), await open("a"), await open("a")], [200, 200, 503]);
  assert.deepEqual([await open("b"), await open("b")], [200, 503]);
  const sockets = Array.from({ length: 12 }, () =>
    connect({ port: rig.server.port, host: "127.0.0.1" }),
  );
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))),
  );
  const headers = { Authorization: `Bearer ${rig.server.token}` };
  const { status } = await plainRequest(rig.server.port, { path: "/api/sessions", headers });
  assert.equal(status, 503);
});

test("S18: a client that does not read is dropped, and the server does not grow", async (t) => {
  const rig = await serverRig(t, { limits: { streamBytes: 64 * 1024 } });
  const socket = connect({ port: rig.server.port, host: "127.0.0.1" });
  t.after(() => socket.destroy());
  const head = `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${rig.server.port}\r\nAuthorization: Bearer ${rig.server.token}\r\n\r\n`;
  socket.write(head);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const { hub } = rig.server.core;
  const what = "x".repeat(50_000);
  for (let at = 0; at < 2000 && hub.size > 0; at++) {
    hub.publish("index_progress", { sessionId: null }, { done: at, total: 0, what });
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(hub.size, 0, "dropped");
  socket.resume();
  socket.on("error", () => undefined);
  await closed;
});

test("deltas: at most 30 a second to a stream, the newest counts, the order stays", async (t) => {
  const rig = await serverRig(t);
  const id = await sessionOf(rig);
  const heard = rig.client.events(id, { signal: listener(t) });
  await until(heard, isType("snapshot"));
  const { hub } = rig.server.core;
  const at = { sessionId: id, runId: "r" };
  for (let step = 0; step < 500; step++) hub.publish("message_update", at, { message: step });
  hub.publish("message_end", at, { message: 500, entryId: "e" });
  const seen = await until(heard, isType("message_end"));
  assert.ok(seen.length <= 4, `${seen.length}`);
  assert.equal(Object(seen.at(-2)?.data).message, 499);
});

test("the teaching agent's endpoints", async (t) => {
  const rig = await serverRig(t, { model: createOfflineModel() });
  const { http } = rig.client;
  type Answer = {
    sessionId: string;
    leafId: string;
    messages: { role: string }[];
    tools: unknown[];
    entries: unknown[];
    events: { type: string }[];
  };
  const fresh = await http.json<Answer>("POST", "/api/reset");
  assert.deepEqual(fresh.messages, []);
  const said = await http.json<Answer>("POST", "/api/prompt", { body: { text: "list the files" } });
  assert.equal(said.sessionId, fresh.sessionId);
  assert.equal(said.messages.at(-1)?.role, "assistant");
  assert.ok(said.events.some(({ type }) => type === "tool_execution_end"));
  assert.ok(said.tools.length >= 4 && said.entries.length > 3);
  assert.equal(
    (await refusal(http.json("POST", "/api/prompt", { body: { text: " " } }))).status,
    400,
  );
  const { runId } = await http.json<{ runId: string }>("POST", "/api/runs", {
    body: { text: "hello" },
  });
  const events: WireEvent[] = [];
  for await (const event of rig.client.runEvents(runId)) events.push(event);
  assert.equal(events.at(-1)?.type, "run_done");
  const ended = events.find(({ type }) => type === "message_end");
  assert.ok("message" in Object(ended), "flat, as its clients read it");
  const branch = (leafId: unknown): Promise<unknown> =>
    http.json("POST", "/api/branch", { body: { leafId } });
  assert.equal((await refusal(branch("nope"))).status, 400);
  await branch(said.leafId);
  assert.equal((await http.json<Answer>("GET", "/api/session")).leafId, said.leafId);
});

test("64 clients at 100 events a second: nothing lost, p99 reported, memory flat", async (t) => {
  const limits = { sockets: 80, streams: 64, streamsPerClient: 1 };
  const rig = await serverRig(t, { limits });
  const report = await sseLoad(rig.server, { clients: 64, rate: 100, seconds: 3 });
  t.diagnostic(JSON.stringify(report));
  assert.equal(report.received, report.sent * 64);
  assert.ok(report.heapAfter - report.heapBefore < 60 * 1024 * 1024);
});
