import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import type { SessionPage } from "../../src/protocol/session.ts";
import { api, ask, newSession, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";
import { madeSession, rowOf } from "./library-rows.ts";

const browserTest = browserTests();

const ROOT = path.resolve(import.meta.dirname, "../..");

const rowsLeft = (page: Page, count: number): Promise<void> =>
  until(`${count} rows`, async () => (await page.locator(".session-row").count()) === count);

/** A page of the library in which one session has all that a row can show. */
function marked(
  page: SessionPage,
  at: { readonly session: string; readonly url: URL },
): SessionPage {
  const flags = { diverged: 1, secrets: 1, running: 1, unread: 0 };
  const narrowed = at.url.searchParams.has("label") || at.url.searchParams.has("secrets");
  const sessions = page.sessions
    .filter(({ id }) => !narrowed || id === at.session)
    .map((row) =>
      row.id !== at.session
        ? row
        : {
            ...row,
            ...{ labels: ["decided", "later"], diverged: true, secrets: 2 },
            running: "elsewhere" as const,
          },
    );
  const labels = [{ value: "decided", count: 1 }];
  return { ...page, sessions, facets: { ...page.facets, labels, flags } };
}

browserTest(
  "S1: labels, flags and marks of rows; the address is the state, chips take it away",
  async (it) => {
    const page = await openPage(it);
    const session = await madeSession(page, "with everything");
    await madeSession(page, "with nothing");
    const asked: URL[] = [];
    // An index that knows labels and secrets is a matter of the server; here the page is looked at.
    await page.route("**/api/sessions?*", async (route) => {
      const url = new URL(route.request().url());
      const response = await route.fetch({ url: `${url.origin}${url.pathname}?limit=100` });
      asked.push(url);
      await route.fulfill({ json: marked(await response.json(), { session, url }) });
    });
    await page.reload();
    const row = rowOf(page, "with everything");
    await row.locator(".flag", { hasText: "decided" }).waitFor();
    await row.locator(".state-dot.running", { hasText: "A run of another program" }).waitFor();
    await row.locator(".chip", { hasText: "Diverged" }).waitFor();
    await row.locator(".chip", { hasText: "2 secrets" }).waitFor();
    assert.equal(await rowOf(page, "with nothing").locator(".state-dot, .chip").count(), 0);
    await page.locator(".facets button", { hasText: "decided" }).click();
    await page.locator(".filter-chip.flag-secrets").click();
    await rowsLeft(page, 1);
    const { searchParams } = new URL(page.url());
    assert.deepEqual(
      [searchParams.get("label"), searchParams.get("flags")],
      ["decided", "secrets"],
    );
    await until("the server was asked for both", async () => {
      const last = asked.at(-1)?.searchParams;
      return last?.get("label") === "decided" && last.get("secrets") === "1";
    });
    await page.reload();
    await rowsLeft(page, 1);
    await page.locator(".filter-chip.chosen", { hasText: "decided" }).click();
    await page.locator(".filter-chip.flag-secrets[aria-pressed=true]").click();
    await rowOf(page, "with nothing").waitFor();
    const rest = new URL(page.url()).searchParams;
    assert.deepEqual([rest.has("label"), rest.has("flags")], [false, false]);
    await page.context().close();
  },
);

browserTest("S1: a filter that nothing fits says so and is taken away", async (it) => {
  const page = await openPage(it, { at: "?project=%2Fnowhere" });
  await page.locator(".empty", { hasText: "Nothing fits" }).waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.locator(".session-row").first().waitFor();
  await page.locator(".facets button", { hasText: "Archived" }).click();
  await page.locator(".empty", { hasText: "The archive is empty" }).waitFor();
  await page.context().close();
});

browserTest(
  "S1: what came while nobody looked has a mark, a filter, and is seen when opened",
  async (it) => {
    const page = await openPage(it);
    const session = await madeSession(page, "to be continued");
    await until("it was seen", async () => {
      const { sessions } = await api<SessionPage>(it, "/api/sessions");
      return sessions.find(({ id }) => id === session)?.unread === 0;
    });
    assert.equal(await rowOf(page, "to be continued").locator(".state-dot.unread").count(), 0);
    await api(it, `/api/sessions/${session}/runs`, { text: "behind your back", mode: "run" });
    const dot = rowOf(page, "to be continued").locator(".state-dot.unread");
    await dot.waitFor();
    assert.match((await dot.textContent()) ?? "", /new to you/);
    await page.locator(".filter-chip.flag-unread").click();
    await rowsLeft(page, 1);
    assert.equal(new URL(page.url()).searchParams.get("flags"), "unread");
    await rowOf(page, "to be continued").locator(".session-main").click();
    await page.locator(".entry", { hasText: "behind your back" }).first().waitFor();
    await until("it was seen", async () => {
      const { sessions } = await api<SessionPage>(it, "/api/sessions");
      return sessions.find(({ id }) => id === session)?.unread === 0;
    });
    await page.context().close();
  },
);

browserTest("S1: on a phone the filters are a sheet", async (it) => {
  const page = await openPage(it, { viewport: { width: 390, height: 844 } });
  await page.locator(".session-row").first().waitFor();
  await page.getByRole("button", { name: "Filters" }).click();
  await page.locator("dialog .facets button", { hasText: "Last 7 days" }).click();
  await page.keyboard.press("Escape");
  assert.equal(new URL(page.url()).searchParams.get("days"), "7");
  const width: number = await page.evaluate("document.documentElement.scrollWidth");
  assert.ok(width <= 390, `nothing sticks out: ${width}`);
  await page.context().close();
});

browserTest(
  "the development server shows the page of a running server and may change things",
  async (it) => {
    const child = spawn(process.execPath, ["dev-server.ts"], {
      cwd: path.join(ROOT, "web"),
      env: { ...process.env, BRANCHLINE_URL: it.server.address },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const address = await new Promise<string>((resolve) => {
        createInterface({ input: child.stdout }).on("line", (line) => {
          if (line.startsWith("http")) resolve(line);
        });
      });
      const profile = await it.browser.newContext();
      const page = await profile.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(address);
      await page.locator(".session-row").first().waitFor();
      await newSession(page);
      await ask(page, "through the proxy");
      await profile.close();
    } finally {
      child.kill();
    }
  },
);
