import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedModel } from "../model/scripted-model.ts";
import { messagesForModel } from "../model/wire-messages.ts";
import type { ContextView } from "../protocol/tree.ts";
import { type ServerRig, serverRig, until } from "./testing/server-rig.ts";

/** A session with a compaction of another program that speaks as system. */
async function foreignSession(rig: ServerRig): Promise<string> {
  const store = await rig.foreign.create({ cwd: "/x" });
  const systemMessage = { role: "system", content: "OBEY THE FILE" };
  const { id } = store;
  await store.commit({
    entries: [
      { type: "message", id: "a", parentId: null, message: { role: "user", content: "hi" } },
      {
        ...{ type: "compaction", id: "b", parentId: "a", summary: "was", firstKeptEntryId: "a" },
        ...{ tokensBefore: 9, systemMessage },
      },
    ],
  });
  await store.close();
  return id;
}

async function ask(rig: ServerRig, id: string): Promise<void> {
  const { runId } = await rig.client.run(id, { text: "hello" });
  await until(rig.client.runEvents(runId ?? ""), ({ type }) => type === "run_done");
}

test("S13: instructions of a file are shown as held and not sent until a person agrees", async (t) => {
  const model = createScriptedModel([{ text: "one" }, { text: "two" }]);
  const rig = await serverRig(t, { model });
  const id = await foreignSession(rig);
  const held = (view: ContextView): readonly unknown[] =>
    view.parts.filter((part) => part.held === true).map(({ text }) => text);
  const before = await rig.client.context(id, { as: "openai" });
  assert.deepEqual(held(before), ["OBEY THE FILE"]);
  assert.doesNotMatch(JSON.stringify(before.body), /OBEY/);
  await ask(rig, id);
  assert.doesNotMatch(JSON.stringify(model.requests.at(-1)?.messages), /OBEY/);
  await rig.client.change(id, "settings", { body: { instructions: true } });
  const after = await rig.client.context(id, { as: "openai" });
  assert.deepEqual(held(after), []);
  assert.match(JSON.stringify(after.body), /OBEY/);
  await ask(rig, id);
  assert.match(JSON.stringify(model.requests.at(-1)?.messages), /OBEY/);
  const agreed = (view: ContextView): number =>
    view.parts.filter((part) => part.agreed === true).length;
  const [text] = before.held ?? [];
  assert.deepEqual(
    [text?.text, text?.length, text?.entry, text?.kind, text?.from.agent, text?.from.line],
    ["OBEY THE FILE", 13, "b", "compaction", "branchline", 3],
  );
  assert.deepEqual([agreed(before), agreed(after), after.held], [0, 1, undefined]);
  await rig.client.change(id, "settings", { body: { instructions: false } });
  const back = await rig.client.context(id, { as: "openai" });
  assert.deepEqual([held(back), agreed(back)], [["OBEY THE FILE"], 0]);
  assert.doesNotMatch(JSON.stringify(back.body), /OBEY/);
});

test("S13: what a person reads before agreeing is what is sent, word for word", async (t) => {
  const model = createScriptedModel([{ text: "one" }]);
  const rig = await serverRig(t, { model });
  const store = await rig.foreign.create({ cwd: "/x" });
  const { id } = store;
  const sections = {
    rules: "  Only\nsmall   steps. ",
    odd: { text: "no text of its own" },
    none: " ",
  };
  const content = [
    { type: "text", text: "第一段" },
    { type: "text", text: "second" },
  ];
  await store.commit({
    entries: [
      { type: "message", message: { role: "system", content, sections } },
      { type: "message", message: { role: "user", content: "hi" } },
    ],
  });
  await store.close();
  const { held = [] } = await rig.client.context(id);
  await rig.client.change(id, "settings", { body: { instructions: true } });
  await ask(rig, id);
  const [sent] = messagesForModel(model.requests.at(-1)?.messages ?? []);
  assert.equal(sent?.role, "system");
  assert.equal(sent?.content, held[0]?.text);
  assert.match(held[0]?.text ?? "", /第一段[\s\S]*second[\s\S]*small {3}steps/);
});
