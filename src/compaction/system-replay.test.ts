import assert from "node:assert/strict";
import { test } from "node:test";
import { replaySystem } from "./system-replay.ts";

test("F074 a single prompt stays the very same object; none gives null", () => {
  const prompt = {
    role: "system",
    content: [{ type: "text", text: " as it is " }],
    timestamp: 3,
  } as const;
  assert.equal(replaySystem([{ role: "user", content: "u" }, prompt]), prompt);
  assert.equal(replaySystem([{ role: "user", content: "u" }]), null);
});

test("F074 several are replayed: texts in a row, sections and tools by name", () => {
  const system = (members: Record<string, unknown>) => ({
    role: "system",
    content: "",
    ...members,
  });
  const message = replaySystem([
    system({
      content: "base",
      sections: { a: "1", b: "2" },
      toolsAdded: [{ name: "x", v: 1 }, { name: "y" }],
      timestamp: 9,
    }),
    system({ content: [{ type: "text", text: "more" }, 5], sections: { a: null, c: "3" } }),
    system({ toolsRemoved: [{ name: "y" }], toolsAdded: [{ name: "x", v: 2 }] }),
  ]);
  assert.deepEqual(message, {
    ...{ role: "system", content: "base\n\nmore", timestamp: 9 },
    ...{ sections: { b: "2", c: "3" }, toolsAdded: [{ name: "x", v: 2 }] },
  });
});

test("P7 prompts of any shape are replayed as far as they can be read", () => {
  const odd = {
    role: "system",
    content: 5,
    sections: [],
    toolsAdded: "x",
    toolsRemoved: [null, {}],
  };
  assert.deepEqual(replaySystem([odd, odd]), { role: "system", content: "" });
});
