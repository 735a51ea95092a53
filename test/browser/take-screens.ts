/**
 * Pictures of the five screens in both themes and languages, and of the phone, for the documents.
 *
 * Run: `node test/browser/take-screens.ts [FOLDER]`, default docs/screens.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { SessionPage } from "../../src/protocol/session.ts";
import type { PathWindow } from "../../src/protocol/tree.ts";
import { api, type BrowserBench, openBench, until } from "./browser-bench.ts";
import { answerFont } from "./open-browser.ts";
import { smallPng } from "./small-png.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const SCREENS = ["library", "workspace", "context", "compare", "health"] as const;

type Screen = (typeof SCREENS)[number];

/** Part of the name of the sample that a screen shows best, by language. */
const SAMPLES: Readonly<Record<Screen, { readonly en: string; readonly zh: string }>> = {
  library: { en: "Bug hunt", zh: "方案 A 还是方案 B" },
  workspace: { en: "Bug hunt", zh: "方案 A 还是方案 B" },
  context: { en: "Long session", zh: "Long session" },
  compare: { en: "Bug hunt", zh: "方案 A 还是方案 B" },
  health: { en: "Bug hunt", zh: "方案 A 还是方案 B" },
};

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
  readonly language: "en" | "zh";
  /** Last part of the names of the files. */
  readonly name: string;
  readonly screens: readonly Screen[];
}

async function take(bench: BrowserBench, pictures: Pictures): Promise<void> {
  const { folder, name, language, screens, ...options } = pictures;
  const locale = language === "zh" ? "zh-CN" : "en-US";
  const page = await opened(bench, { ...options, locale });
  const { sessions } = await api<SessionPage>(bench, "/api/sessions?limit=200");
  for (const screen of screens) {
    const wanted = SAMPLES[screen][language];
    const session = sessions.find((row) => row.name?.includes(wanted))?.id ?? "";
    const at = screen === "workspace" ? await forkOf(bench, session) : "";
    await page.goto(`${bench.server.origin}/?screen=${screen}&session=${session}&font=noto${at}`);
    await page.locator("main").waitFor();
    await settled(page);
    if (screen === "library" && options.isMobile !== true) await showPreview(page, wanted);
    const png = smallPng(await page.screenshot());
    const file = path.join(folder, `${screen}-${name}.png`);
    await writeFile(file, png);
    console.log(`${path.basename(file)} ${Math.round(png.length / 1000)} kB`);
  }
  await page.context().close();
}

/** Part of the address: the first entry behind the first fork, where the switch of alternatives stands. */
async function forkOf(bench: BrowserBench, session: string): Promise<string> {
  const { rows } = await api<PathWindow>(bench, `/api/sessions/${session}/path?before=199&after=0`);
  const fork = rows.find(({ siblings }) => siblings.length > 1);
  return fork === undefined ? "" : `&entry=${fork.id}`;
}

async function showPreview(page: Page, wanted: string): Promise<void> {
  await page.locator(".session-row .session-main", { hasText: wanted }).first().focus();
  await page.locator(".preview-rows").waitFor();
  await settled(page);
}

async function main(): Promise<void> {
  const folder = path.resolve(process.argv[2] ?? path.join(ROOT, "docs/screens"));
  const bench = await openBench({ samples: true });
  if (typeof bench === "string") return console.log(bench);
  await mkdir(folder, { recursive: true });
  try {
    await takeAll(bench, folder);
  } finally {
    await bench.close();
  }
}

async function takeAll(bench: BrowserBench, folder: string): Promise<void> {
  const desk = { viewport: { width: 1280, height: 800 }, folder, screens: SCREENS };
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, folder };
  for (const colorScheme of ["light", "dark"] as const) {
    for (const language of ["en", "zh"] as const) {
      const name = `${colorScheme}-${language}`;
      await take(bench, { ...desk, name, language, colorScheme });
    }
  }
  const screens = ["library", "workspace", "context"] as const;
  await take(bench, { ...phone, screens, name: "phone-en", language: "en", colorScheme: "light" });
  await take(bench, { ...phone, screens, name: "phone-zh", language: "zh", colorScheme: "dark" });
}

await main();
