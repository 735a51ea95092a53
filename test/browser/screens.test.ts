import assert from "node:assert/strict";
import { cp, mkdtemp, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { type BrowserBench, newSession, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";

const SAMPLES = path.resolve(import.meta.dirname, "../../examples/sessions");
/** A recording with branches, a compaction, a label and an image. */
const FILE = "v3-tui-branches.jsonl";

let session = "";

const browserTest = browserTests({
  prepare: async () => {
    const root = await mkdtemp(path.join(tmpdir(), "branchline-screens-"));
    await cp(path.join(SAMPLES, FILE), path.join(root, FILE));
    const [header = "{}"] = (await readFile(path.join(root, FILE), "utf8")).split("\n");
    session = JSON.parse(header).id;
    return { root };
  },
});

const SCREENS = ["library", "workspace", "context", "compare", "health"] as const;

/** What stands on each screen when it is complete. */
const SIGNS: Readonly<Record<(typeof SCREENS)[number], string>> = {
  library: ".session-row",
  workspace: ".entry.role-compaction",
  context: ".context-part",
  compare: ".diff-row.changed",
  health: ".health-word",
};

const addressOf = (screen: string): string => `?screen=${screen}&session=${session}`;

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary: string }[];
}

/** Serious findings of axe on what is shown now. */
async function findings(page: Page): Promise<readonly Finding[]> {
  const source = await readFile(
    createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
    "utf8",
  );
  await page.evaluate(source);
  const found: readonly Finding[] = await page.evaluate(
    "axe.run().then(({ violations }) => violations)",
  );
  return found.filter(({ impact }) => impact === "serious" || impact === "critical");
}

const worded = (found: readonly Finding[]): string[] =>
  found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ target, failureSummary }) => `${target} ${failureSummary}`)
        .slice(0, 4)
        .join(" | ")}`,
  );

for (const colorScheme of ["light", "dark"] as const) {
  for (const screen of SCREENS) {
    browserTest(`${screen}, ${colorScheme}: complete, axe finds nothing serious`, async (it) => {
      const page = await openPage(it, { at: addressOf(screen), colorScheme });
      await page.locator(SIGNS[screen]).first().waitFor();
      assert.deepEqual(worded(await findings(page)), []);
      await page.context().close();
    });
  }
}

browserTest(
  "中文: every screen speaks Chinese when the browser does, and the switch changes it",
  async (it) => {
    const page = await openPage(it, { locale: "zh-CN" });
    for (const screen of SCREENS) {
      await page.goto(`${it.server.origin}/${addressOf(screen)}`);
      await page.locator(SIGNS[screen]).first().waitFor();
      assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
      const texts = await labelsOf(page);
      const english = texts.filter((text) => /^[A-Z][a-z]+(?: [a-z]+)+$/.test(text));
      assert.deepEqual(english, [], `${screen}: English labels on a Chinese page`);
    }
    await page.getByRole("button", { name: "English" }).click();
    await page
      .getByRole("button", { name: "Copy" })
      .or(page.getByText("File health"))
      .first()
      .waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    await page.context().close();
  },
);

/** Names of buttons and headings, but for data and the name of the product. */
async function labelsOf(page: Page): Promise<string[]> {
  const names = await page
    .locator(".left-rail button, h1, .segments button, .button")
    .allInnerTexts();
  return names.map((name) => name.trim()).filter((name) => name !== "" && name !== "Branchline");
}

browserTest("phone: one column, the tree is a sheet, targets have 44 px", async (it) => {
  const page = await openPage(it, {
    at: addressOf("workspace"),
    viewport: { width: 390, height: 844 },
  });
  await page.locator(".entry[data-entry]").first().waitFor();
  assert.equal(await page.locator(".tree-pane").isVisible(), false);
  await page.locator(".tree-sheet-button button").click();
  const row = page.locator("dialog .tree-row").first();
  await row.waitFor();
  assert.ok(((await row.boundingBox())?.height ?? 0) >= 44);
  for (const place of [".left-rail button", ".composer .icon-button", "dialog .segments button"]) {
    const box = await page.locator(place).first().boundingBox();
    assert.ok((box?.height ?? 0) >= 44, `${place} ${box?.height}`);
  }
  const width: number = await page.evaluate("document.documentElement.scrollWidth");
  assert.ok(width <= 390, `nothing sticks out: ${width}`);
  await page.context().close();
});

browserTest("the tree is a tree to screen readers: level, set size, position, keys", async (it) => {
  const page = await openPage(it, { at: addressOf("workspace") });
  const tree = page.getByRole("tree");
  await tree.getByRole("treeitem").first().waitFor();
  const items = await tree.getByRole("treeitem").all();
  for (const item of items) {
    for (const name of ["aria-level", "aria-setsize", "aria-posinset"]) {
      assert.ok(Number(await item.getAttribute(name)) >= 1, name);
    }
  }
  await tree.focus();
  await page.keyboard.press("End");
  const active = (await tree.getAttribute("aria-activedescendant")) ?? "";
  assert.equal(await page.locator(`#${active}`).getAttribute("aria-current"), "location");
  await page.keyboard.press("Home");
  await until(
    "the first row has the focus",
    async () => (await tree.getAttribute("aria-activedescendant")) !== active,
  );
  await page.context().close();
});

browserTest("S6: remote images and unsafe links of a transcript stay text", async (it) => {
  const page = await openPage(it);
  await newSession(page);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const text =
    "![x](https://evil.example/a.png) [y](javascript:alert(1)) <img src=https://evil.example/b.png>";
  await page.locator(".composer textarea").fill(text);
  await page.keyboard.press("Enter");
  await page.locator(".entry.role-user", { hasText: "remote image" }).waitFor();
  assert.equal(await page.locator(".entry img[src^=http]").count(), 0);
  assert.equal(await page.locator("a[href^=javascript]").count(), 0);
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(it.server.origin)),
    [],
  );
  await page.context().close();
});

browserTest(
  "without a cookie the page asks for the token and then shows the same place",
  async (it: BrowserBench) => {
    const profile = await it.browser.newContext();
    const page = await profile.newPage();
    await page.goto(`${it.server.origin}/${addressOf("context")}`);
    await page.locator(".sign-in input").fill(it.server.token);
    await page.keyboard.press("Enter");
    await page.locator(".context-part").first().waitFor();
    await profile.close();
  },
);

browserTest("a session that is not there says so and offers the way back", async (it) => {
  const page = await openPage(it, { at: "?screen=workspace&session=nowhere" });
  await page.getByRole("alert").waitFor();
  await page.locator(".brand").click();
  await page.locator(".session-row").first().waitFor();
  await page.context().close();
});
