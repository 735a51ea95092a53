import assert from "node:assert/strict";
import { test } from "node:test";
import { RegexWorker } from "./regex-worker.ts";

/** What `(a+)+$` never comes to an end with. */
const HOSTILE = `${"a".repeat(40)}!`;

test("finds the first match of each entry, in any of its texts", async () => {
  await using worker = new RegexWorker({ pattern: "b+", flags: "i" });
  const answers = await worker.test([["a", "xBBy"], ["none"], [], ["b"]]);
  assert.deepEqual(answers, [
    { piece: 1, start: 1, end: 3 },
    null,
    null,
    { piece: 0, start: 0, end: 1 },
  ]);
  assert.deepEqual(await worker.test([["b"]]), [{ piece: 0, start: 0, end: 1 }]);
  assert.equal(worker.isSpent, false);
});

test("S7: an entry that takes too long is given up, the others are answered", async () => {
  await using worker = new RegexWorker({ pattern: "(a+)+$", flags: "", batchMs: 100 });
  const started = performance.now();
  const answers = await worker.test([["aa"], [HOSTILE], ["b"], ["ba"]]);
  assert.deepEqual(answers, [
    { piece: 0, start: 0, end: 2 },
    "gave up",
    null,
    { piece: 0, start: 1, end: 2 },
  ]);
  assert.ok(performance.now() - started < 2000);
});

test("S7: the time for everything is limited; the main thread stays free", async () => {
  await using worker = new RegexWorker({ pattern: "(a+)+$", flags: "", batchMs: 50, totalMs: 200 });
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 10);
  const answers = await worker.test(Array.from({ length: 100 }, () => [HOSTILE]));
  clearInterval(ticking);
  assert.deepEqual(new Set(answers), new Set(["gave up"]));
  assert.equal(answers.length, 100);
  assert.equal(worker.isSpent, true);
  assert.ok(ticks > 5);
  assert.deepEqual(await worker.test([["a"]]), ["gave up"]);
});
