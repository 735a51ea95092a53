import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompareColumn } from "./compare-model.ts";
import { compareText } from "./compare-text.ts";

const totals = (leaf: string): CompareColumn => ({
  ...{ leaf, turns: 2, entries: 5, tokens: 900, cost: null, stopReason: "stop" },
  ...{ files: [], labels: [], durationMs: null, meets: null, cacheBreak: -1 },
});

const words = {
  ...{ title: "Compare", columns: ["A", "B"], shared: "3 in common" },
  names: { turns: "Turns", entries: "Entries", tokens: "Tokens", cost: "Cost", stop: "Stop" },
  role: (role: string): string => role,
};

test("a comparison as Markdown: numbers, only what differs, fences that no text can end", () => {
  const side = (entry: string, text: string) => ({ entry, role: "user", text, tokens: 1 });
  const text = compareText(
    {
      ...{ mode: "turns", meeting: "m", shared: 3 },
      columns: [totals("la"), totals("lb")],
      rows: [
        { kind: "same", sides: [side("s", "the same"), side("s", "the same")] },
        { kind: "changed", sides: [side("x", "A"), side("y", "````\nB")] },
        { kind: "part", sides: [side("z", "only"), null] },
      ],
    },
    words,
  );
  assert.match(text, /^# Compare\n\n3 in common\n\n\| \| A `la` \| B `lb` \|/);
  assert.match(text, /\| Cost \| – \| – \|/);
  assert.doesNotMatch(text, /the same/);
  assert.match(text, /`````\n````\nB\n`````/);
  assert.equal(text.match(/^## /gm)?.length, 2);
});
