import { spawnSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import path from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "./open-browser.ts";
import { openServer, type ServerOptions, type TestServer } from "./open-server.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** A browser and a server for one file of tests. */
export interface BrowserBench {
  readonly browser: Browser;
  /** Tests that restart the server put the new one here. */
  server: TestServer;
  /** What went wrong in any page: uncaught errors and refusals of the content policy. */
  readonly faults: string[];
  readonly close: () => Promise<void>;
}

/** The bench, or why these tests cannot run here. Builds the page where it is older than its sources. */
export async function openBench(options: ServerOptions = {}): Promise<BrowserBench | string> {
  const browser = await openBrowser();
  if (typeof browser === "string") return browser;
  let server: TestServer;
  try {
    buildPage();
    server = await openServer(options);
  } catch (error) {
    // A browser that stays open keeps the tests from ending.
    await browser.close();
    throw error;
  }
  const close = async (): Promise<void> => {
    await browser.close();
    await bench.server.stop();
  };
  const bench: BrowserBench = { browser, server, faults: [], close };
  return bench;
}

function buildPage(): void {
  const built = path.join(ROOT, "web/dist/index.html");
  const sources = globSync(["web/src/**/*.{ts,tsx,css}", "web/index.html"], { cwd: ROOT });
  const newest = Math.max(...sources.map((file) => statSync(path.join(ROOT, file)).mtimeMs));
  if (existsSync(built) && statSync(built).mtimeMs >= newest) return;
  const done = spawnSync(process.execPath, ["build.ts"], {
    cwd: path.join(ROOT, "web"),
    encoding: "utf8",
  });
  if (done.status !== 0) throw new TypeError(`the page was not built: ${done.stderr}`);
}

/** Where a page begins. */
export interface PageOptions extends BrowserContextOptions {
  /** Query of the address, with its `?`. */
  readonly at?: string;
}

/** A page in a browser profile of its own, logged in. */
export async function openPage(bench: BrowserBench, options: PageOptions = {}): Promise<Page> {
  const { at = "", ...context } = options;
  const profile = await bench.browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: "en-US",
    ...context,
  });
  const page = await profile.newPage();
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (error) => bench.faults.push(String(error.stack)));
  page.on("console", (message) => {
    if (/Content.Security.Policy|TrustedHTML|TrustedScript/i.test(message.text())) {
      bench.faults.push(message.text());
    }
  });
  await page.goto(`${bench.server.origin}/${at}#token=${bench.server.token}`);
  await page.locator(".shell").waitFor();
  return page;
}

/** Asks again and again until the answer is true. Throws after 20 s with what was waited for. */
export async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (Date.now() < end) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new TypeError(`never came true: ${what}`);
}

/** A new session by the page's own button. */
export async function newSession(page: Page): Promise<string> {
  await page.getByRole("button", { name: "New session" }).first().click();
  await page.locator(".composer textarea").waitFor();
  return new URL(page.url()).searchParams.get("session") ?? "";
}

/** Writes into the composer and waits until the run has ended. */
export async function ask(page: Page, words: string): Promise<void> {
  await page.locator(".composer textarea").fill(words);
  await page.keyboard.press("Enter");
  await page.locator(".entry.role-user", { hasText: words }).first().waitFor();
  await page.locator(".composer .button.danger").waitFor({ state: "detached" });
  await until("the answer is an entry", async () => {
    const last = page.locator(".entry[data-entry]").last();
    return (await last.getAttribute("class"))?.includes("role-assistant") ?? false;
  });
}

/** Calls the API as the page would, from outside. */
export async function api<T>(bench: BrowserBench, path: string, body?: unknown): Promise<T> {
  const response = await fetch(bench.server.origin + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${bench.server.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new TypeError(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
