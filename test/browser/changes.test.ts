import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { SessionState } from "../../src/protocol/session.ts";
import { api, ask, type BrowserBench, newSession, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";

const browserTest = browserTests();

const stateOf = (it: BrowserBench, session: string): Promise<SessionState> =>
  api<SessionState>(it, `/api/sessions/${session}`);

/** A session with one question asked in two ways. */
async function forked(page: Page): Promise<string> {
  const session = await newSession(page);
  await ask(page, "the first way");
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  const field = page.locator(".composer textarea");
  await until("the question is there", async () => (await field.inputValue()) === "the first way");
  await ask(page, "the second way");
  return session;
}

browserTest(
  "S5: undo at a line says how many operations go, and takes them all back",
  async (it) => {
    const page = await openPage(it);
    const session = await newSession(page);
    await ask(page, "to be labelled");
    const { leaf } = await stateOf(it, session);
    for (const text of ["one", "two", "three"]) {
      await api(it, `/api/sessions/${session}/labels`, { entry: leaf, text });
    }
    await page.goto(`${it.server.origin}/?screen=health&session=${session}`);
    const second = page.locator(".operation", { hasText: "two" });
    await second.hover();
    await second.getByRole("button", { name: "Undo to here" }).click();
    await page.locator(".undo-ask", { hasText: "2 operations will be undone" }).waitFor();
    await page.getByRole("button", { name: "Undo them" }).click();
    await until("the first label is back", async () => {
      const { labels } = await stateOf(it, session);
      return labels.length === 1 && labels[0]?.text === "one";
    });
    await page.context().close();
  },
);

browserTest("S4: the comparison as Markdown, the loser archived", async (it) => {
  const page = await openPage(it, { permissions: ["clipboard-read", "clipboard-write"] });
  const session = await forked(page);
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("4");
  await page.locator(".diff-row.changed").first().waitFor();
  await page.keyboard.press("y");
  await page.locator(".toast", { hasText: "Copied" }).waitFor();
  const copied: string = await page.evaluate("navigator.clipboard.readText()");
  assert.match(copied, /^# Compare branches/);
  for (const words of ["the first way", "the second way"]) assert.ok(copied.includes(words));
  await page.getByRole("button", { name: "Archive this branch" }).click();
  await until("one branch is archived, and not the one that is written to", async () => {
    const { branches } = await stateOf(it, session);
    return branches.some(({ archived, active }) => archived && !active);
  });
  await page.context().close();
});

browserTest(
  "S3: h hides the message that has the focus; S2: lines as wide as tokens",
  async (it) => {
    const page = await openPage(it);
    const session = await newSession(page);
    await ask(page, "hide me");
    await page.getByRole("button", { name: "Line width shows tokens" }).click();
    await page.locator('.gutter g[style*="stroke-width"]').first().waitFor({ state: "attached" });
    await page.goto(`${it.server.origin}/?screen=context&session=${session}`);
    await page.locator(".context-part .context-line", { hasText: "hide me" }).first().focus();
    await page.keyboard.press("h");
    await page.locator(".unsent", { hasText: "hidden" }).waitFor();
    await page.context().close();
  },
);

browserTest(
  "a question for a leaf that somebody else left is refused and stays in the composer",
  async (it) => {
    const page = await openPage(it);
    const session = await newSession(page);
    await ask(page, "where I am");
    const question = page.locator(".entry.role-user").first();
    const target = await question.getAttribute("data-entry");
    // This page does not hear of the move.
    await page.route(`**/api/sessions/${session}`, (route) => route.abort());
    await api(it, "/api/branch", { sessionId: session, leafId: target });
    const before = await stateOf(it, session);
    await page.locator(".composer textarea").fill("asked from the wrong place");
    await page.keyboard.press("Enter");
    await page.locator(".toast.error", { hasText: "Somebody else moved" }).waitFor();
    assert.equal(
      await page.locator(".composer textarea").inputValue(),
      "asked from the wrong place",
    );
    const { leaf, revision } = await stateOf(it, session);
    assert.deepEqual([leaf, revision], [before.leaf, before.revision], "nothing was appended");
    await page.context().close();
  },
);

browserTest(
  "an answer that is lost on the way: the question is sent again and asked once",
  async (it) => {
    const page = await openPage(it);
    const session = await newSession(page);
    const keys: (string | undefined)[] = [];
    await page.route(`**/api/sessions/${session}/runs`, async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort("connectionreset");
    });
    await ask(page, "asked once");
    await until("it was sent twice", async () => keys.length === 2);
    assert.equal(keys[0], keys[1]);
    const { rows } = await api<{ rows: { kind: string }[] }>(it, `/api/sessions/${session}/path`);
    assert.equal(rows.filter(({ kind }) => kind === "u").length, 1);
    assert.equal(await page.locator(".toast.error").count(), 0);
    await page.context().close();
  },
);

browserTest("S5: a session is packed after its plan was seen, and brought back", async (it) => {
  const page = await openPage(it);
  const session = await newSession(page);
  await ask(page, "the same words again and again. ".repeat(60));
  await page.goto(`${it.server.origin}/?screen=health&session=${session}`);
  await page.locator(".archive-card", { hasText: "Packing would save" }).waitFor();
  await page.getByRole("button", { name: "Pack…" }).click();
  await page.locator("dialog", { hasText: "byte for byte" }).waitFor();
  assert.equal((await stateOf(it, session)).readOnly, null, "the plan changes nothing");
  await page.getByRole("button", { name: "Pack it" }).click();
  await page.locator(".archive-card", { hasText: "This file is packed" }).waitFor();
  await page.getByRole("button", { name: "Bring it back" }).click();
  await page.locator(".archive-card", { hasText: "Packing would save" }).waitFor();
  assert.equal((await stateOf(it, session)).readOnly, null);
  await page.context().close();
});
