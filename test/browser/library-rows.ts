import type { Locator, Page } from "playwright-core";
import { ask, newSession } from "./browser-bench.ts";

/** The row of a session in the library, by a part of its title. */
export function rowOf(page: Page, title: string): Locator {
  return page.locator(".session-row", { hasText: title }).first();
}

/** Makes a session with a question and goes back to the library; gives its id. */
export async function madeSession(page: Page, words: string): Promise<string> {
  const session = await newSession(page);
  await ask(page, words);
  await page.locator(".brand").click();
  await rowOf(page, words).waitFor();
  return session;
}
