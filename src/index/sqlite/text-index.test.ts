import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import {
  chain,
  headerLine,
  makeSearchDesk,
  type SearchDesk,
  user,
} from "../../../test/builders/search-desk.ts";
import { createNodeFileSystem } from "../../io/node-file-system.ts";
import { isBelowRoots, type TextHit, type TextQuery } from "../text-query.ts";
import type { EntryFact } from "../usage-fact.ts";
import { entryOnLine, readRange } from "./text-source.ts";

const QUERY: TextQuery = {
  terms: [{ phrase: ["word"], parts: [] }],
  without: [],
  fields: [],
  places: [],
  activeFirst: false,
  limit: 100,
};

async function hitsOf(
  desk: SearchDesk,
  query: Partial<TextQuery> = {},
): Promise<readonly TextHit[]> {
  return (await desk.text.search({ ...QUERY, ...query })) ?? [];
}

function writeSessions(desk: SearchDesk, count: number): void {
  for (let at = 0; at < count; at++) {
    desk.write(`${at}.jsonl`, [headerLine(`s${at}`), ...chain([user("a word"), user("words")])]);
  }
}

test("hits name file, line and bytes, and read gives the entry there", async (t) => {
  const desk = makeSearchDesk(t);
  writeSessions(desk, 1);
  await desk.refresh();
  const [hit] = await hitsOf(desk);
  assert.ok(hit !== undefined);
  assert.deepEqual([hit.session, hit.entry, hit.place.line, hit.ordinal], ["s0", "e0", 2, 0]);
  assert.deepEqual((await desk.text.read(hit))?.id, "e0");
  assert.equal(await desk.text.read({ ...hit, entry: "other" }), null);
  assert.equal(await desk.text.read({ ...hit, path: `${hit.path}.gone` }), null);
  const whole = { ...hit, sound: false };
  assert.equal((await desk.text.read(whole))?.id, "e0");
  assert.equal(await desk.text.read({ ...whole, ordinal: 1 }), null);
  assert.equal(await desk.text.read({ ...whole, ordinal: 99 }), null);
});

test("only below the roots that are asked for", async (t) => {
  const desk = makeSearchDesk(t);
  writeSessions(desk, 2);
  await desk.index.refresh([desk.root]);
  const none = await desk.text.update({ roots: ["/nowhere"] });
  assert.deepEqual(none, { entries: 0, bytes: 0, complete: true });
  await desk.text.update({ roots: [desk.root] });
  assert.equal((await hitsOf(desk, { roots: [desk.root] })).length, 2);
  assert.equal((await hitsOf(desk, { roots: ["/nowhere"] })).length, 0);
  assert.equal(isBelowRoots("/a/b", ["/a"]) && isBelowRoots("/a", ["/a"]), true);
  assert.equal(isBelowRoots("/ab", ["/a"]) || isBelowRoots("/a", []), false);
  assert.equal(isBelowRoots("/a", ["/"]) && isBelowRoots("/a", undefined), true);
});

test("facts of every session, oldest first; false where the database is in trouble", async (t) => {
  const desk = makeSearchDesk(t);
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } };
  const call = { type: "toolCall", name: "bash", arguments: {} };
  const message = {
    role: "assistant",
    provider: "p",
    model: "m",
    responseId: "r",
    content: [call],
    usage,
  };
  const lines = chain([
    user("a"),
    { type: "message", message },
    { type: "custom", customType: "c" },
  ]);
  const late = { ...headerLine("late"), timestamp: "2026-06-01T00:00:00.000Z" };
  desk.write("a.jsonl", [late, ...lines]);
  desk.write("b.jsonl", [headerLine("early", "/x"), ...chain([user("b")])]);
  await desk.refresh();
  const seen: (readonly [string, string, readonly EntryFact[]])[] = [];
  const isDone = await desk.text.eachSession([desk.root], async ({ session, cwd, facts }) => {
    const all: EntryFact[] = [];
    for await (const fact of facts) all.push(fact);
    seen.push([session, cwd, all]);
  });
  assert.equal(isDone, true);
  assert.deepEqual(
    seen.map(([session, cwd, facts]) => [session, cwd, facts.length]),
    [
      ["early", "/x", 1],
      ["late", "/home/me/project", 3],
    ],
  );
  const { timestamp } = lines[1] as { readonly timestamp: string };
  assert.deepEqual(seen[1]?.[2][1], {
    entry: "e1",
    timestamp,
    isMessage: true,
    response: "r",
    model: "p/m",
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 },
    calls: ["bash"],
  });
  assert.deepEqual([seen[1]?.[2][2]?.isMessage, seen[1]?.[2][2]?.usage], [false, null]);
  await desk.index.attempt(async ({ database }) => database.run("DROP TABLE spend"), undefined);
  assert.equal(
    await desk.text.eachSession(
      undefined,
      async ({ facts }) => void [...(facts as Iterable<EntryFact>)],
    ),
    false,
  );
});

