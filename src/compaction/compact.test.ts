import assert from "node:assert/strict";
import { test } from "node:test";
import { isEntry } from "../entry/entry-check.ts";
import { forkSession } from "../session/fork.ts";
import { Session } from "../session/session.ts";
import { add, newFixture, texts, user } from "../session/testing/session-fixture.ts";
import { type CompactionDone, type CompactOptions, compact } from "./compact.ts";
import { compactionDetails } from "./compaction-details.ts";
import { extractiveSummariser } from "./extractive-summariser.ts";
import { expandCompaction } from "./originals.ts";
import { isRefusal, type RefusalReason } from "./refusal.ts";
import {
  answering,
  asking,
  GOOD_SUMMARY,
  longTalk,
  prose,
  resulting,
  system,
  told,
} from "./testing/compaction-fixture.ts";

type Given = Partial<CompactOptions>;

const tokens = (count: number): Given => ({ keep: { tokens: count } });

async function done(session: Session, options: Given = {}): Promise<CompactionDone> {
  const outcome = await compact(session, { reason: "manual", summariser: told(), ...options });
  if (isRefusal(outcome)) assert.fail(`${outcome.refused}: ${outcome.message}`);
  return outcome;
}

/** The compaction is refused, and the session has not a byte more. */
async function refused(session: Session, options: Given): Promise<RefusalReason> {
  const { size } = session.tree;
  const before = JSON.stringify(await session.context());
  const outcome = await compact(session, { reason: "manual", summariser: told(), ...options });
  assert.ok(isRefusal(outcome), "written");
  assert.equal(session.tree.size, size);
  assert.equal(JSON.stringify(await session.context()), before);
  assert.ok(outcome.message.length > 20);
  return outcome.refused;
}

test("one entry in Pi's shape; what is behind the cut stays as it is", async () => {
  const { session } = await newFixture();
  await add(session, system("be brief"));
  const ids = await longTalk(session, 6, 500);
  const { messages } = await session.context();
  const { entry, tokensBefore, tokensAfter } = await done(session, tokens(1100));
  assert.deepEqual(Object.keys(entry).sort(), [
    ...["details", "firstKeptEntryId", "id", "parentId", "summary", "systemMessage"],
    ...["timestamp", "tokensBefore", "type"],
  ]);
  assert.equal(entry.firstKeptEntryId, ids[8]);
  assert.equal(entry.parentId, ids[11]);
  assert.equal(entry.tokensBefore, tokensBefore);
  assert.ok(tokensAfter < tokensBefore);
  const after = await session.context();
  assert.deepEqual(after.messages[0], messages[0]);
  assert.equal(after.messages[1]?.role, "compactionSummary");
  assert.deepEqual(after.messages.slice(2), messages.slice(-4));
  assert.deepEqual((await session.context({ raw: true })).messages, after.messages);
  assert.equal(after.tokens, tokensAfter);
});

test("F071 F072 an empty or trivial summary is refused and the old state kept", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  for (const text of ["", "  \n ", "OK.", "--- --- --- --- --- ---"]) {
    assert.equal(
      await refused(session, { ...tokens(600), summariser: told(text) }),
      "empty-summary",
    );
  }
});

test("F072 the outcome says how large the context was and is", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  const { tokensBefore, tokensAfter } = await done(session, tokens(600));
  assert.ok(tokensBefore > 2000 && tokensAfter < 700, `${tokensBefore} ${tokensAfter}`);
});

test("F082 a partial or failed summary is never written", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  const cut = (stopReason: string): Given => ({
    ...tokens(600),
    summariser: told({ text: GOOD_SUMMARY, stopReason }),
  });
  assert.equal(await refused(session, cut("length")), "partial-summary");
  assert.equal(await refused(session, cut("error")), "failed-summary");
  assert.equal(await refused(session, cut("toolUse")), "failed-summary");
});

