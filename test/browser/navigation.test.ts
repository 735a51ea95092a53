import type { Page } from "playwright-core";
import { openPage } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";

const browserTest = browserTests();

async function submit(page: Page, words: string): Promise<void> {
  await page.locator(".composer textarea").fill(words);
  await page.keyboard.press("Enter");
}

const answer = (page: Page, words: string) =>
  page.locator(".entry.role-assistant[data-entry]", { hasText: words }).first();

/**
 * The scenario "navigate between sessions and verify history loads" of the VS Code Agents window
 * (src/vs/sessions/test/e2e/scenarios), its nine steps with our own words for what the model says.
 */
browserTest("nine steps: two sessions, the first one again, its answer is there", async (it) => {
  const page = await openPage(it);
  await page.getByRole("button", { name: "New session" }).first().click();
  // 1 and 2: type, Enter.
  await submit(page, "explain the code");
  // 3: the reply appears.
  await answer(page, "the first one says “explain the code”").waitFor();
  // 4: a new session, from where one is.
  await page.getByRole("button", { name: "New session" }).click();
  await page.locator(".entry").first().waitFor({ state: "detached" });
  // 5 and 6.
  await submit(page, "build the project");
  // 7.
  await page.locator(".entry.role-user", { hasText: "build the project" }).waitFor();
  // 8: the first session in the list.
  await page.locator(".brand").click();
  await page.locator(".session-row .session-main", { hasText: "explain the code" }).click();
  // 9: its reply is shown again, and nothing of the other session.
  await answer(page, "the first one says “explain the code”").waitFor();
  await page.locator(".entry", { hasText: "build the project" }).waitFor({ state: "detached" });
  await page.context().close();
});
