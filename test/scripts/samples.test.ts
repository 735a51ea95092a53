import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { recordSamples, SAMPLE_FILES } from "../../scripts/record-samples.ts";
import { NEUTRAL_FOLDER } from "../../scripts/samples/recorder.ts";
import { compactionDetails } from "../../src/compaction/compaction-details.ts";
import { planCompaction } from "../../src/compaction/plan.ts";
import type { Entry } from "../../src/entry/entry.ts";
import { isEntry } from "../../src/entry/entry-check.ts";
import type { Message, ToolResultMessage } from "../../src/entry/message.ts";
import { projectRaw } from "../../src/projection/raw.ts";
import { checkSession } from "../../src/session/fsck.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore, type JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";

const SHIPPED = path.resolve(import.meta.dirname, "../../examples/samples");
const MAX_BYTES = 200_000;

let folder: string;
let store: JsonlStore;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "branchline-samples-"));
  await recordSamples(folder);
  store = createJsonlStore({ root: folder });
});

after(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const opened = async (name: string): Promise<Session> =>
  Session.attach(await store.openFile(path.join(folder, name)));

async function listOf(entries: AsyncIterable<Entry>): Promise<readonly Entry[]> {
  const list: Entry[] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

const entriesOf = (session: Session): Promise<readonly Entry[]> => listOf(session.store.scan());

/** Results of a tool, in file order. */
async function resultsOf(session: Session, tool: string): Promise<readonly ToolResultMessage[]> {
  const isResult = (message: Message): message is ToolResultMessage =>
    message.role === "toolResult" && "toolName" in message && message.toolName === tool;
  return (await entriesOf(session)).flatMap((entry) =>
    isEntry(entry, "message") && isResult(entry.message) ? [entry.message] : [],
  );
}

const textOf = (message: unknown): string => JSON.stringify(Object(message).content ?? "");

for (const name of SAMPLE_FILES) {
  test(`${name}: recorded again, the same bytes; small, and of no machine`, () => {
    const shipped = readFileSync(path.join(SHIPPED, name));
    assert.ok(
      shipped.equals(readFileSync(path.join(folder, name))),
      "node scripts/record-samples.ts",
    );
    assert.ok(statSync(path.join(SHIPPED, name)).size <= MAX_BYTES);
    assert.doesNotMatch(shipped.toString("utf8"), /(?<![\w.])\/(?:tmp|root|work|Users)\//);
    for (const [place] of shipped.toString("utf8").matchAll(/(?<![\w.])\/home\/\w+/g)) {
      assert.ok(["/home/you", "/home/ana"].includes(place), place);
    }
  });

  test(`${name}: sound, named, with labels; Pi's reading of the path works`, async () => {
    await using session = await opened(name);
    assert.deepEqual((await checkSession(session.store)).problems, []);
    assert.equal(session.header.cwd, NEUTRAL_FOLDER);
    assert.ok(session.tree.name());
    assert.ok(session.tree.labels().size > 0);
    const raw = projectRaw((await listOf(session.store.path(session.leaf))).toReversed());
    assert.equal(raw.messages.at(-1)?.role, "assistant");
  });

  test(`${name}: each context is one that a model can be sent; answers say that they are offline`, async () => {
    await using session = await opened(name);
    for (const { head, name: branch } of session.branches()) {
      const { messages, tokens } = await session.context({ at: head });
      assert.equal(messages[0]?.role, "system", String(branch));
      assert.ok(tokens > 500 && tokens < 16_000, `${branch}: ${tokens} tokens`);
      const calls = messages.flatMap(
        (message) => textOf(message).match(/"type":"toolCall"/g) ?? [],
      );
      assert.equal(messages.filter(({ role }) => role === "toolResult").length, calls.length);
    }
    const answers = (await entriesOf(session)).flatMap((entry) =>
      isEntry(entry, "message") && entry.message.role === "assistant" ? [entry.message] : [],
    );
    assert.ok(answers.length >= 8);
    for (const answer of answers) {
      assert.equal(answer.provider, "offline");
      if (answer.stopReason === "stop") assert.match(textOf(answer), /offline model|离线模型/);
    }
  });
}

test("sample 1: two plans and a summary of the one that was left; /compact has something to do on each branch", async () => {
  await using session = await opened("1-plan-a-or-b.jsonl");
  assert.deepEqual(
    session.branches().map(({ name }) => name),
    ["main", "方案 A", "方案 B"],
  );
  assert.equal(session.tree.branch("方案 A")?.id, session.branch);
  const { messages } = await session.context();
  assert.equal(messages.filter(({ role }) => role === "branchSummary").length, 1);
  for (const name of ["main", "方案 A", "方案 B"]) {
    await session.moveToBranch(name);
    const plan = await planCompaction(session, { reason: "manual", contextWindow: 32_000 });
    assert.ok(!("refused" in plan), `${name}: ${JSON.stringify(plan).slice(0, 200)}`);
  }
});

test("sample 2: tests that fail and pass on three branches, one of them merged", async () => {
  await using session = await opened("2-bug-hunt.jsonl");
  assert.equal(session.branches().length, 4);
  const runs = await resultsOf(session, "run_tests");
  assert.deepEqual(
    runs.map((run) => /# pass (\d)/.exec(textOf(run))?.[1]),
    ["2", "2", "4", "6", "6"],
  );
  assert.deepEqual(
    runs.map(({ isError }) => isError),
    [true, true, true, false, false],
  );
  const { messages } = await session.context();
  assert.ok(messages.some(({ role }) => role === "branchSummary"));
});

test("sample 3: two compactions with loss reports; what no summary holds is found again", async () => {
  await using session = await opened("3-long-session.jsonl");
  const entries = await entriesOf(session);
  const compactions = entries.flatMap((entry) => (isEntry(entry, "compaction") ? [entry] : []));
  assert.equal(compactions.length, 2);
  for (const entry of compactions) {
    assert.doesNotMatch(entry.summary, /bridged and marked/);
    assert.ok((compactionDetails(entry)?.loss.items.length ?? 0) > 10);
  }
  const [found] = await resultsOf(session, "recall");
  assert.match(JSON.stringify(found), /it is bridged and marked, never hidden/);
  const { tokens } = await session.context();
  await session.uncompact();
  assert.ok((await session.context()).tokens > tokens);
});

test("sample 4: a foreign sibling in the middle of a run; both branches stay and are merged", async () => {
  await using session = await opened("4-two-writers.jsonl");
  const lines = readFileSync(path.join(folder, "4-two-writers.jsonl"), "utf8").split("\n");
  const foreign = lines.filter((line) => /^\{"type":"message","id":"[0-9a-f]{8}"/.test(line));
  assert.equal(foreign.length, 4, "lines as Pi writes them");
  assert.ok(foreign.every((line) => !line.includes('"crc"')));
  const { parentId } = JSON.parse(foreign[0] ?? "{}");
  assert.equal(
    session.tree.children(parentId).length,
    2,
    "one of ours and one of Pi's under one entry",
  );
  assert.equal(session.branches().length, 2);
  const { messages } = await session.context();
  assert.ok(messages.some(({ role }) => role === "branchSummary"));
});
