import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import chromium from "@sparticuz/chromium";
import { type Browser, type Page, chromium as playwright } from "playwright-core";

/** Started without a sandbox (the tests may run as root), without a graphics card and without calls of its own. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--no-zygote",
  "--font-render-hinting=none",
  "--enable-precise-memory-info",
];

/** Where Debian puts its browser: used when the one of the package does not start. */
const DEBIAN = "/usr/bin/chromium";

/** A browser, or why there is none. The caller closes it. */
export async function openBrowser(): Promise<Browser | string> {
  const reasons: string[] = [];
  for (const find of [fromEnvironment, fromPackage, fromDebian]) {
    try {
      const executablePath = await find();
      if (executablePath === undefined) continue;
      return await playwright.launch({ executablePath, args: FLAGS, headless: true });
    } catch (error) {
      reasons.push(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error));
    }
  }
  return `no browser: ${reasons.join("; ") || "none found"}`;
}

const fromEnvironment = (): string | undefined => process.env.BRANCHLINE_BROWSER;
const fromPackage = (): Promise<string> => chromium.executablePath();
const fromDebian = (): string | undefined => (existsSync(DEBIAN) ? DEBIAN : undefined);

const FONT_TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  woff2: "font/woff2",
  woff: "font/woff",
};

/** Answers the page's request for a Chinese web font (`?font=noto`) from the package of the tests. */
export async function answerFont(page: Page): Promise<void> {
  const require = createRequire(new URL("../../web/package.json", import.meta.url));
  const folder = path.dirname(require.resolve("@fontsource/noto-sans-sc/index.css"));
  await page.route("**/test-font/**", async (route) => {
    const name = new URL(route.request().url()).pathname.replace("/test-font/", "");
    const weights = ["400.css", "500.css", "700.css"].map((file) => path.join(folder, file));
    const body =
      name === "noto.css"
        ? Buffer.concat(await Promise.all(weights.map((file) => readFile(file))))
        : await readFile(path.join(folder, "files", path.basename(name)));
    const contentType = FONT_TYPES[path.extname(name).slice(1)] ?? "application/octet-stream";
    await route.fulfill({ body, contentType });
  });
}