test("F082 an abort at any moment writes nothing", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  const { size } = session.tree;
  const before = AbortSignal.abort();
  const late = new AbortController();
  const summariser = told(() => {
    late.abort();
    return { text: GOOD_SUMMARY, stopReason: "stop" };
  });
  for (const signal of [before, late.signal]) {
    const options = { reason: "manual" as const, summariser, signal, ...tokens(600) };
    await assert.rejects(compact(session, options), { code: "ABORTED" });
  }
  assert.equal(session.tree.size, size);
});

test("F076 a summary that makes the context no smaller is refused", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 100);
  const summariser = told(prose(900));
  assert.equal(await refused(session, { ...tokens(120), summariser }), "not-shrinking");
});

test("F073 the summary is durable before anybody can use it", async () => {
  const { session, again } = await newFixture();
  await longTalk(session, 4, 500);
  await done(session, tokens(600));
  const other = await again();
  assert.deepEqual((await other.context()).messages, (await session.context()).messages);
});

test("F074 system prompt and tools re-enter word for word, never by the summary", async () => {
  const { session } = await newFixture();
  const rule = "规则: never touch main.\n  Keep   blanks.";
  await add(session, system(rule, { sections: { style: "terse" }, toolsAdded: [{ name: "a" }] }));
  await longTalk(session, 3, 500);
  await add(
    session,
    system("later rule", { sections: { style: null, env: "e" }, toolsAdded: [{ name: "b" }] }),
  );
  await longTalk(session, 3, 500);
  for (let round = 0; round < 3; round++) {
    const summariser = told();
    const { entry } = await done(session, { ...tokens(600), summariser });
    const { systemMessage } = entry;
    assert.equal(systemMessage?.content, `${rule}\n\nlater rule`);
    assert.deepEqual(systemMessage.sections, { env: "e" });
    assert.deepEqual(systemMessage.toolsAdded, [{ name: "a" }, { name: "b" }]);
    const [input] = summariser.inputs;
    assert.ok(!JSON.stringify(input?.messages).includes("never touch main"));
    const { messages } = await session.context();
    assert.equal(messages.filter(({ role }) => role === "system").length, 1);
    await longTalk(session, 3, 500);
  }
});

test("F075 F077 the loop brake holds after three vain compactions in a row, and a new prompt lets go", async () => {
  const { session } = await newFixture();
  await longTalk(session, 2, 500);
  const settings = { keepRecentTokens: 100 };
  const automatic: Given = { reason: "threshold", settings };
  for (let round = 0; round < 3; round++) {
    await done(session, automatic);
    await add(session, answering("again", { calls: [{ id: `c${round}`, name: "read" }] }));
    await add(session, resulting(`c${round}`, prose(2000)));
  }
  assert.equal(await refused(session, automatic), "loop-brake");
  assert.equal(await refused(session, { ...automatic, reason: "overflow" }), "loop-brake");
  await add(session, user("go on with a smaller part"));
  await add(session, answering(prose(500)));
  await done(session, automatic);
});

test("F075 compactions with work between them are no loop", async () => {
  const { session } = await newFixture();
  await longTalk(session, 2, 500);
  for (let round = 0; round < 5; round++) {
    await done(session, { reason: "threshold", settings: { keepRecentTokens: 100 } });
    for (let step = 0; step < 3; step++) {
      const id = `c${round}-${step}`;
      await add(session, answering("on", { calls: [{ id, name: "read" }] }));
      await add(session, resulting(id, prose(700)));
    }
  }
});

test("F075 a compaction that took out less than a tenth counts as vain; the brake can be set or taken off", async () => {
  const { session } = await newFixture();
  await longTalk(session, 8, 500);
  const automatic: Given = { reason: "threshold", settings: { brakeAfter: 1 } };
  const shy = { ...automatic, summariser: told(prose(3300)), keep: { messages: 2 } } as const;
  await done(session, shy);
  for (let step = 0; step < 3; step++) {
    await add(session, answering("on", { calls: [{ id: `c${step}`, name: "read" }] }));
    await add(session, resulting(`c${step}`, prose(700)));
  }
  assert.equal(await refused(session, automatic), "loop-brake");
  await done(session, { ...automatic, settings: { brakeAfter: 0 } });
});

