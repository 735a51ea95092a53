import assert from "node:assert/strict";
import { appendFile, mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { api, ask, type BrowserBench, newSession, openPage, until } from "./browser-bench.ts";
import { browserTests } from "./browser-test.ts";
import { openServer } from "./open-server.ts";

let home = "";

const browserTest = browserTests({
  prepare: async () => {
    home = await mkdtemp(path.join(tmpdir(), "branchline-live-"));
    return { home, root: path.join(home, "sessions") };
  },
});

async function fileOf(session: string): Promise<string> {
  const root = path.join(home, "sessions");
  const files = await readdir(root, { recursive: true });
  const found = files.find((file) => file.includes(session));
  assert.ok(found, "the session has a file");
  return path.join(root, found);
}

const lines = async (file: string): Promise<{ id: string; type: string }[]> =>
  (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

browserTest(
  "what a second process appends is seen live; a rival answer becomes a branch",
  async (it: BrowserBench) => {
    const page = await openPage(it);
    const session = await newSession(page);
    await ask(page, "who writes here?");
    const file = await fileOf(session);
    const written = await lines(file);
    const question = written.find(({ type, id }) => type === "message" && id !== undefined);
    const foreign = {
      type: "message",
      id: "ffff0001",
      parentId: question?.id ?? null,
      timestamp: new Date().toISOString(),
      message: { role: "user", content: "another writer was here", timestamp: Date.now() },
    };
    await appendFile(file, `${JSON.stringify(foreign)}\n`);
    await page.locator(".tree-row", { hasText: "another writer was here" }).waitFor();
    await until("the server knows both branches", async () => {
      const { size } = await api<{ size: number }>(it, `/api/sessions/${session}/tree`);
      return size >= written.length;
    });
    await page.context().close();
  },
);

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
    Object.assign(it, { server: again });
    await page.locator(".sign-in input").fill(again.token);
    await page.keyboard.press("Enter");
    await page.locator(".entry.role-user", { hasText: "before the restart" }).waitFor();
    await page.locator(".live-dot.open").waitFor();
    assert.equal(await page.locator(".entry[data-entry]").count(), entries);
    await ask(page, "after the restart");
    await page.context().close();
  },
);
