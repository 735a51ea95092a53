import assert from "node:assert/strict";
import { test } from "node:test";
import { add, newFixture } from "../session/testing/session-fixture.ts";
import { compact } from "./compact.ts";
import { extractiveSummariser } from "./extractive-summariser.ts";
import { expandCompaction, originalIds } from "./originals.ts";
import { readRange, recall } from "./recall.ts";
import { isRefusal } from "./refusal.ts";
import {
  answering,
  asking,
  longTalk,
  prose,
  resulting,
  told,
} from "./testing/compaction-fixture.ts";

type Session = Parameters<typeof compact>[0];

async function compacted(session: Session, keep = 1): Promise<string> {
  const outcome = await compact(session, {
    reason: "manual",
    summariser: told(),
    keep: { messages: keep },
  });
  if (isRefusal(outcome)) assert.fail(outcome.message);
  return outcome.entry.id;
}

async function find(session: Session, query: string): Promise<string[]> {
  return (await recall(session, { query })).map(({ entry }) => entry);
}

test("must-show 5: a fact that a compaction dropped is found by recall, and the loss report names it", async () => {
  const { session } = await newFixture();
  await longTalk(session, 2, 300);
  const fact = await add(
    session,
    asking("The staging database listens on port 54329, user deploy_bot."),
  );
  await longTalk(session, 3, 300);
  const outcome = await compact(session, {
    reason: "manual",
    summariser: told(),
    keep: { messages: 2 },
  });
  if (isRefusal(outcome)) assert.fail(outcome.message);
  assert.ok(!JSON.stringify((await session.context()).messages).includes("54329"));
  const named = outcome.loss.items.find(({ text }) => text.includes("54329"));
  assert.deepEqual(named, { kind: "number", text: "port 54329", entry: fact });
  assert.ok(JSON.stringify(outcome.entry.details).includes("54329"));
  const [hit] = await recall(session, { query: "what port does the staging database use?" });
  assert.equal(hit?.entry, fact);
  assert.match(hit.excerpt.text, /54329/);
  assert.ok(hit.excerpt.marks.length > 0);
  const around = await readRange(session, { entry: fact });
  assert.equal(around.length, 5);
  assert.equal(around[2]?.id, fact);
});

test("Chinese: whole words, and parts of a question without blanks", async () => {
  const { session } = await newFixture();
  await longTalk(session, 2, 100);
  const fact = await add(session, asking("测试环境的数据库端口是五四三二，由运维小组管理。"));
  await add(session, answering("今天天气很好。"));
  await longTalk(session, 2, 100);
  await compacted(session);
  assert.equal((await find(session, "数据库端口"))[0], fact);
  assert.equal((await find(session, "请问数据库的端口号是多少？"))[0], fact);
  assert.deepEqual(await find(session, "火星"), []);
});

test("tool output, arguments, names and paths are found; what fits better comes first", async () => {
  const { session } = await newFixture();
  await add(session, asking("start"));
  const call = await add(
    session,
    answering("run", { calls: [{ id: "c", name: "bash", args: { command: "make deploy-all" } }] }),
  );
  const output = await add(
    session,
    resulting("c", `${prose(200)} getLeafId failed in src/tree/leaf.ts`),
  );
  await longTalk(session, 2, 100);
  await compacted(session);
  assert.equal((await find(session, "deploy-all"))[0], call);
  assert.equal((await find(session, "leaf id"))[0], output);
  assert.equal((await find(session, '"src/tree/leaf.ts"'))[0], output);
  assert.equal((await find(session, "tool:leaf /leaf/ -x"))[0], output);
  assert.equal((await find(session, "failed leaf answer"))[0], output);
});

test("only what compactions of the path took out: not the context, not other branches", async () => {
  const { session } = await newFixture();
  const [root] = await longTalk(session, 1, 100);
  const elsewhere = await add(session, asking("zebra on another branch"));
  await add(session, answering(prose(100)));
  await session.moveLeaf(root!);
  const here = await add(session, asking("zebra on this branch"));
  const talk = await longTalk(session, 2, 100);
  assert.deepEqual(await find(session, "zebra"), []);
  await compacted(session, 2);
  // What the compaction keeps is in the context, so only the first question was taken out.
  assert.deepEqual(await find(session, '"question 2"'), []);
  assert.deepEqual(await find(session, '"question 1"'), [talk[0], root]);
  assert.deepEqual(await find(session, "zebra"), [here]);
  await add(session, asking("zebra in the context"));
  assert.deepEqual(await find(session, "zebra"), [here]);
  await session.uncompact();
  assert.deepEqual(await find(session, "zebra"), []);
  assert.ok(elsewhere !== here);
});

