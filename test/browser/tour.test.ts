import assert from "node:assert/strict";
import type { SessionState } from "../../src/protocol/session.ts";
import { api, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";

const browserTest = browserTests({ samples: true });

browserTest(
  "the tour of five steps on the first sample, with the keys that it names",
  async (it) => {
    const page = await openPage(it, { locale: "zh-CN" });
    const first = page.locator(".session-row").first();
    assert.match((await first.textContent()) ?? "", /方案 A 还是方案 B/);
    await page.getByRole("button", { name: "开始导览" }).click();
    await first.click();
    await page.locator(".entry.role-user").first().waitFor();
    const session = new URL(page.url()).searchParams.get("session") ?? "";
    const state = (): Promise<SessionState> => api<SessionState>(it, `/api/sessions/${session}`);
    const next = (): Promise<void> =>
      page.locator(".tour-card").getByRole("button", { name: "下一步" }).click();
    const shows = (verb: string): Promise<void> =>
      page.locator(".tour-card", { hasText: `branchline ${verb}` }).waitFor();

    await shows("tree");
    await page.keyboard.press("[");
    await page.locator(".sibling-switch").first().waitFor();

    await next();
    await shows("edit");
    await page.keyboard.press("e");
    const field = page.locator(".composer textarea");
    await until("the question at the fork is in the composer", async () =>
      (await field.inputValue()).startsWith("方案 A：整个数据文件夹"),
    );
    await field.fill("方案 C：两个都要。列出文件");
    await page.keyboard.press("Enter");
    await page.locator(".entry.role-user", { hasText: "方案 C" }).first().waitFor();
    await until("the run has ended", async () => (await state()).run === null);
    const { branches, tokens, row } = await state();
    assert.equal(branches.length, 4, "three that were there, and the new one");
    assert.equal(row.sample, false, "the shipped file stays as it is");

    await next();
    await shows("context");
    await page.keyboard.press("Escape");
    await page.keyboard.press("c");
    await until("the context is shown", async () => page.url().includes("screen=context"));

    await next();
    await shows("compact");
    await page.keyboard.press("g");
    await page.keyboard.press("2");
    await field.fill("/compact");
    await page.keyboard.press("Enter");
    await page.locator(".compaction").waitFor();
    await page.getByRole("button", { name: "展开原文" }).click();
    await page.locator(".originals li").first().waitFor();
    assert.ok((await state()).tokens < tokens);

    await next();
    await shows("undo");
    await page.keyboard.press("Escape");
    await page.keyboard.press("u");
    await until(
      "the model sees the originals again",
      async () => (await state()).tokens === tokens,
    );
    await page.getByRole("button", { name: "完成" }).click();
    await page.context().close();
  },
);

browserTest("the sample of 10,000 entries is made while one waits, and opens", async (it) => {
  const page = await openPage(it);
  await page.locator(".session-row", { hasText: "10,000 entries" }).click();
  await page.locator("text=Making the session").first().waitFor();
  await page.locator(".entry[data-entry]").first().waitFor();
  await page.context().close();
});
