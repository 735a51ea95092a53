import assert from "node:assert/strict";
import { rmSync, statSync } from "node:fs";
import { test } from "node:test";
import { makeDesk, turn } from "./run-cli.ts";

interface Made {
  readonly id: string;
  readonly path: string;
  readonly linked: boolean;
  readonly bytes: number;
}

test("clone and fork say what they wrote; --link copies nothing and is told apart (F121)", async (t) => {
  const desk = makeDesk(t);
  await desk.ok(["new"]);
  await desk.ok(["append"], { stdin: turn("帮我设计缓存方案", "好的 ".repeat(3000)) });
  const [row] = (await desk.ok(["ls", "--json"])).rows;
  const { id, path: file } = row as unknown as { id: string; path: string };
  const make = async (...words: readonly string[]): Promise<Made> =>
    (await desk.ok([...words, "--json"])).rows[0] as unknown as Made;
  const copy = await make("clone", id);
  assert.deepEqual([copy.linked, copy.bytes > 9000], [false, true]);
  assert.equal(copy.bytes, statSync(copy.path).size);
  const linked = await make("clone", id, "--link", "--name", "接着做");
  assert.deepEqual([linked.linked, linked.bytes < 1000], [true, true]);
  assert.match((await desk.ok(["fork", "@~1", "-s", id, "--link"])).err, /B written[\s\S]*Pi too/);
  assert.match((await desk.ok(["fork", "@~1", "-s", id])).err, /\d B written/);
  await desk.ok(["append", "-s", linked.id], { stdin: turn("继续", "好") });
  const contexts = await Promise.all(
    [id, linked.id].map(async (one) => (await desk.ok(["context", one, "--json"])).rows[0]),
  );
  const [old, own] = contexts.map((one) => (one as unknown as { messages: unknown[] }).messages);
  assert.deepEqual(own?.slice(0, old?.length), old);
  assert.equal(own?.length, (old?.length ?? 0) + 2);
  // With the index and without, a hit in the base is told once for each session that holds it.
  for (const how of [[], ["--no-index"]]) {
    const hits = (await desk.ok(["search", "缓存方案", "--json", ...how])).rows;
    const sessions = hits.map((hit) => (hit as unknown as { session: string }).session);
    assert.equal(sessions.includes(linked.id), false);
    assert.equal(sessions.includes(id), true);
    const further = (await desk.ok(["search", "继续", "--json", ...how])).rows;
    assert.equal(further.length, 1);
  }
  const shared = await desk.ok(["export", linked.id, "--to", "md"]);
  assert.match(shared.out, /缓存方案[\s\S]*继续/);
  assert.ok(shared.err.includes(`are read from session ${id}`));
  await desk.ok(["name", id, "缓存"]);
  const unnamed = await make("clone", id, "--link");
  assert.equal((await desk.ok(["name", unnamed.id, "--json"])).rows[0]?.name, "缓存");
  await desk.ok(["purge", unnamed.id, "--yes"]);
  const refused = await desk.cli(["purge", id, "--yes"]);
  assert.equal(refused.code, 4);
  assert.match(refused.err, /--force/);
  const removed = await desk.ok(["rm", id]);
  assert.match(removed.err, /2 other sessions read from it[\s\S]*purged/);
  assert.ok(removed.err.includes(linked.path));
  assert.equal((await desk.cli(["fsck", linked.id])).code, 0);
  assert.equal((await desk.cli(["purge", id, "--trash", "--yes"])).code, 4);
  await desk.ok(["purge", id, "--trash", "--yes", "--force"]);
  const damaged = await desk.cli(["fsck", linked.id]);
  assert.deepEqual([damaged.code, /BASE_MISSING/.test(damaged.out)], [3, true]);
  await desk.ok(["append", "-s", linked.id], { stdin: turn("还在", "在") });
  rmSync(file, { force: true });
});