test("F075 by hand a compaction is always possible, and ends the series", async () => {
  const { session } = await newFixture();
  await longTalk(session, 2, 500);
  for (let round = 0; round < 4; round++) {
    await done(session, tokens(100));
    await add(session, answering(prose(500)));
  }
  await done(session, { reason: "threshold", settings: { keepRecentTokens: 100, brakeAfter: 2 } });
});

test("F075 compactions of other programs count too, by what came after them", async () => {
  const { session } = await newFixture();
  await add(session, user("go"));
  for (let round = 0; round < 3; round++) {
    const keeps = session.leaf!;
    await add(session, {
      type: "compaction",
      summary: "s",
      firstKeptEntryId: keeps,
      tokensBefore: 0,
    });
    await add(session, answering(prose(500)));
  }
  const automatic: Given = { reason: "threshold", settings: { keepRecentTokens: 100 } };
  assert.equal(await refused(session, automatic), "loop-brake");
  await add(session, answering(prose(500)));
  await done(session, automatic);
});

test("F078 a giant tail is taken out as a whole, shown to the summary in short, and the session goes on", async () => {
  const { session } = await newFixture();
  await add(session, asking("read the log, port 8443"));
  await add(session, answering("reading", { calls: [{ id: "c", name: "read" }] }));
  await add(session, resulting("c", `start ${prose(300_000)} the end: ENOSPC`));
  const summariser = told();
  const options: Given = { reason: "threshold", contextWindow: 200_000, summariser };
  const { entry, tokensAfter, plan } = await done(session, options);
  assert.equal(entry.firstKeptEntryId, entry.id);
  assert.equal(plan.turnPrefix.length, 3);
  assert.ok(tokensAfter < 1000, String(tokensAfter));
  assert.deepEqual(await texts(session), [`[${GOOD_SUMMARY}]`]);
  await longTalk(session, 1, 100);
  // A second one right after finds nothing to do, which is an answer and leaves the session alive.
  assert.equal(await refused(session, { contextWindow: 200_000 }), "nothing-to-compact");
});

test("F078 small talk before a giant tail that fits no more is not taken for progress", async () => {
  const { session } = await newFixture();
  await add(session, asking("read the log"));
  await add(session, answering("reading", { calls: [{ id: "c", name: "read" }] }));
  await add(session, resulting("c", prose(150_000)));
  const { tokensAfter } = await done(session, { reason: "overflow" });
  assert.ok(tokensAfter < 1000, String(tokensAfter));
});

test("F078 where nothing helps the refusal says why", async () => {
  const { session } = await newFixture();
  await add(session, system(prose(9000)));
  await longTalk(session, 2, 500);
  const options: Given = { reason: "threshold", contextWindow: 10_000 };
  assert.equal(await refused(session, options), "too-large");
  const giant = told(prose(3000));
  const { session: second } = await newFixture();
  await longTalk(second, 8, 500);
  const small: Given = { contextWindow: 2000, summariser: giant };
  assert.equal(await refused(second, small), "too-large");
});

test("F079 F083 the originals stay, and one can go back to before a compaction", async () => {
  const { session } = await newFixture();
  const ids = await longTalk(session, 4, 500);
  const before = await session.context();
  const stored = JSON.stringify(await session.store.getAll(ids));
  await done(session, tokens(600));
  await session.moveLeaf(ids.at(-1)!);
  assert.deepEqual((await session.context()).messages, before.messages);
  assert.equal(JSON.stringify(await session.store.getAll(ids)), stored);
});

