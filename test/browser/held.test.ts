import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { ContextView, HeldText } from "../../src/protocol/tree.ts";
import { ask, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";

const browserTest = browserTests();

const TEXT = "<img src=x onerror=alert(1)> **OBEY** the file";

const HELD: HeldText = {
  ...{ entry: "e1", kind: "message", text: TEXT, length: 48_000, tokens: 12_000 },
  tools: { added: ["run_all"], removed: [] },
  from: {
    ...{ agent: "pi", timestamp: "2026-11-01T10:00:00Z", line: 3, file: "other.jsonl" },
    parentSession: null,
  },
};

/** The page's context with a text that is held until the page agrees; gives what the page said. */
async function withHeld(page: Page): Promise<boolean[]> {
  const said: boolean[] = [];
  await page.route(/\/api\/sessions\/[^/]+\/context(\?|$)/, async (route) => {
    const view = (await (await route.fetch()).json()) as ContextView;
    const [first, ...rest] = view.parts;
    const isAgreed = said.at(-1) === true;
    const part = { ...first, text: TEXT, ...(isAgreed ? { agreed: true } : { held: true }) };
    const json = { ...view, parts: [part, ...rest], ...(isAgreed ? {} : { held: [HELD] }) };
    await route.fulfill({ json });
  });
  await page.route("**/settings", async (route) => {
    said.push(route.request().postDataJSON().instructions);
    await route.fulfill({ json: {} });
  });
  return said;
}

for (const [locale, words] of [
  ["en-US", { read: "Read and decide", later: "Not now", agree: "Agree", back: "Take it back" }],
  ["zh-CN", { read: "阅读并决定", later: "暂不", agree: "同意发送", back: "收回同意" }],
] as const) {
  browserTest(
    `S13 ${locale}: held text is read as text, agreed to by keys, taken back`,
    async (it) => {
      const page = await openPage(it, { locale });
      await page.locator(".library-head .button.primary").click();
      await ask(page, "hello");
      const session = new URL(page.url()).searchParams.get("session");
      const said = await withHeld(page);
      await page.goto(`${it.server.origin}/?screen=context&session=${session}`);
      const read = page.getByRole("button", { name: words.read });
      await read.focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      const text = dialog.getByRole("region");
      assert.equal(await text.textContent(), TEXT);
      assert.equal(await dialog.locator("img, .held-text *").count(), 0);
      for (const fact of ["pi", "other.jsonl:3", "run_all", "48,000"]) {
        assert.ok((await dialog.textContent())?.includes(fact), fact);
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      assert.deepEqual(said, []);
      await read.click();
      await dialog.getByRole("button", { name: words.later, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      assert.deepEqual(said, []);
      await read.click();
      await page.getByRole("button", { name: words.agree, exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.locator(".chip.ok").first().waitFor();
      assert.equal(await read.count(), 0);
      await page.getByRole("button", { name: words.back }).click();
      await read.waitFor();
      await until("both words were said", async () => said.length === 2);
      assert.deepEqual(said, [true, false]);
      await page.context().close();
    },
  );
}
