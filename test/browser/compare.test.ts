import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { DiffSide, DiffView } from "../../src/protocol/operation.ts";
import { ask, newSession, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";

const browserTest = browserTests();

/** A session with one question asked in three ways. */
async function threeWays(page: Page): Promise<string> {
  const session = await newSession(page);
  await ask(page, "the first way");
  for (const [before, words] of [
    ["the first way", "the second way"],
    ["the second way", "the third way"],
  ] as const) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("e");
    const field = page.locator(".composer textarea");
    await until("the question is there", async () => (await field.inputValue()) === before);
    await ask(page, words);
  }
  return session;
}

const sides = (page: Page, words: string) => page.locator(".diff-side", { hasText: words });

browserTest("S4: three branches side by side, chosen by address, buttons and keys", async (it) => {
  const page = await openPage(it);
  const session = await threeWays(page);
  await page.goto(`${it.server.origin}/?screen=compare&session=${session}`);
  await page.locator(".diff-row.changed").first().waitFor();
  assert.equal(await page.locator(".side-head").count(), 2);
  await page.getByRole("button", { name: "Add a branch" }).click();
  await until("three columns", async () => (await page.locator(".side-head").count()) === 3);
  for (const words of ["the first way", "the second way", "the third way"]) {
    await sides(page, words).first().waitFor();
  }
  assert.ok(new URL(page.url()).searchParams.has("c"));
  await page.reload();
  await until("three columns", async () => (await page.locator(".side-head").count()) === 3);
  await page.keyboard.press("3");
  await page.locator('.side-head.chosen [aria-label="Branch C"]').waitFor();
  await page.keyboard.press("n");
  await page.locator(".row-place.current").waitFor();
  for (const mode of ["context", "files", "numbers"]) {
    await page.keyboard.press("v");
    await until(mode, async () => new URL(page.url()).searchParams.get("mode") === mode);
  }
  await page.locator("th", { hasText: "Branch C" }).waitFor();
  await page.getByRole("button", { name: "Take branch C out" }).click();
  await until("two names", async () => (await page.locator("thead th").count()) === 3);
  await page.context().close();
});

browserTest("S4: on a phone one column at a time, changed by its letter", async (it) => {
  const page = await openPage(it);
  const session = await threeWays(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${it.server.origin}/?screen=compare&session=${session}`);
  await page.locator(".diff-row.changed").first().waitFor();
  const shown = async (): Promise<string> =>
    (
      await page.locator(".diff-row.changed").first().locator(".diff-side:visible").allInnerTexts()
    ).join("|");
  const first = await shown();
  assert.equal(first.split("|").length, 1);
  await page.locator(".column-switch button", { hasText: "A" }).click();
  await until("the other column", async () => (await shown()) !== first);
  const box = await page.locator(".column-switch button").first().boundingBox();
  assert.ok((box?.height ?? 0) >= 40 && (box?.width ?? 0) >= 44);
  const width: number = await page.evaluate("document.documentElement.scrollWidth");
  assert.ok(width <= 390, `nothing sticks out: ${width}`);
  await page.context().close();
});

browserTest("S4: what is not laid out and what is equal are said", async (it) => {
  const page = await openPage(it);
  const session = await threeWays(page);
  await page.route("**/diff?*", async (route) => {
    const leaf = new URL(route.request().url()).searchParams.get("b") ?? "";
    await route.fulfill({ json: longDiff(leaf) });
  });
  await page.goto(`${it.server.origin}/?screen=compare&session=${session}&a=~2&b=~4&c=~6`);
  await page.locator(".cut-note", { hasText: "The newest 2 of 9,000 entries" }).first().waitFor();
  await page.locator(".chip", { hasText: "same as A" }).first().waitFor();
  await page.locator(".chip", { hasText: "not in all" }).first().waitFor();
  await page.context().close();
});

/** A comparison of which only the newest rows are here. */
function longDiff(leaf: string): DiffView {
  const side = (text: string): DiffSide => ({ entry: text, role: "user", text, tokens: 1 });
  const totals = {
    ...{ leaf, turns: 9, entries: 9000, tokens: 1, cost: null, stopReason: null, files: [] },
    ...{ labels: [], durationMs: null, shown: 2 },
  };
  const isFirst = leaf === "~4";
  return {
    ...{ mode: "turns", meeting: "m", shared: 4, truncated: true, cacheBreak: -1 },
    ...{ a: totals, b: totals },
    rows: [
      {
        kind: isFirst ? "changed" : "same",
        left: side("one"),
        right: side(isFirst ? "two" : "one"),
      },
      isFirst
        ? { kind: "same", left: side("x"), right: side("x") }
        : { kind: "left", left: side("x"), right: null },
    ],
  };
}