test("perf: an update that has nothing to do reads no file; one that has reads each byte once", async (t) => {
  const desk = makeSearchDesk(t);
  writeSessions(desk, 20);
  await desk.index.refresh([desk.root]);
  const first = await desk.text.update();
  assert.equal(first?.entries, 40);
  assert.equal(first?.complete, true);
  assert.deepEqual(await desk.text.update(), { entries: 0, bytes: 0, complete: true });
});

test("large files go in in batches; a file that goes away on the way is left for later (F004)", async (t) => {
  const desk = makeSearchDesk(t);
  const text = `word ${"x y ".repeat(500_000)}`;
  const file = desk.write("big.jsonl", [
    headerLine("s"),
    ...chain([1, 2, 3, 4].map(() => user(text))),
  ]);
  writeSessions(desk, 1);
  await desk.index.refresh([desk.root]);
  const steps: number[] = [];
  await desk.text.update({ onProgress: (done) => void steps.push(done) });
  assert.ok(steps.length >= 3, `${steps}`);
  assert.equal((await hitsOf(desk)).length, 5);
  desk.write("gone.jsonl", [headerLine("g"), ...chain([user("word")])]);
  await desk.index.refresh([desk.root]);
  writeFileSync(path.join(desk.root, "gone.jsonl"), "");
  const after = await desk.text.update();
  assert.equal(after?.complete, true);
  assert.equal((await hitsOf(desk)).length, 5, file);
});

test("a line that is no UTF-8 or another entry gives what stands there, or nothing", async () => {
  const bytes = Buffer.from('{"type":"custom","id":"a","customType":"\xff"}', "latin1");
  assert.equal(entryOnLine(bytes, "a")?.id, "a");
  assert.equal(entryOnLine(bytes, "b"), null);
  assert.equal(entryOnLine(Buffer.from("{"), "a"), null);
  assert.equal(entryOnLine(Buffer.from('5{"id":"a"}'), "a"), null);
  const glued = Buffer.from(
    '{"type":"x","id":"a","parentId":null}{"type":"x","id":"b","parentId":null}',
  );
  assert.equal(entryOnLine(glued, "b")?.id, "b");
  const handle = await createNodeFileSystem().open(import.meta.filename, "read");
  assert.equal((await readRange(handle, 0, 6)).toString(), "import");
  assert.equal((await readRange(handle, 1e9, 5)).length, 0);
  await handle.close();
});

test("several processes bring the text up to date together, each entry once", async (t) => {
  const desk = makeSearchDesk(t);
  writeSessions(desk, 60);
  await desk.index.refresh([desk.root]);
  const program = path.resolve(import.meta.dirname, "../../../test/builders/text-process.ts");
  const run = (): Promise<number> =>
    new Promise((resolve) => {
      const args = ["--disable-warning=ExperimentalWarning", program, desk.database];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      let said = "";
      child.stdout.on("data", (data) => (said += data));
      child.once("close", () => resolve(Number(said)));
    });
  const entries = await Promise.all([run(), run(), run()]);
  assert.equal(
    entries.reduce((sum, one) => sum + one, 0),
    120,
    `${entries}`,
  );
  assert.equal((await hitsOf(desk)).length, 60);
});
