import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContextView } from "branchline/protocol/tree.ts";
import { contextLines, contextSegments } from "./context-lines.ts";

const part = (
  entry: string,
  kind: "system" | "kept" | "new",
  tokens: number,
): ContextView["parts"][number] => ({
  entry,
  role: "user",
  part: kind,
  tokens,
  text: entry,
  prefix: "0",
});

const view: ContextView = {
  at: "c",
  model: null,
  contextWindow: 1000,
  reserve: 100,
  thinkingLevel: "off",
  activeTools: null,
  tokens: 60,
  parts: [part("s", "system", 10), part("a", "kept", 20), part("b", "new", 30)],
  messages: [],
  unsent: [
    { entry: "x", before: 1, why: "compacted", text: "", tokens: 1 },
    { entry: "y", before: 1, why: "compacted", text: "", tokens: 1 },
    { entry: "z", before: 1, why: "state", text: "", tokens: 0 },
    { entry: "w", before: 3, why: "hidden", text: "", tokens: 5 },
  ],
  gaps: 0,
  compaction: null,
};

test("what is not sent stands between the parts, one line for each run of one reason", () => {
  const lines = contextLines(view).map((line) =>
    line.kind === "part" ? line.part.entry : `${line.why}×${line.entries.length}`,
  );
  assert.deepEqual(lines, ["s", "compacted×2", "state×1", "a", "b", "hidden×1"]);
});

test("the bar has its parts in sending order, free room and reserve; none of these without a window", () => {
  assert.deepEqual(
    contextSegments(view).map(({ part: name, tokens }) => [name, tokens]),
    [
      ["system", 10],
      ["kept", 20],
      ["new", 30],
      ["free", 840],
      ["reserve", 100],
    ],
  );
  assert.equal(contextSegments({ ...view, contextWindow: null }).length, 3);
});
