import assert from "node:assert/strict";
import { test } from "node:test";
import { operationWords } from "./operation-text.ts";

const row = (kind: string, summary: string) =>
  operationWords({
    ...{ op: "o", kind, summary, timestamp: "", undoes: null, undone: false, entries: [] },
  });

test("the verb of an operation is said once, in the language of the page", () => {
  assert.deepEqual(row("move", "move from 236f7fc4 to 2711e4fe"), {
    kind: "op.move",
    about: "236f7fc4 → 2711e4fe",
  });
  assert.equal(row("move", 'move from branch "a b" to branch "c"').about, '"a b" → "c"');
  assert.equal(row("label", 'label ab12 "决定"').about, "ab12 “决定”");
  assert.equal(row("label", "clear the label of ab12").about, "clear the label of ab12");
  assert.equal(row("new thing", "did it").kind, "op.other");
});
