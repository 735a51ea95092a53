import assert from "node:assert/strict";
import { test } from "node:test";
import { createOfflineModel } from "../model/offline-model.ts";
import { createScriptedModel } from "../model/scripted-model.ts";
import { EVENT_BYTES } from "./teaching-answer.ts";
import { type ServerRig, serverRig } from "./testing/server-rig.ts";

interface Message {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

interface Answer {
  readonly sessionId: string;
  readonly leafId: string | null;
  readonly messages: readonly Message[];
  readonly entries: readonly {
    readonly type: string;
    readonly id: string;
    readonly parentId?: string | null;
    readonly message?: Message;
  }[];
  readonly events: readonly { readonly type: string }[];
  readonly truncated?: true;
}

type RunEvent = Readonly<Record<string, unknown>> & { readonly type: string };

async function runAll(rig: ServerRig, text: string): Promise<readonly RunEvent[]> {
  const { runId } = await rig.client.http.json<{ runId: string }>("POST", "/api/runs", {
    body: { text },
  });
  return await eventsOf(rig, runId);
}

async function eventsOf(rig: ServerRig, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of rig.client.runEvents(runId)) events.push(event as unknown as RunEvent);
  return events;
}

function sessionOf(event: RunEvent | undefined): Answer {
  assert.ok(event !== undefined && typeof event.session === "object", "it brings the session");
  return event.session as Answer;
}

const read = (rig: ServerRig): Promise<Answer> => rig.client.http.json("GET", "/api/session");

/** What the teaching agent's page does with an answer; it throws where the page would. */
function drawn({ messages, entries, leafId }: Answer): readonly string[] {
  const lines = messages.map(({ role, content }) => `${role} ${content.map(({ text }) => text)}`);
  const known = new Map<string, string | null>();
  for (const { type, id, parentId = null, message } of entries) {
    if (type === "session") continue;
    known.set(id, parentId);
    if (type !== "compaction") lines.push(`${id} ${(message as Message).content.length}`);
  }
  for (const parent of known.values()) assert.ok(parent === null || known.has(parent), "a tree");
  assert.ok(leafId === null || known.has(leafId), "the leaf is on it");
  return lines;
}

test("run_done brings the whole of a small session, as /api/session gives it, and the page can draw it", async (t) => {
  const rig = await serverRig(t, { model: createOfflineModel() });
  await rig.client.http.json("POST", "/api/reset");
  const events = await runAll(rig, "list the files");
  const done = events.at(-1);
  assert.equal(done?.type, "run_done");
  const session = sessionOf(done);
  const now = await read(rig);
  assert.deepEqual(session.messages, now.messages);
  assert.deepEqual(session.entries, now.entries);
  assert.equal(session.leafId, now.leafId);
  assert.equal(session.truncated, undefined);
  assert.ok(drawn(session).some((line) => line.startsWith("toolResult")));
  assert.equal(session.entries[0]?.type, "session");
  const agentEnd = events.find(({ type }) => type === "agent_end");
  assert.deepEqual(agentEnd?.messages, []);
  // Whoever comes to the run later gets it, too, also when its end is not kept any more.
  const runId = String(done?.runId);
  for (let runs = 0; runs < 5; runs++) await runAll(rig, `again ${runs}`);
  assert.equal(rig.server.core.teaching.endOf(runId), undefined);
  const late = (await eventsOf(rig, runId)).at(-1);
  assert.equal(sessionOf(late).messages.length, (await read(rig)).messages.length);
});

test("a move answers the teaching agent's clients with the session; a label there is no step of their tree", async (t) => {
  const rig = await serverRig(t, { model: createOfflineModel() });
  await rig.client.http.json("POST", "/api/reset");
  await runAll(rig, "hello");
  const first = await read(rig);
  await runAll(rig, "list the files");
  await rig.client.change(first.sessionId, "labels", {
    body: { entry: first.leafId, text: "here" },
  });
  const moved = await rig.client.http.json<Answer>("POST", "/api/branch", {
    body: { leafId: first.leafId },
  });
  assert.equal(moved.leafId, first.leafId);
  assert.equal(moved.messages.length, first.messages.length);
  assert.ok(moved.entries.length > first.entries.length);
  drawn(moved);
});

test("of a large session run_done brings the newest part, says so, and fits into a stream; so does run_error", async (t) => {
  const model = createScriptedModel([{ text: "fine" }, { error: "no more" }]);
  const rig = await serverRig(t, { model });
  const { sessionId } = await rig.client.http.json<Answer>("POST", "/api/reset");
  const session = await rig.foreign.open(sessionId);
  for (let turn = 0; turn < 40; turn++) {
    const text = `${turn} ${"long ".repeat(8000)}`;
    await session.commit({
      entries: [
        { type: "message", message: { role: "user", content: text } },
        { type: "label", targetId: "x", label: "between" },
      ],
    });
  }
  await session.commit({
    entries: [{ type: "message", message: { role: "user", content: "huge ".repeat(400_000) } }],
  });
  await session.close();
  const done = (await runAll(rig, "and now?")).at(-1);
  const part = sessionOf(done);
  assert.equal(part.truncated, true);
  assert.equal(part.messages.at(-1)?.role, "assistant");
  assert.ok(part.messages.length > 1 && part.messages.length < 40);
  assert.ok(JSON.stringify(done).length < 4 * EVENT_BYTES);
  assert.ok(JSON.stringify(done).length < rig.server.core.limits.streamBytes);
  const failed = (await runAll(rig, "once more")).at(-1);
  assert.equal(failed?.type, "run_error");
  assert.equal(typeof failed?.error, "string");
  assert.equal(sessionOf(failed).truncated, true);
});
