import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type BrowserBench, openBench } from "./browser-bench.ts";
import type { ServerOptions } from "./open-server.ts";

/** Declares a test of one file. */
export type BrowserTest = (name: string, run: (bench: BrowserBench) => Promise<void>) => void;

/** What the tests of a file share. */
export interface BrowserSuite extends ServerOptions {
  /** Fills the folders before the server starts. */
  readonly prepare?: () => Promise<ServerOptions>;
}

/**
 * One browser and one server for the tests of a file. Each test is skipped with the reason where there is
 * no browser, and fails on uncaught errors and on what the content policy refused.
 */
export function browserTests(suite: BrowserSuite = {}): BrowserTest {
  let bench: BrowserBench | string = "not started";
  before(async () => {
    const prepared = (await suite.prepare?.()) ?? {};
    bench = await openBench({ ...suite, ...prepared });
  });
  after(async () => {
    if (typeof bench !== "string") await bench.close();
  });
  return (name, run) => {
    test(name, { timeout: 180_000 }, async (context) => {
      if (typeof bench === "string") return context.skip(bench);
      bench.faults.length = 0;
      await run(bench);
      assert.deepEqual(bench.faults, [], "no uncaught error, nothing against the content policy");
    });
  };
}
