import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { ClientError } from "../client/client-error.ts";
import type { ModelInfo, ModelProvider } from "../model/model.ts";
import { createOfflineModel } from "../model/offline-model.ts";
import { Session } from "../session/session.ts";
import { createJsonlStore } from "../store/jsonl/jsonl-store.ts";
import { SessionHost } from "./session-host.ts";
import { plainRequest, type ServerRig, serverRig, until } from "./testing/server-rig.ts";

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof ClientError) return `${error.status} ${error.code}`;
    throw error;
  }
}

/** A model that answers when it is told to. */
function slowModel(): { model: ReturnType<typeof createOfflineModel>; release: () => void } {
  const gate = Promise.withResolvers<void>();
  return { model: createOfflineModel({ pace: () => gate.promise }), release: gate.resolve };
}

/** The offline model under two names. */
function twoModels(): ModelProvider {
  const model = createOfflineModel();
  const list = async (): Promise<readonly ModelInfo[]> => {
    const [info] = await model.list();
    return info === undefined
      ? []
      : [
          { ...info, isOffline: false },
          { ...info, modelId: "other", isOffline: false },
        ];
  };
  const find: ModelProvider["find"] = async ({ modelId }) =>
    (await list()).find((one) => one.modelId === modelId) ?? null;
  return { list, find, stream: (info, context, options) => model.stream(info, context, options) };
}

async function asked(rig: ServerRig, text: string): Promise<string> {
  const { row } = await rig.client.createSession();
  const { runId } = await rig.client.run(row.id, { text });
  await until(rig.client.runEvents(runId ?? ""), ({ type }) => type === "run_done");
  await settled(rig, row.id);
  return row.id;
}

async function settled(rig: ServerRig, id: string): Promise<void> {
  const host = await rig.server.core.hosts.use(id);
  await (await rig.server.core.runs.of(host)).harness.settled();
}

test("two first questions at once make one run, not two", async (t) => {
  const { model, release } = slowModel();
  const rig = await serverRig(t, { model });
  const { row } = await rig.client.createSession();
  const answers = await Promise.all([
    codeOf(rig.client.run(row.id, { text: "one" })),
    codeOf(rig.client.run(row.id, { text: "two" })),
  ]);
  release();
  assert.deepEqual(answers.toSorted(), ["409 HARNESS_BUSY", "done"]);
});

test("everybody gets the same harness of a session", async (t) => {
  const rig = await serverRig(t);
  const { row } = await rig.client.createSession();
  const host = await rig.server.core.hosts.use(row.id);
  const [one, other] = await Promise.all([
    rig.server.core.runs.of(host),
    rig.server.core.runs.of(host),
  ]);
  assert.equal(one, other);
});

test("a move that waited behind the beginning of a run is refused", async (t) => {
  const { model, release } = slowModel();
  const rig = await serverRig(t, { model });
  const { row } = await rig.client.createSession();
  await rig.client.change(row.id, "labels", { body: { entry: "~0", text: "x" } }).catch(() => null);
  const [run, move] = await Promise.all([
    codeOf(rig.client.run(row.id, { text: "one" })),
    codeOf(rig.client.branch({ sessionId: row.id, leafId: null })),
  ]);
  release();
  assert.equal(run, "done");
  assert.match(move, /^(done|409 HTTP_RUN_ACTIVE)$/);
  const host = await rig.server.core.hosts.use(row.id);
  // Whatever came first: the run's messages are one path.
  await settled(rig, row.id);
  assert.deepEqual((await host.session.context()).messages.map(({ role }) => role).slice(-2), [
    "user",
    "assistant",
  ]);
});

test("two first changes of a sample at once both hold", async (t) => {
  const samples = mkdtempSync(path.join(tmpdir(), "branchline-samples-"));
  t.after(() => rmSync(samples, { recursive: true, force: true }));
  const store = createJsonlStore({ root: samples });
  const session = await Session.attach(await store.create({ cwd: "/x" }));
  const [entry] = await session.append({
    type: "message",
    message: { role: "user", content: "hi" },
  });
  const { id } = session;
  await session.close();
  await store.close();
  const rig = await serverRig(t, { samples });
  const answers = await Promise.all(
    ["a", "b", "c", "d"].map((text) =>
      codeOf(rig.client.change(id, "labels", { body: { entry: entry?.id, text } })),
    ),
  );
  assert.deepEqual(answers, ["done", "done", "done", "done"]);
});

