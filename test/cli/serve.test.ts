import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { createClient } from "../../src/client/client.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const BIN = path.join(ROOT, "bin/branchline.js");

interface Started {
  readonly address: string;
  readonly origin: string;
  readonly token: string;
  readonly port: number;
  readonly page: boolean;
}

interface Serving {
  readonly said: Started;
  readonly child: ChildProcess;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts a server as a process of its own and waits for its one line. */
async function serve(t: TestContext, script: string, ...args: readonly string[]): Promise<Serving> {
  const home = mkdtempSync(path.join(tmpdir(), "branchline-serve-"));
  const env = {
    ...process.env,
    HOME: home,
    BRANCHLINE_HOME: path.join(home, "data"),
    XDG_CACHE_HOME: home,
  };
  const child = spawn(process.execPath, [script, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => {
    child.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  });
  assert.ok(child.stdout);
  for await (const line of createInterface(child.stdout)) {
    return { said: JSON.parse(line) as Started, child, home, env };
  }
  return assert.fail("the server said nothing");
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("exit", (code) => resolve(code)));
}

test("serve: one line, samples in the library, another process is heard, SIGTERM ends it with 0", async (t) => {
  const { said, child, env } = await serve(t, BIN, "serve", "--json", "--port", "0");
  assert.equal(said.address, `${said.origin}/#token=${said.token}`);
  const client = createClient({ baseUrl: said.origin, token: said.token });
  const library = await client.sessions();
  assert.equal(library.total, 11);
  assert.ok(library.sessions.every(({ sample }) => sample));
  assert.match(library.sessions[0]?.title ?? "", /方案 A 还是方案 B/, "best to begin with");
  assert.deepEqual(
    library.sessions.slice(0, 5).map(({ cwd }) => cwd),
    [...Array.from({ length: 4 }, () => "/home/you/branchline"), "/home/dev/project"],
  );
  const { row } = await client.createSession({ name: "zwei" });
  const stop = new AbortController();
  const heard = client.events(row.id, { signal: stop.signal });
  assert.equal((await heard.next()).value?.type, "snapshot");
  const input = '{"type":"message","message":{"role":"user","content":"hi"}}\n';
  const done = spawnSync(process.execPath, [BIN, "append", "-s", row.id], {
    env,
    input,
    encoding: "utf8",
  });
  assert.equal(done.status, 0, done.stderr);
  const event = (await heard.next()).value;
  assert.equal(event?.type, "entry_appended");
  assert.equal(Object(event?.data).foreign, true);
  stop.abort();
  const { runId } = await client.run(row.id, { text: "list the files" });
  const over = ended(child);
  child.kill("SIGTERM");
  assert.equal(await over, 0);
  assert.ok(runId);
  const shown = spawnSync(process.execPath, [BIN, "fsck", row.id], { env, encoding: "utf8" });
  assert.equal(shown.status, 0, shown.stdout + shown.stderr);
});

test("serve: the sample of 10,000 entries is made when it is opened, its progress is told, and it is sound", async (t) => {
  const { said, env } = await serve(t, BIN, "serve", "--json", "--port", "0");
  const client = createClient({ baseUrl: said.origin, token: said.token });
  const { sessions } = await client.sessions();
  const row = sessions.find(({ entries }) => entries === 10_000);
  assert.ok(row);
  assert.equal(row.path, null, "nothing was made yet");
  const stop = new AbortController();
  const heard = client.events(null, { signal: stop.signal });
  assert.equal((await heard.next()).value?.type, "snapshot");
  const [one, two] = await Promise.all([client.state(row.id), client.state(row.id)]);
  assert.equal(one.revision, two.revision);
  assert.ok(one.row.entries >= 10_000);
  assert.match(one.row.name ?? "", /10,000/);
  const steps: { readonly done: number; readonly total: number }[] = [];
  for await (const event of heard) {
    if (event.type === "session_created") break;
    if (event.type === "index_progress") steps.push(event.data as (typeof steps)[number]);
  }
  stop.abort();
  assert.ok(steps.length > 10, `${steps.length} steps`);
  assert.deepEqual(steps.at(-1), { done: 10_000, total: 10_000, what: `making ${row.id}` });
  assert.ok(steps.every(({ done }, at) => done >= (steps[at - 1]?.done ?? 0)));
  const after = await client.sessions();
  assert.equal(after.total, 11, "its file stands for its row");
  const shown = spawnSync(process.execPath, [BIN, "fsck", row.id], { env, encoding: "utf8" });
  assert.equal(shown.status, 0, shown.stdout + shown.stderr);
});

test("S1: serve keeps to this machine, and its note to its owner", async (t) => {
  const { said, env } = await serve(t, BIN, "serve", "--json", "--port", "0", "--without-samples");
  const note = path.join(env.BRANCHLINE_HOME ?? "", "servers", `${said.port}.json`);
  assert.equal(statSync(note).mode & 0o777, 0o600);
  const wide = spawnSync(process.execPath, [BIN, "serve", "--host", "0.0.0.0"], {
    env,
    encoding: "utf8",
  });
  assert.equal(wide.status, 2);
  assert.match(wide.stderr, /--expose/);
  const odd = spawnSync(process.execPath, [BIN, "serve", "--port", "x"], { env, encoding: "utf8" });
  assert.equal(odd.status, 2);
});

test("npm start: an address that answers", async (t) => {
  const { said } = await serve(t, path.join(ROOT, "scripts/start.ts"), "--json", "--port", "0");
  const client = createClient({ baseUrl: said.origin, token: said.token });
  assert.equal((await client.sessions()).total, 11);
  const page = await fetch(`${said.origin}/`);
  assert.equal(page.status, said.page ? 200 : 401);
});
