import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { byteSize, parseByteSize } from "../../src/cli/byte-size.ts";
import { makeDesk, turn } from "./run-cli.ts";

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}

test("archive: a plan that writes nothing, then --apply; still listed, read, found; the sizes are told; unarchive (F016, F118)", async (t) => {
  const desk = makeDesk(t);
  await desk.ok(["new"]);
  await desk.ok(["append"], { stdin: turn("帮我设计缓存方案", "好的 ".repeat(3000)) });
  const [row] = (await desk.ok(["ls", "--json"])).rows;
  const { id, path: file } = row as unknown as { id: string; path: string };
  const bytes = readFileSync(file);
  const home = path.join(desk.home, ".local/share/branchline");
  const before = filesBelow(home);
  const none = await desk.cli(["archive", id]);
  assert.equal(none.code, 1);
  assert.match(none.err, /used lately/);
  const plan = await desk.ok(["archive", id, "--older-than", "0s", "--json"]);
  assert.equal((plan.rows[0] as { applied?: boolean }).applied, false);
  assert.match((await desk.ok(["archive", id, "--older-than", "0s"])).err, /--apply/);
  assert.deepEqual(filesBelow(home), before);
  const done = await desk.ok(["archive", id, "--older-than", "0s", "--apply", "--json"]);
  const [said, last] = done.rows as unknown as [
    { path: string; saved: number; bytesAfter: number },
    { total: { sessions: number; saved: number } },
  ];
  assert.equal(said.path, `${file}.zst`);
  assert.ok(said.saved > said.bytesAfter);
  assert.deepEqual([last.total.sessions, last.total.saved], [1, said.saved]);
  assert.equal(existsSync(file), false);
  assert.match((await desk.ok(["ls"])).out, /缓存方案/);
  assert.match((await desk.ok(["log", id])).out, /好的/);
  assert.match((await desk.ok(["log", `${file}.zst`])).out, /好的/);
  const refused = await desk.cli(["append", "-s", id], { stdin: turn("a", "b") });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /unarchive/);
  assert.equal((await desk.cli(["archive", id, "--apply"])).code, 1);
  const [back] = (await desk.ok(["unarchive", id, "--json"])).rows;
  assert.equal((back as unknown as { path: string }).path, file);
  assert.ok(bytes.equals(readFileSync(file)));
});

test("archive without a session takes cold ones only: recent, named and newest ones stay (F017, F122)", async (t) => {
  const desk = makeDesk(t);
  for (const name of ["", "", "named"]) {
    await desk.ok(name === "" ? ["new"] : ["new", name]);
    await desk.ok(["append"], { stdin: turn("q", "a") });
  }
  assert.match((await desk.ok(["archive"])).err, /0 sessions would.*\n3 sessions stay/);
  const plan = await desk.ok(["archive", "--older-than", "0s", "--json"]);
  const exempt = plan.rows.map((row) => (row as { exempt?: string | null }).exempt);
  assert.deepEqual(exempt.slice(0, 3).sort(), ["named", null, null].sort());
  const all = await desk.ok(["archive", "--older-than", "0s", "--named", "--apply", "--json"]);
  const applied = all.rows.filter((row) => (row as { applied?: boolean }).applied);
  assert.equal(applied.length, 3, JSON.stringify(all.rows));
  const again = await desk.ok(["archive", "--older-than", "0s", "--named", "--apply", "--json"]);
  assert.equal(again.rows.length, 2);
});

test("gc: payloads go to blobs and come back, a plan writes nothing (F016)", async (t) => {
  const desk = makeDesk(t);
  await desk.ok(["new"]);
  await desk.ok(["append"], { stdin: turn("q", `${"长 ".repeat(9000)}end`) });
  const [row] = (await desk.ok(["ls", "--json"])).rows;
  const { id, path: file } = row as unknown as { id: string; path: string };
  const bytes = readFileSync(file);
  const home = path.join(desk.home, ".local/share/branchline");
  const before = filesBelow(home);
  assert.equal((await desk.cli(["gc"])).code, 2);
  assert.equal((await desk.cli(["gc", "--blobs", "--restore"])).code, 2);
  assert.equal((await desk.cli(["gc", "--blobs", "--min-bytes", "big"])).code, 2);
  // In use, so only when it is named.
  assert.match((await desk.ok(["gc", "--blobs", "--min-bytes", "1KiB"])).err, /0 payloads/);
  const plan = await desk.ok(["gc", "--blobs", "--left-branches", "--min-bytes", "4KiB", id]);
  assert.match(plan.err, /1 payloads in 1 sessions.*--apply/);
  assert.deepEqual(filesBelow(home), before);
  await desk.ok(["gc", "--blobs", "--min-bytes", "4KiB", id, "--apply"]);
  assert.ok(readFileSync(file).length < 4000);
  assert.match((await desk.ok(["context", id, "--json"])).out, /长 长 长.*end/);
  assert.match((await desk.ok(["gc", "--prune"])).out, /0 of 1 blobs/);
  await desk.ok(["gc", "--restore", id, "--apply", "--json"]);
  assert.ok(bytes.equals(readFileSync(file)));
  assert.match((await desk.ok(["gc", "--prune", "--apply"])).out, /0 of 1 blobs were/);
  await desk.ok(["gc", "--blobs", "--min-bytes", "4KiB", id, "--apply"]);
  const blob = filesBelow(home).find((name) => /blobs.*zst$/.test(name)) ?? "";
  rmSync(path.join(home, blob));
  const checked = await desk.cli(["fsck", id]);
  assert.equal(checked.code, 3);
  assert.match(checked.out, /BLOB_MISSING/);
  assert.match((await desk.ok(["gc", "--restore", id])).err, /1 payloads cannot be read/);
});

test("sizes for people and back", () => {
  assert.deepEqual([0, 999, 1000, 99_949, 123_456, 1.5e9, 5e15].map(byteSize), [
    "0 B",
    "999 B",
    "1.0 kB",
    "99.9 kB",
    "123 kB",
    "1.5 GB",
    "5000 TB",
  ]);
  assert.deepEqual(["4096", "64KiB", "10MB", "1g", "x"].map(parseByteSize), [
    4096,
    65_536,
    10_000_000,
    1e9,
    null,
  ]);
});
