import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelEvent, ModelInfo, ModelProvider } from "./model.ts";
import { createModelTable } from "./model-table.ts";
import { createScriptedModel } from "./scripted-model.ts";

const CONTEXT = { messages: [], tools: [] };

async function said(models: ModelProvider, model: ModelInfo): Promise<string> {
  let last: ModelEvent | undefined;
  for await (const event of models.stream(model, CONTEXT)) last = event;
  assert.equal(last?.type, "done");
  const [block] = last.message.content;
  return String(last.message.errorMessage ?? (block && "text" in block && block.text));
}

test("the first provider that knows a model answers for it", async () => {
  const one = createScriptedModel([{ text: "one" }], { info: { modelId: "a", name: "first" } });
  const two = createScriptedModel([{ text: "two" }], { info: { modelId: "a", name: "second" } });
  const three = createScriptedModel([{ text: "three" }], { info: { modelId: "b" } });
  const table = createModelTable([one, two, three]);
  assert.deepEqual(await table.list(), [one.info, three.info]);
  assert.equal((await table.find({ provider: "scripted", modelId: "a" }))?.name, "first");
  assert.equal(await table.find({ provider: "scripted", modelId: "c" }), null);
  assert.equal(await said(table, one.info), "one");
  assert.equal(await said(table, three.info), "three");
  assert.equal(two.requests.length, 0);
});

test("a model that nobody knows is a failed answer", async () => {
  const { info } = createScriptedModel([], { info: { provider: "p", modelId: "m" } });
  assert.match(await said(createModelTable([]), info), /No provider knows the model p\/m/);
});