test("F080 an entry stays small however much it stands for and however often", async (t) => {
  const { session } = await newFixture();
  const sizes: number[] = [];
  for (let round = 0; round < 6; round++) {
    for (let turn = 0; turn < 20; turn++) {
      const names = Array.from({ length: 60 }, (_, at) => `src/r${round}/t${turn}/file${at}.ts`);
      await add(session, asking(`look at ${names.join(" ")}`));
      await add(session, answering(`someName${turn}_${round} took ${turn}${round}7 ms`));
    }
    const { entry } = await done(session, { ...tokens(100), summariser: extractiveSummariser() });
    sizes.push(JSON.stringify(entry).length);
  }
  t.diagnostic(`bytes of the entries: ${sizes.join(" ")}`);
  assert.ok(sizes.every((size) => size < 64 * 1024));
});

test("F081 F084 only the active path is summarised, also right after a move or an undo", async () => {
  const { session } = await newFixture();
  const ids = await longTalk(session, 2, 500);
  await add(session, asking(`ABANDONED ${prose(500)}`));
  await session.moveLeaf(ids.at(-1)!);
  await longTalk(session, 2, 500);
  const summariser = told();
  await done(session, { ...tokens(600), summariser });
  assert.ok(!JSON.stringify(summariser.inputs).includes("ABANDONED"));
  await session.undo();
  const again = told();
  await done(session, { ...tokens(600), summariser: again });
  assert.deepEqual(again.inputs[0]?.messages, summariser.inputs[0]?.messages);
});

test("F085 switched off means off, on overflow too; a person may still ask", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  const settings = { enabled: false };
  assert.equal(await refused(session, { reason: "threshold", settings }), "off");
  assert.equal(await refused(session, { reason: "overflow", settings }), "off");
  const perModel = { "p/m": { enabled: false } };
  assert.equal(await refused(session, { reason: "overflow", settings: { perModel } }), "off");
  await done(session, { ...tokens(600), settings });
});

test("F086 calls without results yet are kept, so that a late result finds its call", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  const call = await add(
    session,
    answering("go", {
      calls: [
        { id: "c", name: "read" },
        { id: "d", name: "read" },
      ],
    }),
  );
  await add(session, resulting("d", prose(900)));
  const { entry } = await done(session, tokens(0));
  assert.equal(entry.firstKeptEntryId, call);
  await add(session, resulting("c", "late"));
  const { messages } = await session.context();
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["compactionSummary", "assistant", "toolResult", "toolResult"],
  );
  assert.ok(!JSON.stringify(messages).includes("synthetic"));
});

test("F087 every original is stored before its compaction and can be read", async () => {
  const { session } = await newFixture();
  const ids = await longTalk(session, 4, 500);
  const { entry } = await done(session, tokens(600));
  const originals: string[] = [];
  for await (const one of expandCompaction(session)) originals.push(one.id);
  assert.deepEqual(originals, ids.slice(0, 6));
  assert.ok(session.tree.get(entry.id)!.ordinal > session.tree.get(ids.at(-1)!)!.ordinal);
});

test("F088 F089 a fork of a compacted session has the same context; the first kept entry is a message", async () => {
  const { session, store } = await newFixture();
  const ids = await longTalk(session, 4, 500);
  await session.setLabel(ids[6]!, "here");
  await done(session, tokens(600));
  await longTalk(session, 1, 10);
  const before = await session.context();
  const kept = session.tree.get(session.leaf!)?.fold.compactions?.firstKeptEntryId;
  assert.equal(kept, ids[6]);
  const copy = await forkSession({ from: session, store, at: session.leaf });
  const fork = await Session.attach(copy);
  assert.deepEqual((await fork.context()).messages, before.messages);
});

test("the next one goes on from where the last one kept, with its summary as input", async () => {
  const { session } = await newFixture();
  const ids = await longTalk(session, 4, 500);
  await done(session, { ...tokens(600), summariser: told(`${GOOD_SUMMARY} ONE`) });
  await longTalk(session, 2, 500);
  const summariser = told(`${GOOD_SUMMARY} TWO`);
  const { plan } = await done(session, { ...tokens(600), summariser });
  const [input] = summariser.inputs;
  assert.equal(input?.previousSummary, `${GOOD_SUMMARY} ONE`);
  assert.equal(input.messages[0]?.entry, ids[6]);
  assert.equal(plan.previous?.summary, `${GOOD_SUMMARY} ONE`);
  assert.deepEqual((await texts(session))[0], `[${GOOD_SUMMARY} TWO]`);
});