test("a question from elsewhere with another model is answered by that model", async (t) => {
  const rig = await serverRig(t, { model: twoModels() });
  const id = await asked(rig, "hello");
  const host = await rig.server.core.hosts.use(id);
  const question = [...host.session.tree.ancestors(host.session.leaf)].find(
    ({ role }) => role === "user",
  );
  const at = question?.parent?.id ?? null;
  const provider = (await rig.client.state(id)).models[0]?.provider;
  const { runId } = await rig.client.run(id, { text: "again", at, model: `${provider}/other` });
  await until(rig.client.runEvents(runId ?? ""), ({ type }) => type === "run_done");
  await settled(rig, id);
  const path = [...host.session.tree.ancestors(host.session.leaf)];
  assert.equal(path[0]?.fold.model?.modelId, "other");
});

test("a question that is refused for ifLeaf leaves no setting behind", async (t) => {
  const rig = await serverRig(t);
  const id = await asked(rig, "hello");
  const { leaf, row, models } = await rig.client.state(id);
  const model = `${models[0]?.provider}/${models[0]?.modelId}`;
  const wish = { text: "again", model, ifLeaf: null };
  assert.equal(await codeOf(rig.client.run(id, wish)), "409 STORE_CONFLICT");
  const after = await rig.client.state(id);
  assert.equal(after.leaf, leaf);
  assert.equal(after.row.entries, row.entries);
});

test("the tools that a person wants to be asked about outlive the open session", async (t) => {
  const rig = await serverRig(t, { limits: { idleMs: 60_000 } });
  const { row } = await rig.client.createSession();
  await rig.client.change(row.id, "settings", { body: { ask: ["list_files"] } });
  const decision = async (): Promise<string> => {
    const { hosts, runs } = rig.server.core;
    const run = await runs.of(await hosts.use(row.id));
    return run.permission({ callId: "c", name: "list_files", arguments: {} }).decision;
  };
  assert.equal(await decision(), "confirm");
  await rig.server.core.hosts.drop(row.id);
  assert.equal(await decision(), "confirm");
});

test("HEAD of an event stream takes no place of a stream", async (t) => {
  const rig = await serverRig(t);
  const { row } = await rig.client.createSession();
  const { port, token } = rig.server;
  const headers = { Authorization: `Bearer ${token}` };
  for (let at = 0; at < 3; at++) {
    const { status } = await plainRequest(port, {
      method: "HEAD",
      path: `/api/sessions/${row.id}/events`,
      headers,
    });
    assert.ok(status === 200 || status === 405, String(status));
  }
  assert.equal(rig.server.core.hub.size, 0);
});

test("a client that missed more than a stream may hold gets a snapshot, not a broken stream for ever", async (t) => {
  const rig = await serverRig(t, { limits: { streamBytes: 20_000 } });
  const { row } = await rig.client.createSession();
  const { hub } = rig.server.core;
  const { seq } = hub;
  for (let at = 0; at < 100; at++)
    hub.publish("run_error", { sessionId: row.id }, { message: "x".repeat(1000) });
  const stop = new AbortController();
  t.after(() => stop.abort());
  let breaks = 0;
  const onState = (state: string): void => {
    if (state === "lost" && ++breaks > 2) stop.abort();
  };
  const wait = async (): Promise<void> => undefined;
  const heard = rig.client.events(row.id, { lastEventId: seq, signal: stop.signal, onState, wait });
  const { value } = await heard.next();
  assert.equal(value?.type, "snapshot");
});

