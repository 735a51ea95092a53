import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../client/client.ts";
import { NodeWorkspace } from "../local/node-workspace.ts";
import { createOfflineModel } from "../model/offline-model.ts";
import { createJsonlStore } from "../store/jsonl/jsonl-store.ts";
import { startServer } from "./server.ts";
import { serverRig } from "./testing/server-rig.ts";

const SAMPLE = path.resolve(import.meta.dirname, "../../examples/sessions/v3-tui-branches.jsonl");
const TUI = "01a22905-0d4a-73a2-9570-667c162ee480";

interface Source {
  readonly agent: string;
  readonly sessions: number;
  readonly readable: boolean;
  readonly consented: boolean;
}

test("Pi's folder and those of others are counted; Pi's is opened after a person agreed, the file stays as it is", async (t) => {
  const home = mkdtempSync(path.join(tmpdir(), "branchline-home-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const pi = path.join(home, ".pi/agent/sessions/--x--");
  mkdirSync(pi, { recursive: true });
  copyFileSync(SAMPLE, path.join(pi, "a.jsonl"));
  mkdirSync(path.join(home, ".claude/projects/p"), { recursive: true });
  writeFileSync(path.join(home, ".claude/projects/p/s.jsonl"), "not ours\n");
  const own = createJsonlStore({ root: path.join(home, "data") });
  const theirs = createJsonlStore({
    root: path.join(home, ".pi/agent/sessions"),
    trash: path.join(home, "data/trash"),
  });
  await using server = await startServer({
    roots: [
      { kind: "own", directory: path.join(home, "data"), store: own },
      { kind: "pi", directory: path.join(home, ".pi/agent/sessions"), store: theirs },
    ],
    ...{ index: null, cwd: home, home, version: "0", port: 0 },
    models: { providers: [createOfflineModel()] },
    workspace: new NodeWorkspace({ root: home }),
  });
  const client = createClient({ baseUrl: server.origin, token: server.token });
  const sources = async (): Promise<readonly Source[]> =>
    (await client.http.json<{ sources: readonly Source[] }>("GET", "/api/sources")).sources;
  const shown = (await sources()).map(({ agent, sessions, readable, consented }) => [
    agent,
    sessions,
    readable,
    consented,
  ]);
  assert.deepEqual(shown, [
    ["pi", 1, true, false],
    ["claude", 1, false, false],
  ]);
  assert.equal((await client.sessions()).total, 0);
  await assert.rejects(client.state(TUI), { status: 404 });
  await client.http.json("POST", "/api/sources", { body: { agent: "pi", consent: true } });
  assert.equal((await sources())[0]?.consented, true);
  assert.equal((await client.sessions()).total, 1);
  await client.update(TUI, { pinned: true });
  assert.equal((await client.sessions()).sessions[0]?.pinned, true);
  assert.deepEqual(readFileSync(path.join(pi, "a.jsonl")), readFileSync(SAMPLE));
  await own.close();
  await theirs.close();
});

test("a session that nobody uses is closed, and opened again by the next question", async (t) => {
  const rig = await serverRig(t, { limits: { idleMs: 20 } });
  const { row } = await rig.client.createSession();
  const { hosts } = rig.server.core;
  assert.equal(hosts.size, 1);
  for (let tries = 0; hosts.size > 0 && tries < 100; tries++) await sleep(50);
  assert.equal(hosts.size, 0);
  assert.equal((await rig.client.state(row.id)).row.entries, 0);
});

test("FILE_REPLACED: a file that another program rewrote is read anew, with another revision", async (t) => {
  const rig = await serverRig(t);
  const { row } = await rig.client.createSession({ name: "before" });
  const file = row.path ?? "";
  const { revision } = await rig.client.state(row.id);
  const text = readFileSync(file, "utf8").replace("before", "after!");
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
  let state = await rig.client.state(row.id);
  for (let tries = 0; state.row.name !== "after!" && tries < 100; tries++) {
    await sleep(50);
    state = await rig.client.state(row.id);
  }
  assert.equal(state.row.name, "after!");
  assert.notEqual(state.revision, revision);
});

test("a session that is gone from the disk is 404, not a fault", async (t) => {
  const rig = await serverRig(t);
  const { row } = await rig.client.createSession();
  rmSync(row.path ?? "");
  await assert.rejects(rig.client.state(row.id), { status: 404, code: "SESSION_UNKNOWN" });
});
