import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { createScriptedModel } from "../model/scripted-model.ts";
import { Session } from "../session/session.ts";
import { assistant, compaction, raw, user } from "../session/testing/session-fixture.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { createHarness } from "./harness.ts";
import { CountingStore, type StoreWork } from "./testing/counting-store.ts";
import { tool } from "./testing/harness-rig.ts";

/** A chain whose last eight entries stand behind a compaction, as in any long conversation. */
function chain(length: number): readonly Entry[] {
  return Array.from({ length }, (_, at) => {
    const parent = at === 0 ? null : `e${at - 1}`;
    if (at === length - 8) return raw(`e${at}`, parent, compaction(`e${at - 1}`));
    return raw(`e${at}`, parent, at % 2 === 0 ? user("question") : assistant("answer"));
  });
}

/** The work of the third prompt: one request with a tool call, one without. */
async function workOf(length: number): Promise<{ readonly work: StoreWork; readonly ms: number }> {
  const store = new CountingStore(createMemoryStore());
  const opened = await store.create({ cwd: "/p", entries: chain(length) });
  const session = await Session.attach(opened);
  const turns = [{ calls: [{ name: "echo", arguments: {} }] }, { text: "done" }];
  const models = createScriptedModel([...turns, ...turns, ...turns]);
  const { provider, modelId } = models.info;
  const model = { provider, modelId };
  await using harness = await createHarness({ session, models, model, tools: [tool("echo")] });
  await harness.setModel(model);
  await harness.prompt("one");
  await harness.prompt("two");
  store.reset();
  const start = performance.now();
  assert.equal((await harness.prompt("three")).outcome, "done");
  return { work: { ...store.work }, ms: performance.now() - start };
}

test("a prompt costs the same work at 10, 1,000 and 100,000 entries", async () => {
  const small = await workOf(10);
  const middle = await workOf(1000);
  const large = await workOf(100_000);
  assert.deepEqual(middle.work, small.work);
  assert.deepEqual(large.work, small.work);
  // Prompt, answer, calls, result, answer, end.
  assert.equal(small.work.commits, 6);
  assert.ok(small.work.read <= 40, `${small.work.read} entries were read`);
  // Far above what it takes, far below what a walk over the session would take.
  assert.ok(large.ms < 500, `${large.ms} ms`);
});