test("an uncompacted compaction is no input: what it stood for is summarised anew", async () => {
  const { session } = await newFixture();
  const ids = await longTalk(session, 4, 500);
  await done(session, tokens(600));
  await session.uncompact();
  const summariser = told();
  await done(session, { ...tokens(600), summariser });
  assert.equal(summariser.inputs[0]?.previousSummary, null);
  assert.equal(summariser.inputs[0].messages[0]?.entry, ids[0]);
});

test("a cut inside a turn hands its first part over apart", async () => {
  const { session } = await newFixture();
  const [, old] = await longTalk(session, 1, 500);
  const question = await add(session, asking("do it all"));
  const steps: string[] = [];
  for (const id of ["a", "b", "c"]) {
    steps.push(await add(session, answering("step", { calls: [{ id, name: "read" }] })));
    steps.push(await add(session, resulting(id, prose(400))));
  }
  const summariser = told();
  const { entry, plan } = await done(session, { ...tokens(500), summariser });
  assert.equal(entry.firstKeptEntryId, steps[4]);
  const [input] = summariser.inputs;
  assert.equal(input?.messages.at(-1)?.entry, old);
  assert.deepEqual(
    input?.turnPrefix.map((one) => one.entry),
    [question, ...steps.slice(0, 4)],
  );
  assert.equal(compactionDetails(entry)?.split, true);
  assert.equal(plan.kept.length, 2);
});

test("file lists go from compaction to compaction; a failed change is none", async () => {
  const { session } = await newFixture();
  const use = async (name: string, path: string, isError = false): Promise<void> => {
    await add(session, answering("x", { calls: [{ id: path + name, name, args: { path } }] }));
    await add(session, resulting(path + name, prose(200), { toolName: name, isError }));
  };
  await add(session, asking("start"));
  await use("read", "a.ts");
  await use("read", "b.ts");
  await use("edit", "b.ts");
  await use("write", "broken.ts", true);
  await longTalk(session, 2, 400);
  const first = await done(session, tokens(450));
  assert.deepEqual(first.plan.files, { readFiles: ["a.ts"], modifiedFiles: ["b.ts"] });
  assert.ok(first.entry.summary.endsWith("</modified-files>"));
  await use("write_note", "c.ts");
  await longTalk(session, 2, 400);
  const second = await done(session, tokens(450));
  const { readFiles, modifiedFiles } = second.entry.details as Record<string, unknown>;
  assert.deepEqual([readFiles, modifiedFiles], [["a.ts"], ["b.ts", "c.ts"]]);
  assert.equal(second.entry.summary.match(/<read-files>/g)?.length, 1);
});

test("what is said while the summary is made stays behind it", async () => {
  const { session, again } = await newFixture();
  await longTalk(session, 4, 500);
  const other = await again();
  const summariser = told(async () => {
    await add(other, user("typed meanwhile"));
    return { text: GOOD_SUMMARY, stopReason: "stop" };
  });
  const { entry } = await done(session, { ...tokens(600), summariser });
  assert.equal((await texts(session)).at(-1), "typed meanwhile");
  assert.equal((await session.store.mustGet(entry.parentId!)).type, "message");
});

