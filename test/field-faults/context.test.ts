/** Faults of the context and of access that were seen in the field, each with what is right instead. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainRequest, serverRig } from "../../src/server/testing/server-rig.ts";
import {
  add,
  assistant,
  calling,
  newFixture,
  result,
  talk,
  texts,
  user,
} from "../../src/session/testing/session-fixture.ts";

test("F064: an image that every provider refuses is taken out of the context and stays in the session", async () => {
  const { session } = await newFixture();
  const image = { type: "image" as const, data: "no image", mimeType: "image/png" };
  const bad = await add(session, {
    type: "message",
    message: { role: "user", content: [image] },
  });
  await add(session, assistant("refused"));
  await session.hide(bad);
  assert.deepEqual(await texts(session), ["refused"]);
  const kept = (await session.store.mustGet(bad)) as { message?: { content?: unknown } };
  assert.deepEqual(kept.message?.content, [image]);
  await session.unhide(bad);
  assert.equal((await session.context()).messages.length, 2);
});

test("F066: the last turn is dropped and the session goes on; what was dropped is not lost", async () => {
  const { session, again } = await newFixture();
  const [, , , before = ""] = await talk(session, 2);
  const bad = await add(session, user("what no model takes"));
  await session.moveLeaf(before);
  await add(session, user("instead"));
  const read = await again();
  assert.deepEqual(await texts(read), ["u1", "a1", "u2", "a2", "instead"]);
  assert.equal(read.tree.has(bad), true);
});

test("F067: a call and its results leave the context together, whichever of them is hidden", async () => {
  const { session } = await newFixture();
  await add(session, user("go"));
  const call = await add(session, calling("c1", "c2"));
  await add(session, result("c1", "one"));
  await add(session, result("c2", "two"));
  await session.hide(call);
  assert.deepEqual(await texts(session), ["go"]);
});

test("F113: who has no token sees no session of anybody, by default", async (t) => {
  const rig = await serverRig(t);
  await (await rig.store.create({ id: "private", cwd: "/p" })).close();
  for (const path of ["/api/sessions", "/api/sessions/private", "/api/search?q=x", "/api/events"]) {
    const headers = { Host: `127.0.0.1:${rig.server.port}` };
    const answer = await plainRequest(rig.server.port, { path, headers });
    assert.equal(answer.status, 401, path);
    assert.doesNotMatch(answer.text, /private/);
  }
});