test("through several compactions, or in one of them", async () => {
  const { session } = await newFixture();
  const first = await add(session, asking("zebra one"));
  await longTalk(session, 2, 100);
  const one = await compacted(session);
  const second = await add(session, asking("zebra two"));
  await longTalk(session, 2, 100);
  const two = await compacted(session);
  assert.deepEqual(await find(session, "zebra"), [second, first]);
  const inOne = async (compaction: string) =>
    (await recall(session, { query: "zebra", compaction })).map(({ entry }) => entry);
  assert.deepEqual(await inOne(one), [first]);
  assert.deepEqual(await inOne(two), [second]);
  assert.equal((await recall(session, { query: "zebra", limit: 1 })).length, 1);
  await assert.rejects(inOne(first), { code: "TARGET_INVALID" });
});

test("refusals: no words, too many letters, an abort, an entry that is not on the path", async () => {
  const { session } = await newFixture();
  const ids = await longTalk(session, 2, 100);
  await compacted(session);
  for (const query of ["", "  ", '""', "x".repeat(5000)]) {
    await assert.rejects(recall(session, { query }), { code: query === '""' ? "USAGE" : "USAGE" });
  }
  const signal = AbortSignal.abort();
  await assert.rejects(recall(session, { query: "x", signal }), { code: "ABORTED" });
  await assert.rejects(readRange(session, { entry: ids[0]!, signal }), { code: "ABORTED" });
  await assert.rejects(readRange(session, { entry: "none" }), { code: "TARGET_INVALID" });
  await session.moveLeaf(ids[1]!);
  await assert.rejects(readRange(session, { entry: ids[3]! }), { code: "TARGET_INVALID" });
});

test("signs without words are looked for as they stand", async () => {
  const { session } = await newFixture();
  const id = await add(session, asking("use => here"));
  await longTalk(session, 2, 100);
  await compacted(session);
  assert.deepEqual(await find(session, "=>"), [id]);
  assert.equal((await find(session, "the is"))[0] === undefined, true);
});

test("a range is read in the order of the path, without rows that say nothing", async () => {
  const { session } = await newFixture();
  const ids = await longTalk(session, 3, 20);
  await session.setLabel(ids[2]!, "x");
  const last = await add(session, asking("last"));
  const read = async (options: Parameters<typeof readRange>[1]) =>
    (await readRange(session, options)).map(({ id }) => id);
  assert.deepEqual(await read({ entry: ids[4]!, before: 1, after: 5 }), [...ids.slice(3), last]);
  assert.deepEqual(await read({ entry: ids[0]!, before: 9, after: 0 }), [ids[0]]);
  assert.deepEqual(await read({ entry: last, before: 0 }), [last]);
});

test("F079 F083 expand gives the originals of one compaction in order, of all of them in turn", async () => {
  const { session } = await newFixture();
  const expand = async (id?: string): Promise<string[]> => {
    const ids: string[] = [];
    for await (const entry of expandCompaction(session, id)) ids.push(entry.id);
    return ids;
  };
  await assert.rejects(expand(), { code: "TARGET_INVALID" });
  const ids = await longTalk(session, 300, 2);
  await session.setLabel(ids[3]!, "x");
  const one = await compacted(session, 4);
  assert.deepEqual(
    (await expand()).filter((id) => ids.includes(id)),
    ids.slice(0, -4),
  );
  const more = await longTalk(session, 2, 2);
  const outcome = await compact(session, {
    reason: "manual",
    summariser: extractiveSummariser(),
    keep: { messages: 0 },
  });
  if (isRefusal(outcome)) {
    assert.equal(outcome.refused, "not-shrinking");
  }
  const all = await longTalk(session, 20, 50);
  const two = await compacted(session, 0);
  const expected = [...ids.slice(-4), one, ...more, ...all];
  const given = (await expand(two)).filter((id) => expected.includes(id));
  assert.deepEqual(given, isRefusal(outcome) ? expected : all);
  assert.deepEqual(await expand(one), ids.slice(0, -4));
  await longTalk(session, 20, 50);
  const three = await compacted(session, 2);
  assert.equal(originalIds(session, three)[0], two);
  await assert.rejects(expand(ids[0]), { code: "TARGET_INVALID" });
});

test("M8 F089 a first kept entry that is not there: everything above the compaction is found", async () => {
  const { session } = await newFixture();
  const ids = await longTalk(session, 2, 20);
  await add(session, {
    type: "compaction",
    summary: "s",
    firstKeptEntryId: "gone",
    tokensBefore: 1,
  });
  const compaction = session.tree.get(session.leaf!)!.id;
  assert.deepEqual(originalIds(session, compaction), ids);
  assert.ok((await find(session, "question")).length > 0);
});
