import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigBuffer, configDrafts } from "./config-buffer.ts";

const FRESH = { model: null, thinkingLevel: "off", activeTools: null };
const model = { provider: "p", modelId: "m" };

test("what is in force already writes nothing", () => {
  const inForce = { model, thinkingLevel: "high", activeTools: ["a"] };
  assert.deepEqual(configDrafts({ model, thinkingLevel: "high", activeTools: ["a"] }, inForce), []);
  const types = configDrafts(inForce, FRESH).map(({ type }) => type);
  assert.deepEqual(types, ["model_change", "thinking_level_change", "active_tools_change"]);
});

test("the last value of each kind counts, states keep their order", () => {
  const buffer = new ConfigBuffer();
  buffer.add({ thinkingLevel: "low", states: [{ customType: "a", data: 1 }] });
  buffer.add({ thinkingLevel: "high", states: [{ customType: "a", data: 2 }] });
  const drafts = configDrafts(buffer.take(), FRESH);
  assert.deepEqual(drafts, [
    { type: "thinking_level_change", thinkingLevel: "high" },
    { type: "custom", customType: "a", data: 1 },
    { type: "custom", customType: "a", data: 2 },
  ]);
  assert.deepEqual(buffer.take(), {});
});

test("what could not be written is put back behind nothing newer", () => {
  const buffer = new ConfigBuffer();
  buffer.add({ thinkingLevel: "low", model });
  const taken = buffer.take();
  buffer.add({ thinkingLevel: "high" });
  buffer.putBack(taken);
  assert.deepEqual(buffer.take(), { thinkingLevel: "high", model });
});
