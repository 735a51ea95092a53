import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { buildPath, craftedStep, PATH_SESSION } from "../../test/builders/random-path.ts";
import type { Entry } from "../entry/entry.ts";
import { GrowingContext, project } from "./context.ts";
import type { PathStep } from "./cut.ts";
import { settingsOf } from "./settings.ts";

test("P8: a context that grew step by step is the one of the whole path, byte for byte", (t) => {
  const seed = Number(process.env.SEED ?? Date.now() % 0x7fffffff);
  const counts = { grown: 0, anew: 0, kept: 0 };
  fc.assert(
    fc.property(fc.array(craftedStep, { maxLength: 30 }), fc.nat(30), (made, start) => {
      const steps = buildPath(made);
      const first = start % (steps.length + 1);
      let growing = GrowingContext.ofPath(steps.slice(0, first), PATH_SESSION);
      for (let end = first + 1; end <= steps.length; end++) {
        const path = steps.slice(0, end);
        const before = growing.context(settingsOf(path));
        const text = JSON.stringify(before);
        if (growing.add(path[end - 1] as PathStep)) counts.grown++;
        else {
          assert.equal(JSON.stringify(growing.context(settingsOf(path))), text);
          growing = GrowingContext.ofPath(path, PATH_SESSION);
          counts.anew++;
        }
        const whole = project(path, PATH_SESSION);
        const context = growing.context(settingsOf(path));
        assert.deepEqual(context, whole);
        assert.equal(JSON.stringify(context), JSON.stringify(whole));
        assert.equal(JSON.stringify(before), text);
        assert.ok(Object.isFrozen(context.messages) && context.messages.every(Object.isFrozen));
        if (context.entries[0] !== "e0") counts.kept++;
      }
    }),
    { seed, numRuns: 3000 },
  );
  t.diagnostic(`seed ${seed} ${JSON.stringify(counts)}`);
  for (const count of Object.values(counts)) assert.ok(count > 1000, JSON.stringify(counts));
});

test("a step is not looked at again: the messages of the next context are the same objects", () => {
  const steps = [1, 2, 3].map(
    (n): PathStep => ({
      gap: null,
      entry: {
        type: "custom_message",
        id: `e${n}`,
        parentId: n === 1 ? null : `e${n - 1}`,
        timestamp: "2026-01-01T00:00:00.000Z",
        customType: "note",
        content: `c${n}`,
        display: true,
      },
    }),
  );
  const growing = GrowingContext.ofPath(steps.slice(0, 2), PATH_SESSION);
  const settings = settingsOf(steps);
  const before = growing.context(settings);
  assert.ok(growing.add(steps[2] as PathStep));
  const after = growing.context(settings);
  assert.equal(before.messages.length, 2);
  assert.equal(after.messages.length, 3);
  for (const [index, message] of before.messages.entries()) {
    assert.equal(after.messages[index], message);
  }
});

function path(...bodies: readonly Record<string, unknown>[]): readonly PathStep[] {
  return bodies.map((body, index) => {
    const parentId = index === 0 ? null : `e${index - 1}`;
    const place = { id: `e${index}`, parentId, timestamp: "2026-01-01T00:00:00.000Z" };
    return { gap: null, entry: { type: "message", ...place, ...body } as Entry };
  });
}

const user = { message: { role: "user", content: "u" } };
const blocks = [{ type: "toolCall", id: "c", name: "read", arguments: {} }];
const call = { message: { role: "assistant", content: blocks } };
const result = { message: { role: "toolResult", toolCallId: "c", toolName: "read", content: [] } };
const cut = { type: "compaction", summary: "s", firstKeptEntryId: "e2", tokensBefore: 1 };

test("M15: a result whose call was cut off makes the context anew", () => {
  const steps = path(user, call, user, cut, result);
  const growing = GrowingContext.ofPath(steps.slice(0, 4), PATH_SESSION);
  assert.equal(growing.add(steps[4] as PathStep), false);
  assert.equal(project(steps, PATH_SESSION).entries[1], "e1");
  const without = path(user, call, result, user);
  const whole = GrowingContext.ofPath(without.slice(0, 1), PATH_SESSION);
  for (const step of without.slice(1)) assert.ok(whole.add(step));
});

test("an edit before its target: pairs are not seen alike from both ends, so nothing is extended", () => {
  const early = { type: "context_edit", targetId: "e4", replacement: { content: blocks } };
  const steps = path(user, call, user, early, { message: { role: "assistant", content: [] } }, cut);
  const growing = GrowingContext.ofPath(steps, PATH_SESSION);
  assert.equal(
    growing.add({ ...path(...steps.map(() => user), result).at(-1) } as PathStep),
    false,
  );
});
