import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryDraft } from "../entry/entry.ts";
import type { ToolCallBlock } from "../entry/message.ts";
import type { Session } from "../session/session.ts";
import { add, calling, newFixture, result, user } from "../session/testing/session-fixture.ts";
import {
  INTERRUPTED_TEXT,
  planResume,
  type ResumePlan,
  readTail,
  TURN_LIMIT_TYPE,
} from "./resume-plan.ts";
import { RunJournal } from "./run-journal.ts";
import type { JournaledCall } from "./run-rows.ts";
import { readRunState } from "./run-state.ts";
import type { ToolOutput } from "./tool.ts";

const out = (text: string, members: Partial<ToolOutput> = {}): ToolOutput => ({
  content: [{ type: "text", text }],
  ...members,
});

function call(index: number, replay: "safe" | "never", args: object = {}): JournaledCall {
  return { index, callId: `c${index}`, name: "t", arguments: { ...args }, replay };
}

interface Scene {
  readonly session: Session;
  readonly journal: RunJournal;
  plan(): Promise<ResumePlan | null>;
}

async function scene(): Promise<Scene> {
  const { session } = await newFixture();
  const journal = new RunJournal({ session: session.id, run: "r1", branch: "main" });
  const plan = async (): Promise<ResumePlan | null> => {
    const run = (await readRunState(session.store)).openOn("main");
    return run === null ? null : planResume(run, await readTail(session.store, run));
  };
  return { session, journal, plan };
}

const kinds = (plan: ResumePlan | null): unknown =>
  plan?.action === "calls" ? plan.calls.map(({ step }) => step.kind) : plan?.action;

test("before anything: no run; after the prompt: ask the model; after the end: no run", async () => {
  const { session, journal, plan } = await scene();
  assert.equal(await plan(), null);
  await session.append([journal.start(), user("go")]);
  assert.deepEqual(await plan(), { action: "request" });
  await session.append(journal.end("done"));
  assert.equal(await plan(), null);
  assert.equal((await readRunState(session.store)).last?.outcome, "done");
});

test("F096: what ended is kept, safe calls run again, unsafe ones are interrupted, others begin", async () => {
  const { session, journal, plan } = await scene();
  await session.append([journal.start(), user("go")]);
  const message = await add(session, calling("c0", "c1", "c2", "c3", "c4"));
  assert.deepEqual(kinds(await plan()), ["begin", "begin", "begin", "begin", "begin"]);
  const calls = [
    call(0, "never"),
    call(1, "never"),
    call(2, "safe", { rewritten: true }),
    call(3, "never"),
  ];
  await session.append(journal.calls(message, calls));
  assert.deepEqual(kinds(await plan()), [
    "interrupted",
    "interrupted",
    "rerun",
    "interrupted",
    "begin",
  ]);
  await session.append(journal.result({ message, index: 3 }, out("three", { isError: true })));
  await session.append([journal.landed({ message, index: 0 }, {}), result("c0")]);
  const found = await plan();
  assert.ok(found?.action === "calls");
  assert.equal(found.entryId, message);
  assert.deepEqual(kinds(found), ["answered", "interrupted", "rerun", "finished", "begin"]);
  const [, interrupted, rerun, finished] = found.calls.map(({ step }) => step);
  assert.ok(interrupted?.kind === "interrupted" && rerun?.kind === "rerun");
  assert.ok(finished?.kind === "finished");
  assert.equal(interrupted.output.isError, true);
  assert.deepEqual(interrupted.output.content, [{ type: "text", text: INTERRUPTED_TEXT }]);
  assert.deepEqual(rerun.call.arguments, { rewritten: true });
  assert.deepEqual(finished.output, out("three", { isError: true }));
});

test("the end that tools asked for is known after a crash", async () => {
  const { session, journal, plan } = await scene();
  await session.append([journal.start(), user("go")]);
  const message = await add(session, calling("c0", "c1"));
  const terminates = async (): Promise<boolean> => {
    const found = await plan();
    return found?.action === "calls" && found.terminate;
  };
  assert.equal(await terminates(), false);
  await session.append(journal.calls(message, [call(0, "never"), call(1, "never")]));
  await session.append(journal.result({ message, index: 1 }, out("x", { terminate: true })));
  assert.equal(await terminates(), true);
  await session.append([
    journal.landed({ message, index: 0 }, { terminate: true }),
    result("c0"),
    result("c1"),
  ]);
  assert.equal(await terminates(), true);
  assert.deepEqual(kinds(await plan()), ["answered", "answered"]);
  await session.append(journal.landed({ message, index: 0 }, {}));
  assert.equal(await terminates(), false);
});

