import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { ask, newSession, openPage } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";

const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

const browserTest = browserTests();

browserTest(
  "S15: the export dialog says what goes, masked, before the file is saved",
  async (it) => {
    const page = await openPage(it);
    await newSession(page);
    await ask(page, `remember ${TOKEN}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("Export");
    await page.keyboard.press("Enter");
    const dialog = page.locator("dialog");
    await dialog.locator(".chip", { hasText: "github-token" }).waitFor();
    await dialog.locator("summary").click();
    const said = (await dialog.textContent()) ?? "";
    assert.match(said, /ghp_••••45/);
    assert.ok(!said.includes(TOKEN));
    if (process.env.BRANCHLINE_SHOTS !== undefined) {
      await page.screenshot({ path: `${process.env.BRANCHLINE_SHOTS}/export-dialog.png` });
    }
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByText("Save").click(),
    ]);
    assert.match(download.suggestedFilename(), /^[\w-]+\.html$/);
    const text = await readFile(await download.path(), "utf8");
    assert.match(text, /^<!doctype html>/);
    assert.ok(!text.includes(TOKEN));
    await page.context().close();
  },
);
