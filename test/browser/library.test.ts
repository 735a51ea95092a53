import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { SessionState } from "../../src/protocol/session.ts";
import { api, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";
import { madeSession, rowOf } from "./library-rows.ts";

const browserTest = browserTests();

/** Chooses an action of the menu of a row. */
async function act(page: Page, title: string, action: string): Promise<void> {
  await rowOf(page, title).locator(".menu > button").click();
  await page.getByRole("menuitem", { name: action }).click();
}

browserTest("S1: name and pin, with the mouse and with keys", async (it) => {
  const page = await openPage(it);
  const session = await madeSession(page, "to be named");
  await madeSession(page, "a later one");
  await act(page, "to be named", "Rename");
  await page.locator("dialog input").fill("the named one");
  await page.locator("dialog button.primary").click();
  await rowOf(page, "the named one").waitFor();
  await rowOf(page, "the named one").locator(".session-main").focus();
  await page.keyboard.press("p");
  await until("the pinned session stands first", async () => {
    const first = await page.locator(".session-row").first().textContent();
    return first?.includes("the named one") ?? false;
  });
  const { row } = await api<SessionState>(it, `/api/sessions/${session}`);
  assert.deepEqual([row.name, row.pinned], ["the named one", true]);
  await page.context().close();
});

browserTest("S1: archive one with a key, several with x; the archive gives back", async (it) => {
  const page = await openPage(it);
  for (const words of ["first to archive", "second to archive", "third to archive"]) {
    await madeSession(page, words);
  }
  await rowOf(page, "third to archive").locator(".session-main").focus();
  await page.keyboard.press("a");
  await rowOf(page, "third to archive").waitFor({ state: "detached" });
  await rowOf(page, "second to archive").locator(".session-main").focus();
  await page.keyboard.press("x");
  await rowOf(page, "first to archive").locator(".session-main").focus();
  await page.keyboard.press("x");
  await page.locator(".picked-bar", { hasText: "2 selected" }).waitFor();
  await page.getByRole("button", { name: "Archive them" }).click();
  await rowOf(page, "to archive").waitFor({ state: "detached" });
  await page.locator(".facets button", { hasText: "Archived" }).click();
  for (const words of ["first", "second", "third"]) await rowOf(page, words).waitFor();
  await act(page, "second to archive", "Restore from archive");
  await rowOf(page, "second to archive").waitFor({ state: "detached" });
  await page.locator(".facets button", { hasText: "All sessions" }).click();
  await rowOf(page, "second to archive").waitFor();
  await page.context().close();
});

browserTest(
  "S1: to the trash, back by undo and by restore, away for good when its id is typed",
  async (it) => {
    const page = await openPage(it);
    const session = await madeSession(page, "to be thrown away");
    await act(page, "to be thrown away", "Move to trash");
    await rowOf(page, "to be thrown away").waitFor({ state: "detached" });
    await page.locator(".toast button", { hasText: "Undo" }).click();
    await rowOf(page, "to be thrown away").waitFor();
    await act(page, "to be thrown away", "Move to trash");
    await rowOf(page, "to be thrown away").waitFor({ state: "detached" });
    await page.locator(".facets button", { hasText: "Trash" }).click();
    await rowOf(page, "to be thrown away").waitFor();
    await act(page, "to be thrown away", "Restore");
    await page.locator(".empty", { hasText: "The trash is empty" }).waitFor();
    await page.locator(".facets button", { hasText: "All sessions" }).click();
    await act(page, "to be thrown away", "Move to trash");
    await page.locator(".facets button", { hasText: "Trash" }).click();
    await act(page, "to be thrown away", "Delete for ever");
    const yes = page.locator("dialog button.danger");
    assert.equal(await yes.isDisabled(), true, "nothing is destroyed before its id was typed");
    await page.locator("dialog input").fill("00000000");
    assert.equal(await yes.isDisabled(), true);
    await page.locator("dialog input").fill(session.slice(0, 8));
    await yes.click();
    await page.locator(".empty", { hasText: "The trash is empty" }).waitFor();
    const { sessions } = await api<{ sessions: unknown[] }>(it, "/api/trash");
    assert.equal(sessions.length, 0);
    await page.context().close();
  },
);

browserTest(
  "S1: relocate says that working files are not moved, and moves the pointer only",
  async (it) => {
    const page = await openPage(it);
    const session = await madeSession(page, "in another folder now");
    await act(page, "in another folder now", "Working folder moved");
    await page.locator("dialog", { hasText: "Working files are not moved" }).waitFor();
    await page.locator("dialog input").fill("/somewhere/else");
    await page.locator("dialog button.primary").click();
    await rowOf(page, "else").waitFor();
    const { row } = await api<SessionState>(it, `/api/sessions/${session}`);
    assert.equal(row.cwd, "/somewhere/else");
    await page.context().close();
  },
);

browserTest(
  "S1: filters by project and date, order, and a filter that nothing fits",
  async (it) => {
    const page = await openPage(it);
    await madeSession(page, "a session of today");
    await page.locator(".facets button", { hasText: "Today" }).click();
    await rowOf(page, "a session of today").waitFor();
    await page
      .locator(".facets button", { hasText: "…/somewhere/else" })
      .or(page.locator('.facets button[title="/somewhere/else"]'))
      .first()
      .click();
    await rowOf(page, "in another folder now").waitFor();
    await until(
      "only that one is left",
      async () => (await page.locator(".session-row").count()) === 1,
    );
    for (const order of ["title", "bytes", "messages", "cost", "created"]) {
      await page.locator(".sort select").selectOption(order);
      await page.locator(".session-row").first().waitFor();
      assert.equal(await page.getByRole("alert").count(), 0, order);
    }
    await page.context().close();
  },
);
