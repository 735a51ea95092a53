import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { ExportOptions } from "../../src/export/export.ts";
import { exportTemplate } from "../../web/export-template.ts";
import { PAYLOADS, sessionWithAll } from "../builders/hostile-entries.ts";
import { longSession } from "../builders/long-session.ts";
import { NOTE_FIRST_ROW, OPEN_MS, writePage } from "./exported-page.ts";
import { openBrowser } from "./open-browser.ts";

const MOST_NODES = 1500;

let browser: Browser | undefined;
let reason: string | false = false;
let template = "";
const folder = mkdtempSync(path.join(tmpdir(), "branchline-export-"));

before(async () => {
  const opened = await openBrowser();
  if (typeof opened === "string") {
    reason = opened;
    console.error(`SKIPPED: ${reason}`);
    return;
  }
  browser = opened;
  template = await exportTemplate();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a session's page to disk. */
const pageFile = (text: string, options?: Partial<ExportOptions>): Promise<string> =>
  writePage({ folder, template, text }, options);

/** Waits for an expression in the page; the policy forbids Playwright's own way, which evaluates text there. */
async function until(page: Page, expression: string): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await page.evaluate(expression))) {
    if (performance.now() > end) throw new TypeError(`never true: ${expression}`);
    await page.waitForTimeout(10);
  }
}

interface Opened {
  readonly page: Page;
  /** Requests other than the file, errors, refusals of the policy. */
  readonly troubles: string[];
}

