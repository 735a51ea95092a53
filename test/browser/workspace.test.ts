import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { SessionState } from "../../src/protocol/session.ts";
import { api, ask, newSession, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";

const browserTest = browserTests();

const treeTexts = (page: Page): Promise<string[]> =>
  page.locator(".tree-row .tree-text").allTextContents();
const lastEntry = async (page: Page): Promise<string> =>
  (await page.locator(".entry[data-entry]").last().textContent()) ?? "";

browserTest(
  "the token leaves the address; a prompt streams, a tool runs, the tree grows",
  async (it) => {
    const page = await openPage(it);
    assert.equal(new URL(page.url()).hash, "");
    await newSession(page);
    await page.locator(".composer textarea").fill("list the files, then read welcome.md");
    await page.keyboard.press("Enter");
    await page.locator(".streaming").waitFor();
    await page.locator(".tool-line", { hasText: "list_files" }).first().waitFor();
    await page.locator(".composer .button.danger").waitFor({ state: "detached" });
    await until("the answer stands in the tree", async () => (await treeTexts(page)).length >= 5);
    await page.locator(".entry .tool-line", { hasText: "read_file" }).first().click();
    assert.match((await page.locator(".tool-body").first().textContent()) ?? "", /Workspace/);
    await page.context().close();
  },
);

browserTest("edit & re-ask makes a branch, ‹2/2› switches, undo takes it back", async (it) => {
  const page = await openPage(it);
  const session = await newSession(page);
  await ask(page, "first question");
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  const field = page.locator(".composer textarea");
  await until(
    "the question is in the composer",
    async () => (await field.inputValue()) === "first question",
  );
  await ask(page, "another question");
  assert.match((await page.locator(".sibling-switch").first().textContent()) ?? "", /2\/2/);
  await page.locator(".sibling-switch button").first().click();
  await page.locator(".entry.role-user", { hasText: "first question" }).waitFor();
  const moved = await api<SessionState>(it, `/api/sessions/${session}`);
  assert.equal(moved.branches.length, 2);
  await page.locator(".toast button", { hasText: "Undo" }).click();
  await page.locator(".entry.role-user", { hasText: "another question" }).waitFor();
  await page.context().close();
});

browserTest("a second tab and an event client see branch_switch", async (it) => {
  const page = await openPage(it);
  const session = await newSession(page);
  await ask(page, "one");
  await ask(page, "two");
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.locator(".entry.role-user", { hasText: "two" }).waitFor();
  const stop = new AbortController();
  const events = await fetch(`${it.server.origin}/api/events?session=${session}`, {
    headers: { authorization: `Bearer ${it.server.token}` },
    signal: stop.signal,
  });
  const first = await api<{ rows: { id: string; kind: string; text: string }[] }>(
    it,
    `/api/sessions/${session}/path`,
  );
  const answer = first.rows.find(({ kind }) => kind === "a");
  await page.locator(`[data-entry="${answer?.id}"]`).click();
  await page.keyboard.press("s");
  await until(
    "the other tab follows",
    async () => !(await other.locator(".entry.role-user", { hasText: "two" }).isVisible()),
  );
  let heard = "";
  const decoder = new TextDecoder();
  for await (const bytes of events.body ?? []) {
    heard += decoder.decode(bytes, { stream: true });
    if (heard.includes("event: branch_switch")) break;
  }
  stop.abort();
  assert.match(heard, /branch_switch/);
  await page.context().close();
});

browserTest(
  "Enter that ends a Chinese word does not send; Shift+Enter breaks the line",
  async (it) => {
    const page = await openPage(it);
    await newSession(page);
    const field = page.locator(".composer textarea");
    await field.fill("会话");
    await field.dispatchEvent("keydown", { key: "Enter", isComposing: true, bubbles: true });
    assert.equal(await field.inputValue(), "会话");
    await field.press("Shift+Enter");
    assert.equal(await field.inputValue(), "会话\n");
    assert.equal(await page.locator(".entry").count(), 0);
    await page.context().close();
  },
);

browserTest(
  "keyboard only: palette to a new session, label, hide, context and back",
  async (it) => {
    const page = await openPage(it);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("new session");
    await page.locator(".palette-item.chosen", { hasText: "New session" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".composer textarea").waitFor();
    await page.keyboard.press("i");
    await page.keyboard.type("what do you see?");
    await page.keyboard.press("Enter");
    await page.locator(".entry.role-assistant[data-entry]").waitFor();
    await page.locator(".composer .button.danger").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.keyboard.press("k");
    await page.keyboard.press("L");
    await page.locator("dialog input").waitFor();
    await page.keyboard.type("start here");
    await page.keyboard.press("Enter");
    await page.locator(".tree-row .flag", { hasText: "start here" }).waitFor();
    await page.keyboard.press("h");
    await page.locator(".sent-mark", { hasText: "hidden" }).waitFor();
    await page.keyboard.press("c");
    await page.locator(".screen.context .unsent").first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".screen.workspace").waitFor();
    await page.keyboard.press("u");
    await page.locator(".sent-mark").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.locator("dialog .key-groups").waitFor();
    await page.context().close();
  },
);

browserTest("compaction → originals → uncompact; a search hit opens at its entry", async (it) => {
  const page = await openPage(it);
  const session = await newSession(page);
  for (const words of ["the zebra word 斑马", "list the files", "read welcome.md", "last one"])
    await ask(page, words);
  await api(it, `/api/sessions/${session}/compact`, { keep: 0 });
  await page.locator(".entry.role-compaction").waitFor();
  await page.getByRole("button", { name: "Expand originals" }).click();
  await page.locator(".originals", { hasText: "zebra" }).waitFor();
  await page.getByRole("button", { name: "Uncompact" }).click();
  await until("the context holds the first question again", async () => {
    const context = await api<{ parts: { text: string }[] }>(
      it,
      `/api/sessions/${session}/context`,
    );
    return context.parts.some(({ text }) => text.includes("zebra"));
  });
  await page.keyboard.press("Escape");
  await page.goto(`${it.server.origin}/?q=${encodeURIComponent("斑马")}`);
  await page.locator(".hit", { hasText: "斑马" }).first().click();
  await page.locator(".entry.chosen", { hasText: "斑马" }).waitFor();
  assert.match(await lastEntry(page), /./);
  await page.context().close();
});

browserTest(
  "keyboard only: ask, edit, switch, compare, undo, library, all without a mouse",
  async (it) => {
    const page = await openPage(it);
    await page.evaluate(
      "void (window.pointers = 0, addEventListener('pointerdown', () => window.pointers++, true))",
    );
    const keys = async (...all: string[]): Promise<void> => {
      for (const key of all) await page.keyboard.press(key);
    };
    await keys("n");
    await page.locator(".composer textarea").waitFor();
    await keys("i");
    await page.keyboard.type("plan A or plan B?");
    await keys("Enter");
    await page.locator(".entry.role-assistant[data-entry]").waitFor();
    await page.locator(".composer .button.danger").waitFor({ state: "detached" });
    await keys("Escape", "e");
    const field = page.locator(".composer textarea");
    await until("the question is there", async () => (await field.inputValue()) !== "");
    await keys("ControlOrMeta+a");
    await page.keyboard.type("plan C instead?");
    await keys("Enter");
    await page.locator(".entry.role-user", { hasText: "plan C" }).waitFor();
    await page.locator(".composer .button.danger").waitFor({ state: "detached" });
    await page.locator(".sibling-switch", { hasText: "2/2" }).waitFor();
    await keys("Escape", "k", "ArrowLeft");
    await page.locator(".entry.role-user", { hasText: "plan A" }).waitFor();
    await keys("u");
    await page.locator(".entry.role-user", { hasText: "plan C" }).waitFor();
    await keys("g", "4");
    await page.locator(".diff-row.changed").first().waitFor();
    await keys("n", "w", "v", "v", "v");
    await page.locator(".segments button[aria-pressed=true]", { hasText: "Numbers" }).waitFor();
    await keys("g", "5");
    await page.locator(".operation").first().waitFor();
    await keys("g", "1");
    await page.locator(".session-row").first().waitFor();
    await keys("j", "Enter");
    await page.locator(".screen.workspace .entry").first().waitFor();
    await keys("/");
    await page.keyboard.type("plan");
    await page.locator(".tree-head [role=status]", { hasText: /[1-9]/ }).waitFor();
    assert.equal(await page.evaluate("window.pointers"), 0);
    await page.context().close();
  },
);