test("the stream of a run that is over ends, also where its events are gone or were all heard", async (t) => {
  const rig = await serverRig(t, { limits: { replayEvents: 4 } });
  const { row } = await rig.client.createSession();
  const { runId } = await rig.client.run(row.id, { text: "hello" });
  await until(rig.client.runEvents(runId ?? ""), ({ type }) => type === "run_done");
  await settled(rig, row.id);
  const signal = AbortSignal.timeout(3000);
  const types: string[] = [];
  for await (const { type } of rig.client.runEvents(runId ?? "", { signal })) types.push(type);
  assert.equal(signal.aborted, false);
  const lastEventId = rig.server.core.hub.seq;
  for await (const { type } of rig.client.runEvents(runId ?? "", { signal, lastEventId }))
    types.push(type);
  assert.equal(signal.aborted, false);
  assert.deepEqual(types, ["snapshot"]);
});

test("a refusal that passes is not given again for the same Idempotency-Key", async (t) => {
  const { model, release } = slowModel();
  const rig = await serverRig(t, { model });
  const { row } = await rig.client.createSession();
  await rig.client.run(row.id, { text: "one" });
  const wish = { body: { name: "later" }, key: "same" };
  const move = { sessionId: row.id, leafId: null };
  assert.equal(await codeOf(rig.client.branch(move, "k1")), "409 HTTP_RUN_ACTIVE");
  release();
  await settled(rig, row.id);
  assert.equal(await codeOf(rig.client.branch(move, "k1")), "done");
  assert.equal(await codeOf(rig.client.change(row.id, "branches", wish)), "done");
});

test("the tree says the leaf that another program moved to, also where it was asked for in between", async (t) => {
  const rig = await serverRig(t);
  const id = await asked(rig, "hello");
  const host = await rig.server.core.hosts.use(id);
  const other = await Session.attach(await rig.foreign.open(id));
  const first = other.tree.at(0)?.id ?? "";
  const stop = new AbortController();
  t.after(() => stop.abort());
  const heard = rig.client.events(id, { signal: stop.signal });
  await heard.next();
  for (let round = 0; round < 5; round++) {
    await other.moveLeaf(round % 2 === 0 ? first : (host.session.tree.at(2)?.id ?? null));
    await rig.client.tree(id);
    await rig.client.tree(id);
    await until(heard, ({ type }) => type === "branch_switch");
    const [tree, state] = [await rig.client.tree(id), await rig.client.state(id)];
    assert.equal(tree.leaf, host.session.tree.get(state.leaf ?? "")?.ordinal, `round ${round}`);
  }
  await other.close();
});

test("a session is not closed under an export that is read slowly", async (t) => {
  const rig = await serverRig(t, { limits: { idleMs: 0 } });
  const store = await rig.foreign.create({ cwd: "/x" });
  const content = "x".repeat(100_000);
  for (let at = 0; at < 100; at++) {
    await store.commit({ entries: [{ type: "message", message: { role: "user", content } }] });
  }
  const { id } = store;
  await store.close();
  const answer = await rig.client.http.request("GET", `/api/sessions/${id}/export`, {
    query: { to: "jsonl" },
  });
  await rig.server.core.hosts.closeIdle();
  const text = await answer.text();
  assert.equal(text.trimEnd().split("\n").length, 101);
  await rig.server.core.hosts.closeIdle();
  assert.equal(rig.server.core.hosts.size, 0);
});

test("whoever walks through the library does not keep all sessions open", async (t) => {
  const rig = await serverRig(t, { limits: { openSessions: 3, idleMs: 60_000 } });
  for (let at = 0; at < 6; at++) await rig.client.createSession();
  const { hosts } = rig.server.core;
  assert.equal(hosts.size, 6);
  for (const row of (await rig.client.sessions()).sessions) {
    const host = await hosts.peek(row.id);
    if (host !== null) host.lastUse -= 10_000;
  }
  await hosts.closeIdle();
  assert.equal(hosts.size, 0);
});