/** Opens a page from disk and waits for its first row. */
async function openPage(file: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await (browser as Browser).newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
    ...options,
  });
  const page = await context.newPage();
  await page.addInitScript(NOTE_FIRST_ROW);
  const troubles: string[] = [];
  const { href } = pathToFileURL(file);
  page.on("request", (request) => {
    const url = request.url();
    if (url !== href && !url.startsWith(`${href}#`) && !url.startsWith("data:"))
      troubles.push(`request ${url}`);
  });
  page.on("pageerror", (error) => troubles.push(`error ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(`console ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    troubles.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(href, { waitUntil: "commit" });
  await page.waitForSelector(".row-place .entry[data-entry]");
  return { page, troubles };
}

/** Runs in the page: what would be alive if a text had become markup. */
const LIVE_PARTS = `(() => {
  const found = [];
  const alien = ["iframe", "object", "embed", "base", "link", "math", "form", "meta"];
  for (const one of document.body.querySelectorAll("*")) {
    const name = one.localName;
    if (name === "script" && one.parentElement !== document.body) found.push("script");
    if (name === "style" || alien.includes(name)) found.push(name);
    for (const { name: attribute, value } of one.attributes) {
      if (attribute.startsWith("on")) found.push(name + " " + attribute);
      const isAddress = ["href", "src", "srcdoc", "action", "xlink:href"].includes(attribute);
      const isAllowed = name === "a" ? /^(https?:|mailto:|#)/ : /^(data:image\\/)/;
      if (isAddress && !isAllowed.test(value)) found.push(name + " " + attribute + "=" + value);
    }
  }
  if ("hit" in window) found.push("ran: " + window.hit);
  return found;
})()`;

/** Must be empty. */
const liveParts = (page: Page): Promise<readonly string[]> => page.evaluate<string[]>(LIVE_PARTS);

/** Goes through all rows with everything opened. */
async function throughAllRows(page: Page, look: () => Promise<void>): Promise<number> {
  const seen = new Set<string>();
  await page.keyboard.press("t");
  await page.keyboard.press("o");
  await page.evaluate(`document.querySelector("[data-transcript]").scrollTo(0, 0)`);
  for (let step = 0; step < 60; step++) {
    await page.waitForTimeout(30);
    for (const id of await page.$$eval("[data-entry]", (all) =>
      all.map((one) => one.getAttribute("data-entry") ?? ""),
    )) {
      seen.add(id);
    }
    await page.$$eval("details", (all) => {
      for (const one of all) one.setAttribute("open", "");
    });
    await look();
    const isEnd = await page.evaluate(`(() => {
      const scroller = document.querySelector("[data-transcript]");
      const before = scroller.scrollTop;
      scroller.scrollBy(0, 500);
      return scroller.scrollTop === before;
    })()`);
    if (isEnd) break;
  }
  return seen.size;
}

test("S5, S6: every text of every entry hostile: nothing lives, nothing is asked of a network", async (t) => {
  if (reason !== false) return t.skip(reason);
  for (const payload of PAYLOADS) {
    const { page, troubles } = await openPage(await pageFile(sessionWithAll(payload)));
    const rows = await throughAllRows(page, async () => {
      assert.deepEqual(await liveParts(page), [], payload);
    });
    assert.ok(rows >= 12, `${rows} rows seen`);
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.waitForTimeout(100);
    assert.deepEqual(await liveParts(page), [], payload);
    assert.deepEqual(troubles, [], payload);
    await page.context().close();
  }
});

test("the policy of the page refuses a script that gets in all the same", async (t) => {
  if (reason !== false) return t.skip(reason);
  const { page, troubles } = await openPage(await pageFile(longSession(20)));
  await page.evaluate(`(() => {
    const script = document.createElement("script");
    try {
      script.textContent = "window.hit = 1";
    } catch (error) {
      console.error(String(error));
    }
    document.body.append(script);
    const image = document.createElement("img");
    image.src = "https://evil.example/x.png";
    document.body.append(image);
  })()`);
  await page.waitForTimeout(100);
  assert.equal(await page.evaluate(`"hit" in window`), false);
  assert.deepEqual(await liveParts(page), ["img src=https://evil.example/x.png"]);
  assert.ok(troubles.some((one) => /Content Security Policy|TrustedScript/i.test(one)));
  await page.context().close();
});

test("10,000 entries: the page opens in time, stays small, switches branches, searches", async (t) => {
  if (reason !== false) return t.skip(reason);
  const file = await pageFile(longSession(10_000));
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const { page } = await openPage(file);
    times.push(await page.evaluate<number>("window.firstRow"));
    await page.context().close();
  }
  const { page, troubles } = await openPage(file);
  const count = (): Promise<number> =>
    page.evaluate<number>(`document.querySelectorAll("*").length`);
  assert.ok((await count()) <= MOST_NODES);
  const LAST = `[...document.querySelectorAll("[data-entry]")].at(-1)?.dataset.entry`;
  const last = (): Promise<string> => page.evaluate<string>(LAST);
  const before = await last();
  const start = performance.now();
  await page.locator(".tree-row.left:not(:has(.pill))").first().click();
  await page.getByRole("button", { name: "Show this path" }).click();
  await until(page, `${LAST} !== ${JSON.stringify(before)}`);
  const switched = performance.now() - start;
  await page.getByRole("searchbox").fill("question 4321 ");
  await until(page, `[1, 2, 3].includes(document.querySelectorAll(".tree-row").length)`);
  assert.ok((await count()) <= MOST_NODES);
  assert.deepEqual(troubles, []);
  await page.context().close();
  const best = Math.min(...times);
  console.log(
    `opens in ${times.map((ms) => ms.toFixed(0)).join(", ")} ms; branch switch with two clicks ${switched.toFixed(0)} ms`,
  );
  assert.ok(best <= OPEN_MS, `${best} ms`);
});

test("a link to an entry opens there; 中文, dark, phone: everything in the file itself", async (t) => {
  if (reason !== false) return t.skip(reason);
  const file = await pageFile(longSession(400), { scope: "path" });
  const { page, troubles } = await openPage(file, {
    locale: "zh-CN",
    colorScheme: "dark",
    viewport: { width: 390, height: 800 },
  });
  assert.equal(await page.evaluate(`document.documentElement.lang`), "zh-CN");
  assert.equal(await page.evaluate(`document.documentElement.dataset.theme`), "dark");
  await page.getByRole("button", { name: "会话树" }).click();
  await page.waitForSelector("dialog [role=treeitem]");
  const place = Number(await page.locator("dialog [role=treeitem]").count());
  assert.ok(place > 0);
  await page.goto(`${pathToFileURL(file).href}#entry=~5`);
  await page.reload();
  await page.waitForSelector(".entry.chosen");
  assert.deepEqual(troubles, []);
  await page.context().close();
});

