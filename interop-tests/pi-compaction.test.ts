/** Pi 1.6.0 reads the compactions that we write, goes on from them, and we read on behind Pi. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { type CompactionDone, type CompactOptions, compact } from "../src/compaction/compact.ts";
import { extractiveSummariser } from "../src/compaction/extractive-summariser.ts";
import { isRefusal } from "../src/compaction/refusal.ts";
import { Session } from "../src/session/session.ts";
import { createJsonlStore } from "../src/store/jsonl/jsonl-store.ts";

/** What a file would hold: no undefined members. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const message = (value: Readonly<Record<string, unknown>>) => {
  return { type: "message" as const, message: { role: "", timestamp: 1, ...value } };
};

async function talk(session: Session, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    const id = `${session.tree.size}`;
    const call = { type: "toolCall", id, name: "edit", arguments: { path: `f${turn}.ts` } };
    const usage = { input: 9, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 10 };
    const answer = { role: "assistant", api: "x", provider: "p", model: "m", usage };
    await session.append([
      message({ role: "user", content: `请修改文件 ${turn} ${"word ".repeat(300)}` }),
      message({ ...answer, content: [call], stopReason: "toolUse" }),
      message({
        role: "toolResult",
        toolCallId: id,
        toolName: "edit",
        content: [{ type: "text", text: "ok ".repeat(400) }],
        isError: false,
      }),
      message({ ...answer, content: [{ type: "text", text: "完成" }], stopReason: "stop" }),
    ]);
  }
}

async function done(session: Session, keep: CompactOptions["keep"]): Promise<CompactionDone> {
  const outcome = await compact(session, {
    reason: "manual",
    summariser: extractiveSummariser(),
    keep,
  });
  if (isRefusal(outcome)) assert.fail(outcome.message);
  return outcome;
}

async function assertAgree(session: Session, file: string): Promise<void> {
  const before = readFileSync(file);
  const pi = SessionManager.open(file);
  const { messages, entries } = await session.context();
  assert.deepEqual(plain(pi.buildSessionContext().messages), plain(messages));
  assert.deepEqual(
    pi.buildContextEntries().map(({ id }) => id),
    entries,
  );
  assert.deepEqual(readFileSync(file), before, "reading wrote to the file");
}

test("Pi has the context that we have after each compaction: split turn, kept nothing, undone, gone on", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "branchline-interop-"));
  try {
    await using store = createJsonlStore({ root });
    await using session = await Session.attach(await store.create({ cwd: root }));
    const file = session.file ?? "";
    await session.append(
      message({ role: "system", content: "rules", toolsAdded: [{ name: "edit" }] }),
    );
    await talk(session, 4);
    const first = await done(session, { messages: 4 });
    await assertAgree(session, file);
    await talk(session, 2);
    const split = await done(session, { messages: 1 });
    assert.ok(split.plan.turnPrefix.length > 0);
    await assertAgree(session, file);
    await talk(session, 3);
    const none = await done(session, { messages: 0 });
    assert.equal(none.entry.firstKeptEntryId, none.entry.id);
    await assertAgree(session, file);
    await talk(session, 1);
    await assertAgree(session, file);

    // Pi goes on behind our compaction, and compacts itself; then it is our turn again.
    const pi = SessionManager.open(file);
    pi.appendMessage({ role: "user", content: "from Pi", timestamp: 5 });
    const kept = pi.getLeafId() ?? "";
    pi.appendCompaction("Pi's summary of all that", kept, 500, {
      readFiles: ["p.ts"],
      modifiedFiles: [],
    });
    await session.refresh();
    await assertAgree(session, file);
    await talk(session, 3);
    const { plan } = await done(session, { messages: 4 });
    assert.equal(plan.previous?.summary, "Pi's summary of all that");
    assert.deepEqual(plan.files.readFiles, ["p.ts"]);
    await assertAgree(session, file);
    await session.moveLeaf(first.entry.id);
    await assertAgree(session, file);
  } finally {
    rmSync(root, { recursive: true });
  }
});
