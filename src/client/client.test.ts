import assert from "node:assert/strict";
import { test } from "node:test";
import type { WireEvent } from "../protocol/event.ts";
import { createClient } from "./client.ts";
import { ClientError } from "./client-error.ts";

interface Asked {
  readonly url: string;
  readonly init: RequestInit;
}

/** A client whose server answers from a list. */
function clientOf(answers: readonly (() => Response)[]): {
  client: ReturnType<typeof createClient>;
  asked: Asked[];
} {
  const asked: Asked[] = [];
  const rest = [...answers];
  const fetch: typeof globalThis.fetch = async (url, init = {}) => {
    asked.push({ url: String(url), init });
    const next = rest.shift();
    if (next === undefined) throw new TypeError("no more answers");
    return next();
  };
  return { client: createClient({ baseUrl: "http://h/", token: "t", client: "me", fetch }), asked };
}

const json =
  (body: unknown, status = 200) =>
  (): Response =>
    Response.json(body, { status });

const stream =
  (...events: readonly number[]) =>
  (): Response =>
    new Response(
      events.map((seq) => `id: ${seq}\nevent: usage\ndata: {"seq":${seq}}\n\n`).join(""),
    );

test("a change says who, carries its key, and names are encoded", async () => {
  const { client, asked } = clientOf([json({ op: "x" })]);
  await client.change("a b", "labels", { body: { entry: "e", text: null }, key: "k" });
  const [{ url, init }] = asked as [Asked];
  assert.equal(url, "http://h/api/sessions/a%20b/labels");
  assert.equal(init.method, "POST");
  assert.equal(init.body, '{"entry":"e","text":null}');
  assert.deepEqual(init.headers, {
    Authorization: "Bearer t",
    "X-Branchline-Client": "me",
    "Content-Type": "application/json",
    "Idempotency-Key": "k",
  });
});

test("a question has no body and leaves out what is undefined", async () => {
  const { client, asked } = clientOf([json({ sessions: [] })]);
  await client.sessions({ q: "方案 a&b", agent: undefined, cursor: null });
  assert.equal(asked[0]?.url, `http://h/api/sessions?q=${encodeURIComponent("方案")}+a%26b`);
  assert.equal(asked[0]?.init.body, undefined);
});

test("refusals are thrown with code, status and fields; nonsense too", async () => {
  const error = { code: "STORE_CONFLICT", message: "m", hint: null, fields: { head: "h" } };
  const { client } = clientOf([
    json({ error }, 409),
    () => new Response("<html>", { status: 502 }),
  ]);
  const refused = client.branch({ sessionId: "s", leafId: null });
  await assert.rejects(refused, { code: "STORE_CONFLICT", status: 409, fields: { head: "h" } });
  await assert.rejects(client.state("s"), { code: "HTTP_UNREADABLE", status: 502 });
});

test("events come once and in order over breaks, with the last number sent along", async () => {
  const { client, asked } = clientOf([
    stream(1, 2),
    () => new Response("busy", { status: 503 }),
    stream(3),
  ]);
  const states: string[] = [];
  const waits: number[] = [];
  const stop = new AbortController();
  const seen: number[] = [];
  const events = client.events(["a", "b"], {
    signal: stop.signal,
    onState: (state) => states.push(state),
    wait: async (attempt) => void waits.push(attempt),
  });
  for await (const { seq } of events) {
    seen.push(seq);
    if (seq === 3) stop.abort();
  }
  assert.deepEqual(seen, [1, 2, 3]);
  assert.deepEqual(states, ["open", "lost", "lost", "open"]);
  assert.equal(waits.length, 2);
  assert.equal(asked[0]?.url, "http://h/api/events?session=a%2Cb&client=me");
  assert.equal(asked[2]?.url, "http://h/api/events?session=a%2Cb&client=me&lastEventId=2");
});

test("a lost network is tried again, a refusal is not", async () => {
  const refusedAt401 = json(
    { error: { code: "HTTP_UNAUTHORIZED", message: "", hint: null, fields: {} } },
    401,
  );
  const lost = (): Response => {
    throw new TypeError("network");
  };
  const { client, asked } = clientOf([lost, refusedAt401]);
  const events = client.events(null, { wait: async () => undefined });
  await assert.rejects(
    events.next(),
    (error) => error instanceof ClientError && error.status === 401,
  );
  assert.equal(asked.length, 2);
});

test("the stream of a run ends where the server ends it", async () => {
  const { client } = clientOf([stream(5, 6)]);
  const seen: WireEvent[] = [];
  for await (const event of client.runEvents("r")) seen.push(event);
  assert.equal(seen.length, 2);
});
