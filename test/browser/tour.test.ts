import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { SessionState } from "../../src/protocol/session.ts";
import { api, type BrowserBench, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";

const browserTest = browserTests({ samples: true });

const sessionOf = (page: Page): string => new URL(page.url()).searchParams.get("session") ?? "";

const stateOf = (it: BrowserBench, page: Page): Promise<SessionState> =>
  api<SessionState>(it, `/api/sessions/${sessionOf(page)}`);

const settled = (it: BrowserBench, page: Page): Promise<void> =>
  until("the run has ended", async () => (await stateOf(it, page)).run === null);

browserTest(
  "the tour of five steps on the first sample, with the keys that it names",
  async (it) => {
    const page = await openPage(it, { locale: "zh-CN" });
    const first = page.locator(".session-row").first();
    await first.waitFor();
    assert.match((await first.textContent()) ?? "", /方案 A 还是方案 B/);
    await page.getByRole("button", { name: "开始导览" }).click();
    await first.locator(".session-main").click();
    await page.locator(".entry.role-user").first().waitFor();
    const before = await stateOf(it, page);
    assert.equal(before.row.sample, true);
    await page.locator(".tour-card", { hasText: "branchline tree" }).waitFor();
    await page.keyboard.press("[");
    await page.locator(".entry.chosen").waitFor();
    await page.keyboard.press("e");
    const field = page.locator(".composer textarea");
    await until("the question is in the composer", async () => (await field.inputValue()) !== "");
    await field.fill("方案 C：两个都要。列出文件");
    await page.keyboard.press("Enter");
    await page.locator(".entry.role-user", { hasText: "方案 C" }).first().waitFor();
    await settled(it, page);
    const after = await stateOf(it, page);
    assert.equal(after.row.sample, false, "a copy was made when somebody wrote");
    assert.equal(after.branches.length, before.branches.length + 1, "the old branches are kept");
    await page.keyboard.press("Escape");
    await page.keyboard.press("c");
    await page.locator(".screen.context .context-part").first().waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("2");
    await field.fill("/compact");
    await page.keyboard.press("Enter");
    await page.locator(".entry.role-compaction").last().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("u");
    await page.locator(".toast", { hasText: "已撤销" }).waitFor();
    await page.context().close();
  },
);

browserTest(
  "a sample whose model is not here is asked: the offline model answers, and it is said",
  async (it) => {
    const page = await openPage(it);
    const { sessions } = await api<{ sessions: { id: string; model: string | null }[] }>(
      it,
      "/api/sessions?limit=200",
    );
    const sample = sessions.find(({ model }) => model !== null && !model.startsWith("offline/"));
    assert.ok(sample, "a sample of another model is shipped");
    await page.goto(`${it.server.origin}/?session=${sample.id}`);
    await page.locator(".answers-with", { hasText: "offline model" }).waitFor();
    const { insteadOf } = await stateOf(it, page);
    assert.equal(insteadOf, sample.model);
    await page.locator(".composer textarea").fill("list the files");
    await page.keyboard.press("Enter");
    await page.locator(".streaming").waitFor();
    await page.locator(".toast", { hasText: "is not available here" }).waitFor();
    await settled(it, page);
    const last = page.locator(".entry.role-assistant[data-entry]").last();
    await until("the offline model has answered", async () =>
      /offline/.test((await last.textContent()) ?? ""),
    );
    assert.equal(await page.locator(".toast.error").count(), 0);
    await page.context().close();
  },
);