test("ids of calls that are used again, in one message and in a later one, are told apart", async () => {
  const { session, journal, plan } = await scene();
  await session.append([journal.start(), user("go")]);
  const first = await add(session, calling("same"));
  await session.append(journal.calls(first, [{ ...call(0, "never"), callId: "same" }]));
  await session.append([journal.landed({ message: first, index: 0 }, {}), result("same")]);
  const second = await add(session, calling("same", "same"));
  assert.deepEqual(kinds(await plan()), ["begin", "begin"]);
  await session.append(journal.calls(second, [{ ...call(1, "safe"), callId: "same" }]));
  assert.deepEqual(kinds(await plan()), ["begin", "rerun"]);
  await session.append(result("same"));
  assert.deepEqual(kinds(await plan()), ["answered", "rerun"]);
});

test("a last answer without calls, failed or aborted: go on where the run would stop", async () => {
  for (const stopReason of ["stop", "error", "aborted"]) {
    const { session, journal, plan } = await scene();
    await session.append([journal.start(), user("go")]);
    const content: ToolCallBlock[] =
      stopReason === "stop" ? [] : [{ type: "toolCall", id: "c", name: "t", arguments: {} }];
    const message = { role: "assistant", content, provider: "p", model: "m", stopReason };
    const id = await add(session, { type: "message", message });
    const found = await plan();
    assert.ok(found?.action === "stop");
    assert.equal(found.entryId, id);
    // A retry has hidden it, or a person has spoken: the model is asked.
    const mark = await add(session, { type: "context_edit", targetId: id, replacement: null });
    assert.deepEqual(await plan(), { action: "request" });
    assert.ok(mark);
  }
  const { session, journal, plan } = await scene();
  await session.append([journal.start(), user("go"), calling("c0"), result("c0"), user("steer")]);
  assert.deepEqual(await plan(), { action: "request" });
  const note = { type: "custom_message", customType: "x", content: "n", display: true } as const;
  await session.append([calling("c1"), note]);
  assert.deepEqual(await plan(), { action: "request" });
});

test("what stands before the run does not count; own state, labels and compaction between are passed over", async () => {
  const { session, journal, plan } = await scene();
  await session.append([user("old"), calling("old")]);
  await session.append([journal.start(), user("go")]);
  assert.deepEqual(await plan(), { action: "request" });
  const message = await add(session, calling("c0"));
  await session.append(journal.calls(message, [call(0, "safe")]));
  await session.setLabel(message, "here");
  await session.append(journal.files("before", { commit: "a", branch: "b", dirty: true }));
  assert.deepEqual(kinds(await plan()), ["rerun"]);
});

test("a later run of the branch closes an open one; runs of other branches are their own", async () => {
  const { session, journal, plan } = await scene();
  await session.append([journal.start(), user("go")]);
  const other = new RunJournal({ session: session.id, run: "r2", branch: "b2" });
  await session.append(other.start());
  const state = await readRunState(session.store);
  assert.deepEqual(
    state.open.map(({ run }) => run),
    ["r1", "r2"],
  );
  assert.equal(state.openOn("nowhere"), null);
  await session.append(new RunJournal({ session: session.id, run: "r3", branch: "b2" }).start());
  const later = await readRunState(session.store);
  assert.equal(later.openOn("b2")?.run, "r3");
  assert.equal(later.openOn("main")?.run, "r1");
  // A late row of a closed run has no effect.
  await session.append(other.end("done"));
  assert.equal((await readRunState(session.store)).last, null);
  assert.deepEqual(await plan(), { action: "request" });
});

test("a run that went on on a branch of its own is looked for there", async () => {
  const { session, journal } = await scene();
  await session.append([journal.start(), user("go")]);
  const start = session.leaf;
  await session.append(user("foreign"));
  await session.moveLeaf(start);
  const { branch } = session;
  assert.notEqual(branch, "main");
  await session.append([journal.moved(branch), calling("c0")]);
  const state = await readRunState(session.store);
  const run = state.openOn(branch);
  assert.ok(run);
  assert.equal(state.openOn("main"), null);
  assert.deepEqual(kinds(planResume(run, await readTail(session.store, run))), ["begin"]);
});

test("git states stand with the run: the first one before, the last one after", async () => {
  const { session, journal } = await scene();
  const state = (commit: string) => ({ commit, branch: null, dirty: false });
  await session.append([journal.start(), journal.files("before", state("1"))]);
  await session.append(journal.files("before", state("2")));
  await session.append(journal.files("after", state("3")));
  await session.append(journal.files("after", null));
  await session.append(journal.files("after", state("4")));
  await session.append(journal.end("error"));
  const { last } = await readRunState(session.store);
  assert.deepEqual(last?.filesBefore, state("1"));
  assert.deepEqual(last?.filesAfter, state("4"));
});

