import assert from "node:assert/strict";
import { appendFile, mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import type { SessionState } from "../../src/protocol/session.ts";
import { api, ask, newSession, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";
import { openServer } from "./open-server.ts";

/** 256 bits as base64url, as BRANCHLINE_TOKEN wants them. */
const TOKEN = "t".repeat(43);

let home = "";

const browserTest = browserTests({
  prepare: async () => {
    home = await mkdtemp(path.join(tmpdir(), "branchline-live-"));
    return { home, root: path.join(home, "sessions"), token: TOKEN };
  },
});

async function fileOf(session: string): Promise<string> {
  const root = path.join(home, "sessions");
  const files = await readdir(root, { recursive: true });
  const found = files.find((file) => file.includes(session));
  assert.ok(found, "the session has a file");
  return path.join(root, found);
}

interface Line {
  readonly id: string;
  readonly parentId: string | null;
  readonly message?: { readonly role: string };
}

const lines = async (file: string): Promise<Line[]> =>
  (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** A line as Pi writes it: no checksum, no branch of its own. */
function piLine(id: string, parentId: string | null, content: string): string {
  const timestamp = new Date().toISOString();
  const message = { role: "user", content, timestamp: Date.now() };
  return `${JSON.stringify({ type: "message", id, parentId, timestamp, message })}\n`;
}

const diverged = (page: Page) => page.locator(".toast", { hasText: "Two writers met" });

browserTest(
  "a second process that writes beside the newest answer: seen live, said, both kept",
  async (it) => {
    const page = await openPage(it);
    const session = await newSession(page);
    await ask(page, "who writes here?");
    const file = await fileOf(session);
    const written = await lines(file);
    const question = written.find(({ message }) => message?.role === "user");
    const beside = question?.parentId ?? null;
    await appendFile(file, piLine("ffff0001", beside, "another writer was here"));
    await diverged(page).waitFor();
    await page.locator(".tree-row", { hasText: "another writer was here" }).waitFor();
    await page.locator(".tree-row", { hasText: "who writes here?" }).first().waitFor();
    const { size } = await api<{ size: number }>(it, `/api/sessions/${session}/tree`);
    assert.equal(size, written.length, "all lines but the header, and the new one");
    await page.context().close();
  },
);

browserTest("a second process that writes while a run is under way: both go on", async (it) => {
  const page = await openPage(it);
  const session = await newSession(page);
  await ask(page, "before");
  await page.locator(".composer textarea").fill("list the files, then read welcome.md");
  await page.keyboard.press("Enter");
  await page.locator(".streaming").waitFor();
  const file = await fileOf(session);
  const leaf = (await lines(file)).at(-1)?.id ?? null;
  await appendFile(file, piLine("ffff0002", leaf, "Pi speaks into the run"));
  await diverged(page).waitFor();
  await page.locator(".composer .button.danger").waitFor({ state: "detached" });
  await page.locator(".tree-row", { hasText: "Pi speaks into the run" }).waitFor();
  await until("the run has its answer", async () => {
    const { run, branches } = await api<SessionState>(it, `/api/sessions/${session}`);
    return run === null && branches.length === 2;
  });
  assert.match(await readFile(file, "utf8"), /Pi speaks into the run/);
  await page.context().close();
});

browserTest(
  "a server that is started again with its token: the page comes back by itself, nothing is lost",
  async (it) => {
    const page = await openPage(it);
    const session = await newSession(page);
    await ask(page, "before the restart");
    await page.locator(".composer textarea").fill("half a thought");
    const entries = await page.locator(".entry[data-entry]").count();
    const { port, token } = it.server;
    await it.server.stop();
    await page.locator(".banner").waitFor();
    const file = await fileOf(session);
    const leaf = (await lines(file)).at(-1)?.id ?? null;
    await appendFile(file, piLine("ffff0003", leaf, "written while nobody served"));
    it.server = await openServer({ home, root: path.join(home, "sessions"), port, token });
    await page.locator(".live-dot.open").waitFor();
    await page.locator(".banner").waitFor({ state: "detached" });
    await page.locator(".entry", { hasText: "written while nobody served" }).waitFor();
    assert.equal(await page.locator(".sign-in").count(), 0, "the cookie is still good");
    assert.equal(await page.locator(".entry[data-entry]").count(), entries + 1);
    assert.equal(await page.locator(".composer textarea").inputValue(), "half a thought");
    await ask(page, "after the restart");
    await page.context().close();
  },
);

browserTest("what came since the last visit stands behind a line", async (it) => {
  const page = await openPage(it);
  const session = await newSession(page);
  await ask(page, "seen by me");
  assert.equal(await page.locator(".unread-line").count(), 0);
  await page.goto("about:blank");
  const file = await fileOf(session);
  const leaf = (await lines(file)).at(-1)?.id ?? null;
  await appendFile(file, piLine("ffff0004", leaf, "not seen by me"));
  await page.goto(`${it.server.origin}/?session=${session}`);
  await page.locator(".row-place", { hasText: "not seen by me" }).locator(".unread-line").waitFor();
  assert.equal(await page.locator(".unread-line").count(), 1);
  await page.context().close();
});

browserTest(
  "a server that goes away and comes back: the page says so, logs in again, nothing is lost",
  async (it) => {
    const page = await openPage(it);
    await newSession(page);
    await ask(page, "before the restart");
    const entries = await page.locator(".entry[data-entry]").count();
    const { port } = it.server;
    await it.server.stop();
    await page.locator(".banner").waitFor();
    const again = await openServer({ home, root: path.join(home, "sessions"), port });
    it.server = again;
    await page.locator(".sign-in input").fill(again.token);
    await page.keyboard.press("Enter");
    await page.locator(".entry.role-user", { hasText: "before the restart" }).waitFor();
    await page.locator(".live-dot.open").waitFor();
    assert.equal(await page.locator(".entry[data-entry]").count(), entries);
    await ask(page, "after the restart");
    await page.context().close();
  },
);
