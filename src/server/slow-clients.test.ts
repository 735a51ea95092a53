import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { type ServerRig, serverRig } from "./testing/server-rig.ts";

/** Short times, so that the test waits for the server's clock and for nothing else. */
const LIMITS = { headersMs: 200, requestMs: 400, slowCheckMs: 25 };

/** Sends a byte every 10 ms for as long as the other side takes them; gives what it answered. */
function drip({ server }: ServerRig, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    let sent = 0;
    let answer = "";
    const timer = setInterval(() => {
      // It never comes to an end by itself: there is always one more header, or one more byte.
      socket.write(text[sent] ?? "x");
      sent++;
    }, 10);
    socket.on("data", (part) => {
      answer += part.toString("latin1");
    });
    // A broken pipe is as good an end as a closed one.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

for (const [name, text] of [
  ["its request line", "GET /"],
  ["its headers", "GET /api/health HTTP/1.1\r\nHost: {own}\r\nX-Slow: "],
] as const) {
  test(`S18: a client that sends ${name} a byte at a time is dropped in time, others are served meanwhile`, {
    timeout: 8000,
  }, async (t) => {
    const rig = await serverRig(t, { limits: LIMITS });
    const slow = Array.from({ length: 20 }, () =>
      drip(rig, text.replace("{own}", `127.0.0.1:${rig.server.port}`)),
    );
    assert.deepEqual((await rig.client.sessions()).sessions, []);
    for (const answer of await Promise.all(slow))
      assert.match(answer, /^(HTTP\/1\.1 408 [\s\S]*)?$/);
    assert.deepEqual((await rig.client.sessions()).sessions, []);
  });
}

test("S18: a body that comes a byte at a time ends with the time of a request, and changes nothing", {
  timeout: 8000,
}, async (t) => {
  const rig = await serverRig(t, { limits: LIMITS });
  const head = [
    "POST /api/sessions HTTP/1.1",
    `Host: 127.0.0.1:${rig.server.port}`,
    `Authorization: Bearer ${rig.server.token}`,
    "Content-Type: application/json",
    "Content-Length: 100000",
    "",
    '{"name":"',
  ];
  const socket = connect({ port: rig.server.port, host: "127.0.0.1" });
  let answer = "";
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("data", (part) => {
    answer += part.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.write(head.join("\r\n"));
  const timer = setInterval(() => socket.write("x"), 10);
  await closed;
  clearInterval(timer);
  assert.doesNotMatch(answer, / 200 /);
  assert.deepEqual((await rig.client.sessions()).sessions, []);
});

test("S18: the times that a server starts with are those of the plan", async (t) => {
  const { limits } = (await serverRig(t)).server.core;
  assert.deepEqual([limits.headersMs, limits.requestMs], [10_000, 30_000]);
  assert.deepEqual([limits.sockets, limits.streams, limits.streamsPerClient], [64, 32, 8]);
});