test("an edit, compaction or move meanwhile makes the plan void; so does anything under an expected leaf", async () => {
  const meanwhile = async (
    act: (other: Session, ids: string[]) => Promise<unknown>,
    more: Given = {},
  ) => {
    const { session, again } = await newFixture();
    const ids = await longTalk(session, 4, 500);
    const other = await again();
    const summariser = told(async () => {
      await act(other, ids);
      return { text: GOOD_SUMMARY, stopReason: "stop" };
    });
    const { leaf } = session;
    const expected = "expectedLeaf" in more ? { expectedLeaf: leaf } : {};
    const options = { reason: "manual" as const, summariser, ...tokens(600), ...expected };
    const outcome = await compact(session, options);
    return isRefusal(outcome) ? outcome.refused : "written";
  };
  assert.equal(await meanwhile((other, ids) => other.hide(ids[0]!)), "leaf-moved");
  assert.equal(await meanwhile((other) => done(other, tokens(600))), "leaf-moved");
  assert.equal(await meanwhile((other, ids) => other.setLabel(ids[0]!, "x")), "written");
  assert.equal(
    await meanwhile((other) => add(other, user("x")), { expectedLeaf: null }),
    "leaf-moved",
  );
  const { session } = await newFixture();
  const ids = await longTalk(session, 4, 500);
  assert.equal(await refused(session, { expectedLeaf: ids[2] }), "leaf-moved");
  // The same handle goes elsewhere while it waits.
  const summariser = told(async () => {
    await session.moveLeaf(ids[1]!);
    return { text: GOOD_SUMMARY, stopReason: "stop" };
  });
  const moved = await compact(session, { reason: "manual", summariser, ...tokens(600) });
  assert.ok(isRefusal(moved) && moved.refused === "leaf-moved");
});

test("a handle inside the tree compacts on a branch of its own", async () => {
  const { session, again } = await newFixture();
  const ids = await longTalk(session, 6, 500);
  const handle = await again({ at: ids[7]! });
  await done(handle, tokens(600));
  assert.equal((await texts(handle)).length, 3);
  assert.equal((await texts(session)).length, 12);
});

test("nothing to compact is an answer", async () => {
  const { session } = await newFixture();
  assert.equal(await refused(session, {}), "nothing-to-compact");
  await longTalk(session, 2, 100);
  assert.equal(await refused(session, {}), "nothing-to-compact");
  await add(session, system("only"));
  assert.equal(await refused(session, tokens(100_000)), "nothing-to-compact");
});

test("progress is told; instructions and budgets reach the summariser", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  const summariser = told();
  const seen: string[] = [];
  await done(session, {
    ...tokens(600),
    contextWindow: 100_000,
    summariser: {
      ...summariser,
      summarise: async (input, options) => {
        options?.onText?.("part");
        return summariser.summarise(input, options);
      },
    },
    instructions: "mind the ports",
    onProgress: (step) => seen.push(step.type === "text" ? step.delta : `${step.summarised}`),
  });
  assert.deepEqual(seen, ["6", "part"]);
  const [input] = summariser.inputs;
  assert.equal(input?.instructions, "mind the ports");
  assert.equal(input.maxTokens, 13_107);
  assert.equal(input.inputTokens, 100_000 - 13_107 - 1500);
});

test("usage of the summary stands in the entry and counts in the totals", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  const usage = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 };
  const summariser = told({ text: GOOD_SUMMARY, stopReason: "stop", usage });
  const { entry } = await done(session, { ...tokens(600), summariser });
  assert.deepEqual(entry.usage, usage);
  assert.equal(session.tree.get(entry.id)?.fold.usage.input, 100);
});

test("details of our own stand under one key and are read from any shape", async () => {
  const { session } = await newFixture();
  await longTalk(session, 4, 500);
  const { entry, loss, tokensAfter } = await done(session, tokens(600));
  assert.deepEqual(Object.keys(entry.details as object), [
    "readFiles",
    "modifiedFiles",
    "branchline",
  ]);
  assert.deepEqual(compactionDetails(entry), {
    ...{ reason: "manual", summariser: "told", extractive: false, tokensAfter },
    ...{ messages: 6, split: false, loss },
  });
  const odd = {
    ...entry,
    details: { branchline: { reason: "manual", loss: { items: [1, { kind: "path" }] } } },
  };
  assert.deepEqual(compactionDetails(odd)?.loss.items, []);
  for (const details of [undefined, 5, {}, { branchline: 1 }, { branchline: { reason: "x" } }]) {
    assert.equal(compactionDetails({ ...entry, details }), null);
  }
  assert.ok(isEntry(entry, "compaction"));
});
