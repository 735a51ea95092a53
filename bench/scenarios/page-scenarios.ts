import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Outcome, Scenario } from "../../src/bench/scenario.ts";

const ENTRIES = 10_000;

/** The figures of the budgets, and the largest share that one takes of its limit. */
const page: Scenario = {
  id: "page",
  title: "the page with a session of 10,000 entries, against its budgets",
  target: "T15",
  async run(): Promise<Outcome> {
    // Loaded here only: the processes of all other scenarios must not pay for a browser.
    const { openBench } = await import("../../test/browser/browser-bench.ts");
    const { LIMITS, measureBudgets } = await import("../../test/browser/budgets.ts");
    const { largeSession } = await import("../../test/browser/large-session.ts");
    const { root, session } = await largeSession(ENTRIES);
    const bench = await openBench({ root });
    try {
      if (typeof bench === "string") return { samples: {}, counts: {}, skipped: bench };
      const figures = await measureBudgets(bench, session, { until: "all" });
      const limits: Readonly<Record<string, number>> = LIMITS;
      const shares = Object.entries(figures).map(([name, value]) => value / Number(limits[name]));
      return { samples: {}, counts: { ...figures, worst: Math.max(...shares) } };
    } finally {
      if (typeof bench !== "string") await bench.close();
      await rm(root, { recursive: true });
    }
  },
};

const exported: Scenario = {
  id: "exported-page",
  title: "an exported page of 10,000 entries, from the file to its first row",
  target: "T15",
  async run({ scratch }): Promise<Outcome> {
    const { openBrowser } = await import("../../test/browser/open-browser.ts");
    const { NOTE_FIRST_ROW, writePage } = await import("../../test/browser/exported-page.ts");
    const { longSession } = await import("../../test/builders/long-session.ts");
    const { exportTemplate } = await import("../../web/export-template.ts");
    const browser = await openBrowser();
    if (typeof browser === "string") return { samples: {}, counts: {}, skipped: browser };
    try {
      const folder = path.join(scratch, "exported");
      await mkdir(folder, { recursive: true });
      const source = { folder, template: await exportTemplate(), text: longSession(ENTRIES) };
      const { href } = pathToFileURL(await writePage(source));
      const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await tab.addInitScript(NOTE_FIRST_ROW);
      await tab.goto(href, { waitUntil: "commit" });
      await tab.waitForSelector(".row-place .entry[data-entry]");
      const firstRow = Number(await tab.evaluate("window.firstRow"));
      const elements = Number(await tab.evaluate('document.querySelectorAll("*").length'));
      return { samples: { firstRow: [firstRow] }, counts: { elements } };
    } finally {
      await browser.close();
    }
  },
};

/** What a person waits for, in a real browser; skipped where there is none. */
export const PAGE_SCENARIOS: readonly Scenario[] = [page, exported];
