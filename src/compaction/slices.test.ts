import assert from "node:assert/strict";
import { test } from "node:test";
import { extractiveSummariser } from "./extractive-summariser.ts";
import { lossReport, lossReportSteps } from "./loss-report.ts";
import { inSlices } from "./slices.ts";
import type { SourcedMessage, SummaryInput } from "./summariser.ts";

/** Some seconds of work, in one go. */
const GIANT: readonly SourcedMessage[] = Array.from({ length: 3000 }, (_, at) => ({
  entry: `e${at}`,
  message: {
    role: "user",
    content: `We decided on src/part${at}/file.ts with ${at + 1000} ms. `.repeat(40),
    timestamp: 0,
  },
}));
const AFTER = GIANT.slice(-40).map(({ message }) => message);

const INPUT: SummaryInput = {
  kind: "compaction",
  ...{ previousSummary: null, turnPrefix: [], kept: [], messages: GIANT },
  ...{ files: { readFiles: [], modifiedFiles: [] }, instructions: null },
  ...{ maxTokens: 1000, inputTokens: null },
};

/** Does the work and gives the longest time in which the event loop did nothing else, in ms. */
async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  return Math.max(longest, performance.now() - last);
}

const works = {
  extract: (signal?: AbortSignal) => extractiveSummariser().summarise(INPUT, { signal }),
  loss: (signal?: AbortSignal) => inSlices(lossReportSteps(GIANT, AFTER), signal),
};

for (const [name, work] of Object.entries(works)) {
  test(`a giant context holds the event loop up for no long time, and an abort ends it: ${name}`, async () => {
    const start = performance.now();
    const wait = await longestWait(work);
    const whole = performance.now() - start;
    assert.ok(wait < Math.max(150, whole / 4), `${wait} of ${whole} ms`);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    const aborted = performance.now();
    await assert.rejects(work(stop.signal), { code: "ABORTED" });
    assert.ok(performance.now() - aborted < Math.max(500, whole / 2));
  });
}

test("in slices and in one go the report is the same", async () => {
  const few = GIANT.slice(0, 50);
  assert.deepEqual(await inSlices(lossReportSteps(few, AFTER)), lossReport(few, AFTER));
});
