import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { SessionTree } from "../tree/session-tree.ts";
import type { ModelInfo } from "./model.ts";
import { chooseModel, modelOfPath } from "./model-choice.ts";
import { createOfflineModel } from "./offline-model.ts";

/** A straight path of entries. */
function path(...entries: readonly object[]): { tree: SessionTree; leaf: string | null } {
  const tree = new SessionTree("s");
  for (const [at, entry] of entries.entries()) {
    const parentId = at === 0 ? null : `e${at - 1}`;
    tree.add({ id: `e${at}`, parentId, timestamp: "2026-01-01T00:00:00Z", ...entry } as Entry);
  }
  return { tree, leaf: entries.length === 0 ? null : `e${entries.length - 1}` };
}

const answer = (provider: string, model: string): object => ({
  type: "message",
  message: { role: "assistant", content: [], provider, model },
});

const change = (provider: string, modelId: string): object => ({
  type: "model_change",
  provider,
  modelId,
});

test("the model of a path: stand-ins are passed over, a chosen offline model counts", () => {
  const of = ({ tree, leaf }: ReturnType<typeof path>): unknown => modelOfPath(tree, leaf);
  const mock = { provider: "mock", modelId: "m" };
  assert.equal(of(path()), null);
  assert.deepEqual(of(path(answer("mock", "m"))), mock);
  assert.deepEqual(of(path(answer("mock", "m"), answer("offline", "offline-1"))), mock);
  assert.equal(of(path(answer("offline", "offline-1"))), null);
  const chosen = path(answer("mock", "m"), change("offline", "offline-1"), answer("offline", "x"));
  assert.deepEqual(of(chosen), { provider: "offline", modelId: "offline-1" });
});

test("the model of the path where a provider has it, else the first one in its place", async () => {
  const offline = createOfflineModel();
  const [first] = (await offline.list()) as [ModelInfo];
  const missing = { provider: "mock", modelId: "m" };
  assert.deepEqual(await chooseModel(offline, missing), { model: first, insteadOf: missing });
  assert.deepEqual(await chooseModel(offline, first), { model: first, insteadOf: null });
  assert.deepEqual(await chooseModel(offline, null), { model: first, insteadOf: null });
  const none = { list: async () => [], find: async () => null };
  assert.equal(await chooseModel(none, missing), null);
});
