/**
 * Pictures of the five screens in both themes and languages, and of the phone, for the documents.
 *
 * Run: `node test/browser/take-screens.ts [FOLDER]`, default docs/screens.
 */
import { cp, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { type BrowserBench, openBench, until } from "./browser-bench.ts";
import { answerFont } from "./open-browser.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const SESSION = "01a22905-0d4a-73a2-9570-667c162ee480";
const SCREENS = ["library", "workspace", "context", "compare", "health"] as const;

async function opened(bench: BrowserBench, options: BrowserContextOptions): Promise<Page> {
  const profile = await bench.browser.newContext(options);
  const page = await profile.newPage();
  await answerFont(page);
  await page.goto(`${bench.server.origin}/?font=noto#token=${bench.server.token}`);
  await page.locator(".session-row").first().waitFor();
  return page;
}

/** Fonts come piece by piece; a picture waits for the last one. */
async function settled(page: Page): Promise<void> {
  await until("nothing loads", async () => (await page.locator(".loading").count()) === 0);
  await page.evaluate(`(async () => {
    await document.fonts.ready;
    document.body.hidden = true;
    document.body.getBoundingClientRect();
    document.body.hidden = false;
    await new Promise((resolve) => setTimeout(resolve, 600));
    await document.fonts.ready;
  })()`);
}

interface Pictures extends BrowserContextOptions {
  readonly folder: string;
  /** Last part of the names of the files. */
  readonly name: string;
}

async function take(bench: BrowserBench, { folder, name, ...options }: Pictures): Promise<void> {
  const page = await opened(bench, options);
  for (const screen of SCREENS) {
    await page.goto(`${bench.server.origin}/?screen=${screen}&session=${SESSION}&font=noto`);
    await page.locator("main").waitFor();
    await settled(page);
    await page.screenshot({ path: path.join(folder, `${screen}-${name}.png`) });
  }
  await page.context().close();
}

async function main(): Promise<void> {
  const folder = path.resolve(process.argv[2] ?? path.join(ROOT, "docs/screens"));
  const root = await mkdtemp(path.join(tmpdir(), "branchline-pictures-"));
  await cp(path.join(ROOT, "examples/sessions"), root, { recursive: true });
  const bench = await openBench({ root });
  if (typeof bench === "string") return console.log(bench);
  await mkdir(folder, { recursive: true });
  try {
    await takeAll(bench, folder);
  } finally {
    await bench.close();
  }
}

async function takeAll(bench: BrowserBench, folder: string): Promise<void> {
  const desk = { viewport: { width: 1280, height: 800 } };
  const phone = { viewport: { width: 390, height: 844 } };
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [name, locale] of [
      ["en", "en-US"],
      ["zh", "zh-CN"],
    ] as const) {
      await take(bench, { folder, name: `${colorScheme}-${name}`, ...desk, colorScheme, locale });
    }
  }
  await take(bench, { folder, name: "phone", ...phone, colorScheme: "light", locale: "en-US" });
}

await main();
