import type { Page } from "playwright-core";
import { type BrowserBench, openPage, until } from "./browser-bench.ts";

/** What is held on a session of 10,000 entries (product budgets); ms, elements, kB, MB. */
export const LIMITS = {
  firstRow: 1000,
  elements: 1500,
  branchSwitch: 100,
  key: 50,
  searchKey: 50,
  blank: 100,
  payload: 150,
  code: 200,
  heap: 80,
  window: 20,
} as const;

/** Name of one budget. */
export type Budget = keyof typeof LIMITS;

/** Measured figures, rounded. */
export type Figures = Readonly<Record<Budget, number>>;

/** Times are the best of at most so many: the machine of a test runs other things too. */
const ROUNDS = 8;

interface Rounds {
  /** Ends as soon as one round holds the limit; "all" = takes the best of all. */
  readonly until: "held" | "all";
}

/** Measures all budgets of a session in one page. */
export async function measureBudgets(
  it: BrowserBench,
  session: string,
  rounds: Rounds,
): Promise<Figures> {
  const address = `?screen=workspace&session=${session}`;
  const page = await openPage(it, { at: address });
  await shown(page);
  const best = (what: Budget, measure: () => Promise<number>): Promise<number> =>
    bestOf(measure, rounds.until === "held" ? LIMITS[what] : 0);
  const firstRow = await best("firstRow", () =>
    firstRowTime(page, `${it.server.origin}/${address}`),
  );
  await shown(page);
  const payload = await number(page, sizeOf("answers"));
  const code = await number(page, sizeOf("code"));
  const figures = {
    ...{ firstRow, payload, code },
    elements: await mostElements(page),
    blank: await best("blank", () => number(page, LONGEST_BLANK)),
    branchSwitch: await best("branchSwitch", () => switchTime(page)),
    window: await best("window", () => windowTime(it, session)),
    key: await keyInComposer(page, best),
    searchKey: await keyInSearch(page, best),
    heap: Math.round((await number(page, "performance.memory.usedJSHeapSize")) / 1e6),
  };
  await page.context().close();
  return figures;
}

const number = async (page: Page, code: string): Promise<number> =>
  Number(await page.evaluate(code));

async function shown(page: Page): Promise<void> {
  await page.locator(".entry[data-entry]").first().waitFor();
  await page.locator(".tree-row .tree-text:not(.waiting)").first().waitFor();
}

async function bestOf(measure: () => Promise<number>, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && least > enough; round++) {
    least = Math.min(least, await measure());
  }
  return Math.round(least);
}

async function firstRowTime(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: "commit" });
  // By the page's own clock: asking for it from here takes as long again.
  return await number(
    page,
    `new Promise((resolve) => {
      const look = () => document.querySelector(".entry[data-entry]") === null
        ? requestAnimationFrame(look) : resolve(performance.now());
      look();
    })`,
  );
}

/** kB that came over the line for the first view, packed: answers of the server, or the page's own code. */
const sizeOf = (what: "answers" | "code"): string => `Math.round(performance.getEntries()
  .filter(({ entryType }) => entryType === "resource" || entryType === "navigation")
  .filter(({ name }) => name.includes("/api/") === ${what === "answers"} && !name.includes("/rows?"))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000)`;

/** At the end, in the middle and at the start of the path. */
async function mostElements(page: Page): Promise<number> {
  let most = 0;
  for (const share of [1, 0.5, 0]) {
    await page.evaluate(`(() => {
      const scroller = document.querySelector(".transcript-scroll");
      scroller.scrollTop = scroller.scrollHeight * ${share};
    })()`);
    await page.locator(".entry[data-entry]").first().waitFor();
    most = Math.max(most, await number(page, 'document.querySelectorAll("*").length'));
  }
  return most;
}

/** Scrolls from the end upwards, a screen in five frames: the longest time without a row in the middle. */
const LONGEST_BLANK = `(async () => {
  const scroller = document.querySelector(".transcript-scroll");
  scroller.scrollTop = scroller.scrollHeight;
  const box = scroller.getBoundingClientRect();
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let longest = 0;
  let since = null;
  for (let step = 0; step < 150; step++) {
    scroller.scrollTop -= box.height / 5;
    await frame();
    const now = performance.now();
    const rows = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const isShown = rows.some((one) => one.matches(".entry[data-entry], .entry[data-entry] *, .row-place"))
      && !rows.some((one) => one.matches(".entry.waiting"));
    since = isShown ? null : (since ?? now);
    if (since !== null) longest = Math.max(longest, now - since);
  }
  return longest;
})()`;

/** From the click on "Move here" to the frame that shows the other branch. */
async function switchTime(page: Page): Promise<number> {
  await page.locator(".tree-row.left:not(:has(.pill))").last().click();
  await page.locator(".chosen-bar").waitFor();
  const time = await number(
    page,
    `(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const last = () => [...document.querySelectorAll("[data-entry]")].at(-1)?.dataset.entry;
      const before = last();
      const since = performance.now();
      document.querySelector(".chosen-bar .primary").click();
      while ((last() ?? before) === before && performance.now() - since < 10000) await frame();
      await frame();
      return performance.now() - since;
    })()`,
  );
  await page.locator(".toast .icon-button").click();
  return time;
}

/** One window of the path, as the page asks for it. */
async function windowTime(it: BrowserBench, session: string): Promise<number> {
  const since = performance.now();
  const answer = await fetch(`${it.server.origin}/api/sessions/${session}/path?before=59&after=0`, {
    headers: { authorization: `Bearer ${it.server.token}` },
  });
  await answer.arrayBuffer();
  return performance.now() - since;
}

/** Time from a key to the frame that shows it. */
async function keyTime(page: Page, key: string): Promise<number> {
  await page.evaluate(`void (window.shown = new Promise((resolve) =>
    addEventListener("keydown", () => {
      const since = performance.now();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - since)));
    }, { once: true, capture: true })))`);
  await page.keyboard.press(key);
  return await number(page, "window.shown");
}

type Best = (what: Budget, measure: () => Promise<number>) => Promise<number>;

async function keyInComposer(page: Page, best: Best): Promise<number> {
  await page.locator(".composer textarea").click();
  return await best("key", () => keyTime(page, "a"));
}

async function keyInSearch(page: Page, best: Best): Promise<number> {
  let asked = performance.now();
  page.on("request", () => {
    asked = performance.now();
  });
  await page.locator(".tree-head input").click();
  await page.keyboard.type("me");
  await page.locator(".tree-head [role=status]").waitFor();
  // The texts of all entries come first.
  await until("all texts are here", async () => performance.now() - asked > 600);
  const keys = ["r", "Backspace", "a", "Backspace"];
  let at = 0;
  return await best("searchKey", () => keyTime(page, keys[at++ % keys.length] ?? "r"));
}