test("a path is told anew after hide, compaction, uncompact, undo and redo", async (t) => {
  const rig = await serverRig(t);
  const id = await asked(rig, "word ".repeat(6000));
  const { runId } = await rig.client.run(id, { text: "hello" });
  await until(rig.client.runEvents(runId ?? ""), ({ type }) => type === "run_done");
  await settled(rig, id);
  const sent = async (): Promise<string> =>
    (await rig.client.path(id)).rows.map(({ kind, sent }) => `${kind}:${sent}`).join(" ");
  const plain = await sent();
  const { rows } = await rig.client.path(id);
  const user = rows.find(({ kind }) => kind === "u")?.id ?? "";
  await rig.client.change(id, "context-edits", { body: { entry: user, action: "hide" } });
  assert.match(await sent(), /u:hidden/);
  await rig.client.change(id, "undo");
  assert.equal((await sent()).replaceAll(" x:no", ""), plain);
  await rig.client.change(id, "compact", { body: { keep: 0 } });
  assert.match(await sent(), /u:compacted/);
  await rig.client.change(id, "uncompact");
  assert.match(await sent(), /u:yes/);
  await rig.client.change(id, "undo");
  assert.match(await sent(), /u:compacted/);
  await rig.client.change(id, "redo");
  assert.match(await sent(), /u:yes/);
});

test("a change that cannot be told is done all the same, and later ones are told", async (t) => {
  const rig = await serverRig(t);
  const id = await asked(rig, "hello");
  const { hosts, hub, library, log } = rig.server.core;
  await hosts.drop(id);
  const located = await library.locate(id);
  const store = await located.root.store.openFile(located.path);
  let isFailing = true;
  const failing = new Proxy(store, {
    get(target, name) {
      if (name === "get" && isFailing) return () => Promise.reject(new TypeError("read"));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const parts = { located, store: failing, hub, log, generation: 7, onLost: () => undefined };
  const host = await SessionHost.open(parts);
  t.after(() => host.close());
  const first = [...store.tree.entries()].find(({ role }) => role === "user")?.id ?? null;
  const moved = await host.change("me", (session) => session.moveLeaf(first));
  assert.equal(moved.position, first);
  isFailing = false;
  await host.change("me", (session) => session.moveLeaf(null));
  const types = hub.kept(id).map(({ type }) => type);
  assert.deepEqual(types.slice(-3), ["snapshot", "entry_appended", "branch_switch"]);
});

test("a stream that falls silent is lost and asked for again", async (t) => {
  const rig = await serverRig(t, { limits: { heartbeatMs: 600_000 } });
  const stop = new AbortController();
  const states: string[] = [];
  const heard = rig.client.events(null, {
    signal: stop.signal,
    silenceMs: 200,
    wait: async () => undefined,
    onState(state) {
      states.push(state);
      if (states.filter((one) => one === "open").length === 2) stop.abort();
    },
  });
  const types: string[] = [];
  for await (const { type } of heard) types.push(type);
  // On a busy machine the first answer may take longer than that, too.
  const from = states.indexOf("open");
  assert.equal(states[from + 1], "lost");
  assert.equal(states.at(-1), "open");
  assert.equal(types[0], "snapshot");
});

test("refusals that a client can cause are no faults of the server", async (t) => {
  const rig = await serverRig(t);
  const { row } = await rig.client.createSession();
  const code = async (what: string, body: unknown): Promise<string> =>
    await codeOf(rig.client.change(row.id, what, { body }));
  assert.equal(await code("runs", { mode: "steer", text: "x" }), "409 HARNESS_IDLE");
  assert.equal(await code("relocate", { cwd: "relative" }), "400 HTTP_BAD_REQUEST");
  assert.equal(await code("relocate", { cwd: "/a\0b" }), "400 HTTP_BAD_REQUEST");
  assert.equal(
    await code("runs", { content: [{ type: "text", text: 5 }] }),
    "400 HTTP_BAD_REQUEST",
  );
  const many = Array.from({ length: 65 }, (_, at) => `s${at}`);
  await assert.rejects(rig.client.events(many).next(), { code: "HTTP_BAD_REQUEST" });
  const long = await rig.client.createSession({ cwd: `/${"deep/".repeat(200)}` });
  assert.equal(long.row.cwd.length, 1001);
});
