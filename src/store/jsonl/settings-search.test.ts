import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../entry/entry.ts";
import { SettingsSearch } from "./settings-search.ts";

const entry = (members: object): Entry => {
  return { id: "a", parentId: null, timestamp: "t", ...members } as unknown as Entry;
};
const level = entry({ type: "thinking_level_change", thinkingLevel: "high" });
const tools = entry({ type: "active_tools_change", activeToolNames: ["read"] });
const model = entry({ type: "model_change", provider: "q", modelId: "n" });
const user = entry({ type: "message", message: { role: "user", content: "" } });
const answer = entry({
  type: "message",
  message: { role: "assistant", provider: "p", model: "m" },
});

test("what the end of the path sets is not looked for", () => {
  const search = new SettingsSearch([user, answer, level]);
  const wanted = [
    "message",
    "model_change",
    "thinking_level_change",
    "active_tools_change",
    "custom",
  ];
  assert.deepEqual(
    wanted.filter((type) => search.wants(type)),
    ["active_tools_change"],
  );
  assert.equal(search.isDone, false);
  search.add(tools);
  assert.equal(search.isDone, true);
  assert.deepEqual(search.result(), { found: { activeTools: ["read"] }, unproven: [] });
  assert.equal(new SettingsSearch([model, level, tools]).isDone, true);
});

test("the nearest setting counts, also the model of an answer", () => {
  const search = new SettingsSearch([user]);
  for (const one of [user, answer, model, level]) search.add(one);
  search.add(entry({ type: "thinking_level_change", thinkingLevel: "low" }));
  const found = { model: { provider: "p", modelId: "m" }, thinkingLevel: "high" };
  const expected = { found: { ...found, activeTools: null }, unproven: ["activeTools"] };
  assert.deepEqual(search.result(), expected);
});

test("at the root, what was not found is not set", () => {
  const search = new SettingsSearch([answer]);
  search.end();
  assert.equal(search.isDone, true);
  assert.deepEqual(search.result(), {
    found: { thinkingLevel: "off", activeTools: null },
    unproven: [],
  });
});