test("rows of any other shape have no effect, and nothing doubtful is run again (P7)", async () => {
  const { session, journal, plan } = await scene();
  await session.append([journal.start(), user("go")]);
  const message = await add(session, calling("c0", "c1", "c2", "c3"));
  const rows: unknown[] = [
    null,
    {},
    { run: 1, event: "start", branch: "main" },
    { run: "r9", event: "start" },
    { run: "r1", event: "calls", message, calls: 5 },
    { run: "r1", event: "calls", calls: [] },
    { run: "r1", event: "result", message },
    { run: "r1", event: "files", when: "between", files: null },
    { run: "r1", event: "end", outcome: "great" },
    { run: "r1", event: "moved" },
    { run: "r1", event: "dance" },
    {
      run: "r1",
      event: "calls",
      message,
      calls: [
        null,
        { index: "0" },
        { index: 0, callId: "c0", name: "t", replay: "safe" },
        { index: 1, callId: "c1", name: "t", arguments: {}, replay: "always" },
      ],
    },
    { run: "r1", event: "result", message, index: 2, output: { content: "text" } },
    { run: "r1", event: "result", message, index: 3, output: { content: [1] }, terminate: 1 },
  ];
  for (const row of rows) {
    const data = row === null ? null : { session: session.id, ...(row as object) };
    await session.append({ type: "custom", customType: "branchline.run", data });
  }
  const foreign: EntryDraft = {
    type: "custom",
    customType: "branchline.run",
    data: { session: "other", run: "r1", event: "end", outcome: "done" },
  };
  await session.append(foreign);
  assert.deepEqual(kinds(await plan()), [
    "interrupted",
    "interrupted",
    "interrupted",
    "interrupted",
  ]);
});

/** Runs one batch of an unsafe and a safe call and dies before its n-th commit; gives how often each ran. */
async function dying(session: Session, journal: RunJournal, commits: number): Promise<number[]> {
  const ran = [0, 0];
  let left = commits;
  const commit = async (drafts: readonly EntryDraft[]): Promise<string> => {
    if (left-- === 0) throw new Error("killed");
    const entries = await session.append(drafts);
    return entries.at(-1)?.id ?? "";
  };
  try {
    await commit([journal.start(), user("go")]);
    const message = await commit([calling("c0", "c1")]);
    await commit([journal.calls(message, [call(0, "never"), call(1, "safe")])]);
    ran[1] = 1;
    await commit([journal.result({ message, index: 1 }, out("safe"))]);
    ran[0] = 1;
    await commit([journal.landed({ message, index: 0 }, {}), result("c0"), result("c1")]);
    await commit([journal.end("done")]);
  } catch (error) {
    assert.match(String(error), /killed/);
  }
  return ran;
}

test("F096: killed before any commit of a batch, unsafe calls run at most once and safe ones at least once", async () => {
  for (let commits = 0; commits <= 6; commits++) {
    const { session, journal, plan } = await scene();
    const ran = await dying(session, journal, commits);
    const found = await plan();
    if (found === null) {
      assert.ok(commits === 0 || commits === 6);
      continue;
    }
    if (found.action !== "calls") {
      assert.equal(commits, 1);
      continue;
    }
    for (const { index, step } of found.calls) {
      if (step.kind === "rerun" || step.kind === "begin") ran[index] = (ran[index] ?? 0) + 1;
      if (step.kind !== "answered") await session.append(result(`c${index}`));
    }
    const [unsafe = 0, safe = 0] = ran;
    assert.ok(unsafe <= 1 && safe >= 1, `killed at ${commits}: ${ran}`);
    const { messages } = await session.context();
    const results = messages.filter(({ role }) => role === "toolResult");
    assert.equal(results.length, 2);
    assert.ok(!JSON.stringify(results).includes("synthetic"));
  }
});

test("the guard had spoken: only the end is missing, unless a person spoke since", async () => {
  const { session, journal, plan } = await scene();
  await session.append([journal.start(), user("go")]);
  await add(session, calling("c0"));
  await session.append(result("c0"));
  const limit = {
    type: "custom_message",
    customType: TURN_LIMIT_TYPE,
    content: "stopped",
  } as const;
  await session.append({ ...limit, display: true });
  assert.deepEqual(await plan(), { action: "limit" });
  await session.append(user("go on"));
  assert.deepEqual(await plan(), { action: "request" });
});
