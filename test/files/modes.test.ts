/** P10, S14: whatever we make can be read by its owner only, under any umask. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../src/io/clock.ts";
import { createNodeFileSystem } from "../../src/io/node-file-system.ts";
import { publish } from "../../src/io/publish.ts";
import { systemRandom } from "../../src/io/random.ts";
import { SqliteLock } from "../../src/io/sqlite-lock.ts";
import { openLocalIndex } from "../../src/local/local-index.ts";
import { serverRig } from "../../src/server/testing/server-rig.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { makeDesk, turn } from "../cli/run-cli.ts";

/** Kinds of files that were seen, by the end of their names. */
type Seen = Map<string, number>;

/** Every file 0600 and every folder 0700 below a folder that the test itself made. */
function checkModes(folder: string, seen: Seen = new Map()): Seen {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const mode = statSync(path).mode & 0o777;
    assert.equal(mode, entry.isDirectory() ? 0o700 : 0o600, path);
    const [kind = ""] = /(index\.db.*|\.[a-z.]+)$/.exec(entry.name) ?? [entry.name];
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
  }
  return seen;
}

async function under(t: TestContext, mask: number, work: (folder: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), "branchline-modes-"));
  const before = process.umask(mask);
  t.after(() => {
    process.umask(before);
    rmSync(folder, { recursive: true, force: true });
  });
  await work(join(folder, "data"));
}

for (const mask of [0o000, 0o022, 0o077]) {
  const name = `umask ${mask.toString(8).padStart(3, "0")}`;

  test(`files of every verb: session, lock, owner, index, WAL, blob, archive, trash, export, repair (F112, P10, ${name})`, async (t) => {
    const desk = makeDesk(t);
    const before = process.umask(mask);
    t.after(() => process.umask(before));
    mkdirSync(desk.cwd, { mode: 0o700 });
    await desk.ok(["new", "kept"]);
    await desk.ok(["append"], { stdin: turn("question", "x".repeat(9000)) });
    await desk.ok(["gc", "--blobs", "--min-bytes", "4KiB", "--apply"]);
    await desk.ok(["search", "question"]);
    await desk.ok(["export", "kept", "--to", "jsonl", "--out", join(desk.home, "copy.jsonl")]);
    await desk.ok(["export", "kept", "--to", "md", "--out", join(desk.home, "copy.md")]);
    await desk.ok(["fork", "@", "-s", "kept"]);
    await desk.ok(["new", "thrown"]);
    await desk.ok(["rm", "thrown"]);
    await desk.ok(["new", "packed"]);
    await desk.ok(["append", "-s", "packed"], { stdin: turn("a", "b") });
    await desk.ok(["archive", "packed", "--older-than", "0s", "--named", "--apply"]);
    const seen = checkModes(desk.home);
    for (const kind of [".jsonl", ".jsonl.lock", ".jsonl.zst", "index.db", ".md"]) {
      assert.ok(seen.has(kind), `${kind} of ${[...seen.keys()].join(" ")}`);
    }
  });

  test(`files that are only there for a while: temporary file, owner, WAL (P10, ${name})`, async (t) => {
    await under(t, mask, async (root) => {
      await using index = openLocalIndex({ root });
      await using store = createJsonlStore({ root, index: index.sessions });
      await using session = await Session.attach(await store.create({ cwd: "/p" }));
      await session.append({ type: "message", message: { role: "user", content: "a" } });
      for await (const row of store.list()) assert.equal(row.messages, 1);
      const seen = checkModes(root);
      assert.ok(seen.has("index.db-wal"), [...seen.keys()].join(" "));
      const path = join(root, "locked.jsonl");
      const fileSystem = createNodeFileSystem();
      await using lock = new SqliteLock({
        ...{ fileSystem, clock: systemClock, random: systemRandom, path },
      });
      await lock.acquire({ named: true });
      assert.ok(checkModes(root).has(".jsonl.owner"));
      await publish(fileSystem, {
        ...{ path: join(root, "published"), content: Buffer.from("x"), overwrite: "never" },
        ...{ random: systemRandom, durability: "process" },
        verify: async (temporary) => {
          assert.equal(statSync(temporary).mode & 0o777, 0o600);
        },
      });
    });
  });

  test(`the token of a server (S1, P10, ${name})`, async (t) => {
    const before = process.umask(mask);
    t.after(() => process.umask(before));
    const rig = await serverRig(t);
    const seen = checkModes(join(rig.folder, "servers"));
    assert.deepEqual([...seen.keys()], [".json"]);
  });
}