/** Two turns, a compaction that keeps the second, one more turn, and another second question. */
function compactedSession(): string {
  const timestamp = "2026-01-01T00:00:00.000Z";
  const say = (role: string, text: string): unknown => ({
    type: "message",
    message: { role, content: [{ type: "text", text }], provider: "p", model: "m" },
  });
  const rows: readonly (readonly [string, string | null, unknown])[] = [
    ["e0", null, say("user", "first question")],
    ["e1", "e0", say("assistant", "first answer")],
    ["x2", "e1", say("user", "other question")],
    ["x3", "x2", say("assistant", "other answer")],
    ["e2", "e1", say("user", "second question")],
    ["e3", "e2", say("assistant", "second answer")],
    [
      "e4",
      "e3",
      { type: "compaction", summary: "so far", firstKeptEntryId: "e2", tokensBefore: 99 },
    ],
    ["e5", "e4", { type: "context_edit", targetId: "e3", replacement: null }],
    ["e6", "e5", say("user", "third question")],
  ];
  const lines = rows.map(([id, parentId, body]) => ({ ...Object(body), id, parentId, timestamp }));
  const header = { type: "session", version: 3, id: "compacted", timestamp, cwd: "/srv/x" };
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

test("compactions open to their originals, what is not sent says so, ‹1/2› shows the other branch", async (t) => {
  if (reason !== false) return t.skip(reason);
  const { page, troubles } = await openPage(await pageFile(compactedSession()));
  const entry = (id: string) => page.locator(`[data-entry=${id}]`);
  assert.equal(await entry("e0").locator(".sent-mark").count(), 1);
  assert.equal(await entry("e3").locator(".sent-mark").count(), 1);
  assert.equal(await entry("e2").locator(".sent-mark").count(), 0);
  assert.equal(await page.getByRole("button", { name: "Uncompact" }).count(), 0);
  await entry("e4")
    .locator("button", { hasText: /originals/i })
    .click();
  assert.deepEqual(await entry("e4").locator(".original-text").allTextContents(), [
    "first question",
    "first answer",
  ]);
  await entry("e2").locator(".sibling-switch button").first().click();
  await entry("x3").waitFor();
  assert.equal(await entry("x2").locator(".sent-mark").count(), 0);
  assert.match((await entry("x2").locator(".sibling-switch").textContent()) ?? "", /1\/2/);
  assert.deepEqual(troubles, []);
  await page.context().close();
});

test("the context of any entry: what is sent, what a compaction stands for, what is hidden, along the path", async (t) => {
  if (reason !== false) return t.skip(reason);
  const { page, troubles } = await openPage(await pageFile(compactedSession()));
  const lines = (): Promise<readonly string[]> =>
    page.locator(".context-part .context-text, .unsent .context-line").allTextContents();
  await page.getByRole("button", { name: "Context", exact: true }).click();
  await page.locator(".context-part").first().waitFor();
  assert.deepEqual(await lines(), [
    "2 entries not sent: compacted",
    "so far",
    "second question",
    "1 entry not sent: hidden",
    "1 entry not sent: setting",
    "third question",
  ]);
  for (const name of ["Uncompact", "Hide", "OpenAI"]) {
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  }
  assert.match(page.url(), /#screen=context/);
  // Before the compaction everything speaks.
  await page.locator("input[type=range]").fill("1");
  await until(page, `document.querySelectorAll(".context-part").length === 2`);
  assert.deepEqual(await lines(), ["first question", "first answer"]);
  await page.keyboard.press("Escape");
  await page.locator("[data-entry=e1]").waitFor();
  await page.locator(".tree-row.left").first().click();
  await page.locator(".chosen-bar").getByRole("button", { name: "Context" }).click();
  await until(page, `document.querySelectorAll(".context-part").length >= 3`);
  assert.ok((await lines()).includes("other question"));
  assert.deepEqual(troubles, []);
  await page.context().close();
});
