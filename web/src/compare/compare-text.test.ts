import assert from "node:assert/strict";
import { test } from "node:test";
import type { DiffTotals } from "branchline/protocol/operation.ts";
import { compareText } from "./compare-text.ts";

const totals = (leaf: string): DiffTotals => ({
  ...{ leaf, turns: 2, entries: 5, tokens: 900, cost: null, stopReason: "stop" },
  ...{ files: [], labels: [], durationMs: null },
});

const words = {
  ...{ title: "Compare", left: "Left", right: "Right", shared: "3 in common" },
  names: { turns: "Turns", entries: "Entries", tokens: "Tokens", cost: "Cost", stop: "Stop" },
  role: (role: string): string => role,
};

test("a comparison as Markdown: numbers, only what differs, fences that no text can end", () => {
  const side = (entry: string, text: string) => ({ entry, role: "user", text, tokens: 1 });
  const text = compareText(
    {
      ...{ mode: "turns", meeting: "m", shared: 3, cacheBreak: -1 },
      a: totals("la"),
      b: totals("lb"),
      rows: [
        { kind: "same", left: side("s", "the same"), right: side("s", "the same") },
        { kind: "changed", left: side("x", "A"), right: side("y", "````\nB") },
        { kind: "left", left: side("z", "only"), right: null },
      ],
    },
    words,
  );
  assert.match(text, /^# Compare\n\n3 in common\n\n\| \| Left `la` \| Right `lb` \|/);
  assert.match(text, /\| Cost \| – \| – \|/);
  assert.doesNotMatch(text, /the same/);
  assert.match(text, /`````\n````\nB\n`````/);
  assert.equal(text.match(/^## /gm)?.length, 2);
});
