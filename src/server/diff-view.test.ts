import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryDraft } from "../entry/entry.ts";
import { serverRig } from "./testing/server-rig.ts";

const say = (content: string): EntryDraft => ({
  type: "message",
  message: { role: "user", content },
});

const answer = (text: string): EntryDraft => ({
  type: "message",
  message: {
    ...{ role: "assistant", content: [{ type: "text", text }], provider: "p", model: "m" },
    ...{ usage: { input: 1, output: 1, cost: { total: 0.5 } }, stopReason: "stop" },
  },
});

test("a side of any length is counted whole; of what is laid out the newest rows, and that is said", async (t) => {
  const rig = await serverRig(t);
  const store = await rig.foreign.create({ cwd: "/x" });
  const { entries: start } = await store.commit({ entries: [say("start")] });
  const root = start[0]?.id ?? null;
  const long = Array.from({ length: 1700 }, (_, at) => (at % 2 === 0 ? say(`${at}`) : answer("x")));
  const { entries: left } = await store.commit({ entries: long });
  const { entries: right } = await store.commit({ entries: [{ ...say("short"), parentId: root }] });
  const [first] = left;
  await store.commit({
    entries: [
      { type: "label", parentId: left.at(-1)?.id ?? null, targetId: first?.id ?? "", label: "早" },
    ],
  });
  const query = { a: left.at(-1)?.id ?? "", b: right[0]?.id ?? "" };
  const { id } = store;
  await store.close();
  const view = await rig.client.diff(id, query);
  assert.deepEqual(
    [view.a.entries, view.a.turns, view.a.shown, view.a.cost, view.a.labels, view.a.filesTruncated],
    [1700, 850, 1500, 425, ["早"], true],
  );
  assert.equal(view.truncated, true);
  assert.equal(view.rows.filter(({ left: side }) => side !== null).length, 1500);
  assert.deepEqual(
    [view.b.entries, view.b.shown, view.b.cost, view.b.filesTruncated],
    [1, 1, null, undefined],
  );
});
