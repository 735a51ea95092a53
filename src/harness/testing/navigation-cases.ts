import assert from "node:assert/strict";
import type { Summariser } from "../../compaction/summariser.ts";
import type { ScriptedStep } from "../../model/scripted-model.ts";
import { estimateContextTokens } from "../../projection/token-estimate.ts";
import { Session } from "../../session/session.ts";
import { goalDraft, tasksDraft } from "../plan-rows.ts";
import { NO_PLAN } from "../plan-state.ts";
import * as golden from "./golden-traces.ts";
import type { HarnessCase } from "./harness-case.ts";
import { latch, makeRig, type Rig, texts, tool, until } from "./harness-rig.ts";

const never = new Promise<void>(() => undefined);
const held = { text: "one two", chunk: 4, gate: (at: number) => (at === 0 ? undefined : never) };

/** The entry of the first message with this text. */
async function entryOf(rig: Rig, text: string): Promise<string> {
  const { messages, sources } = await rig.session.context();
  const at = texts(messages).indexOf(text);
  assert.ok(at >= 0, text);
  return sources[at] ?? "";
}

function twenty(step: ScriptedStep): readonly ScriptedStep[] {
  return Array.from({ length: 20 }, () => step);
}

function summariser(wait?: Promise<void>): Summariser {
  return {
    name: "saying",
    isExtractive: true,
    async summarise(input, options) {
      const { promise, reject } = Promise.withResolvers<void>();
      options?.signal?.addEventListener("abort", () => reject(options.signal?.reason));
      await Promise.race([wait ?? Promise.resolve(), promise]);
      const text = `It was about: ${texts(input.messages.map(({ message }) => message)).join(", ")}`;
      return { text, stopReason: "stop" };
    },
  };
}

/** Moving the leaf with a run in sight (harness.md §5). */
export const navigationCases: readonly HarnessCase[] = [
  {
    name: "a move during a run is refused; with abort the run settles first",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ text: "ok" }, held] });
      await rig.harness.prompt("one");
      const first = await entryOf(rig, "user: one");
      const start = rig.trace.length;
      const run = rig.harness.prompt("two");
      await until(() => rig.trace.slice(start).includes("message_update text_delta"));
      const left = rig.session.leaf;
      await assert.rejects(rig.harness.moveLeaf(first), { code: "HARNESS_BUSY" });
      await assert.rejects(rig.harness.select(first), { code: "HARNESS_BUSY" });
      assert.equal(rig.session.leaf, left);
      const moved = await rig.harness.moveLeaf(first, { abort: true });
      assert.deepEqual(rig.trace.slice(start), golden.NAVIGATION);
      assert.equal((await run).outcome, "aborted");
      assert.equal(moved.position, first);
      const other = await rig.again();
      assert.equal(other.position, first);
      assert.deepEqual(texts((await other.context()).messages), ["user: one"]);
    },
  },
  {
    name: "the settings of a path are in force after a move and at creation",
    async run(made) {
      const steps = Array.from({ length: 3 }, () => ({ text: "ok" }));
      const rig = await makeRig(made, { steps, tools: [tool("a"), tool("b")] });
      await rig.harness.prompt("one");
      const before = rig.session.leaf;
      await rig.harness.setThinkingLevel("high");
      await rig.harness.setActiveTools(["b"]);
      await rig.harness.prompt("two");
      const after = rig.session.leaf;
      await rig.harness.moveLeaf(before);
      assert.equal(rig.harness.settings.thinkingLevel, "off");
      assert.equal(rig.harness.settings.activeTools, null);
      await rig.harness.prompt("three");
      const levels = rig.model.requests.map(({ options }) => options.thinkingLevel);
      assert.deepEqual(levels, ["off", "high", "off"]);
      assert.deepEqual(
        rig.model.requests.map(({ tools }) => tools.length),
        [2, 1, 2],
      );
      await rig.harness.moveLeaf(after);
      await rig.harness.close();
      const later = await makeRig(made, {
        session: await rig.again(),
        steps: [{ text: "ok" }],
        tools: [tool("a"), tool("b")],
      });
      await later.harness.prompt("four");
      assert.equal(later.model.requests[0]?.options.thinkingLevel, "high");
      assert.deepEqual(
        later.model.requests[0]?.tools.map(({ name }) => name),
        ["b"],
      );
    },
  },
  {
    name: "a summary of the branch that is left stands under the target and names the leaf that was left",
    async run(made) {
      const rig = await makeRig(made, {
        steps: [{ text: "ok" }, { text: "a dead end" }, { text: "better" }],
        summariser: summariser(),
      });
      await rig.harness.prompt("one");
      const target = await entryOf(rig, "assistant: ok");
      await rig.harness.prompt("two");
      const left = rig.session.leaf;
      await rig.harness.moveLeaf(target, { summary: true });
      const other = await rig.again();
      const summary = await other.store.mustGet(other.leaf ?? "");
      assert.equal(summary.type, "branch_summary");
      assert.equal((summary as { fromId?: string }).fromId, left);
      await rig.harness.prompt("three");
      const sent = texts(rig.model.requests[2]?.messages ?? []);
      assert.match(sent.join("\n"), /branchSummary: It was about: .*a dead end/s);
      assert.deepEqual(sent.at(-1), "user: three");
    },
  },
  {
    name: "a summary by a model: it fits the model's window in steps, is tried again, and what it cost counts on the path",
    async run(made) {
      const long = { text: "a line of what was found out\n".repeat(280) };
      const summary = { text: "It was about lines that were found out, many of them." };
      const rig = await makeRig(made, {
        steps: [
          ...[{ text: "ok" }, long, long, long],
          ...[{ error: "429 rate limit" }, ...twenty(summary)],
        ],
        info: { contextWindow: 8000, isOffline: false },
        compaction: { enabled: false },
      });
      await rig.harness.prompt("one");
      const target = await entryOf(rig, "assistant: ok");
      for (const text of ["two", "three", "four"]) await rig.harness.prompt(text);
      const before = rig.session.tree.get(target)?.fold.usage.cost ?? 0;
      const moving = rig.harness.moveLeaf(target, { summary: true });
      await until(() => rig.clock.pending > 0);
      rig.clock.advance(1000);
      await moving;
      assert.ok(rig.trace.includes("retry_scheduled 1 1000"));
      const asked = rig.model.requests.slice(5);
      assert.ok(asked.length > 1, `${asked.length} requests`);
      for (const { messages, options } of asked) {
        const tokens = estimateContextTokens(messages) + (options.maxTokens ?? 0);
        assert.ok(tokens <= 8000, `${tokens} tokens`);
      }
      const after = rig.session.tree.get(rig.session.leaf ?? "")?.fold.usage.cost ?? 0;
      assert.ok(after > before, `${after} after ${before}`);
    },
  },
  {
    name: "moving to the message before a goal or tasks leaves the plan",
    async run(made) {
      const drafts = [
        (id: string) => goalDraft(id, { goal: "g" }),
        (id: string) => tasksDraft(id, [{ id: "1", text: "t", state: "open" }]),
      ];
      for (const draft of drafts) {
        const rig = await makeRig(made, { steps: [{ text: "ok" }] });
        await rig.harness.prompt("one");
        const target = await entryOf(rig, "assistant: ok");
        await rig.harness.append(draft(rig.session.id));
        assert.notDeepEqual(await rig.harness.plan(), NO_PLAN);
        const planned = rig.session.leaf;
        await rig.harness.moveLeaf(target);
        assert.deepEqual(await rig.harness.plan(), NO_PLAN);
        await rig.harness.moveLeaf(planned);
        assert.notDeepEqual(await rig.harness.plan(), NO_PLAN);
      }
    },
  },
  {
    name: "cancelling a move with a summary restores everything; nothing else runs meanwhile",
    async run(made) {
      const rig = await makeRig(made, {
        steps: [{ text: "ok" }, { text: "a dead end" }, { text: "on" }],
        summariser: summariser(never),
      });
      await rig.harness.prompt("one");
      const target = await entryOf(rig, "assistant: ok");
      await rig.harness.prompt("two");
      const { leaf } = rig.session;
      const { size } = rig.session.tree;
      const move = rig.harness.moveLeaf(target, { summary: true });
      assert.equal(rig.harness.state, "navigating");
      await assert.rejects(rig.harness.prompt("no"), { code: "HARNESS_BUSY" });
      await assert.rejects(rig.harness.compact(), { code: "HARNESS_BUSY" });
      await assert.rejects(rig.harness.moveLeaf(target), { code: "HARNESS_BUSY" });
      const moved = assert.rejects(move, { code: "ABORTED" });
      await until(() => rig.harness.state === "navigating");
      await rig.harness.abort();
      await moved;
      assert.equal(rig.session.leaf, leaf);
      assert.equal((await rig.again()).tree.size, size);
      assert.equal(rig.harness.state, "idle");
      assert.ok(!rig.trace.includes("branch_switch"));
      await rig.harness.prompt("three");
      assert.deepEqual(texts((await rig.session.context()).messages).at(-2), "user: three");
    },
  },
  {
    name: "selecting a message of a person goes above it and hands its text over; prompt at an entry moves there",
    async run(made) {
      const steps = Array.from({ length: 4 }, () => ({ text: "ok" }));
      const rig = await makeRig(made, { steps });
      await rig.harness.prompt("one");
      const first = rig.session.position;
      await rig.harness.prompt("tow");
      const selected = await rig.harness.select(await entryOf(rig, "user: tow"));
      assert.equal(selected.editorText, "tow");
      assert.equal(selected.position, first);
      await rig.harness.prompt("two");
      assert.deepEqual(texts((await rig.session.context()).messages), [
        "user: one",
        "assistant: ok",
        "user: two",
        "assistant: ok",
      ]);
      await rig.harness.prompt("elsewhere", { at: first });
      assert.deepEqual(texts((await rig.session.context()).messages).at(-2), "user: elsewhere");
      assert.equal(rig.session.branches().length, 3);
    },
  },
  {
    name: "a prompt at a place whose model nobody has is refused before anything moves",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ text: "ok" }] });
      await rig.session.append({ type: "model_change", provider: "gone", modelId: "gone" });
      const { position: there } = rig.session;
      await rig.harness.moveLeaf(null);
      const { leaf } = rig.session;
      const { size } = rig.session.tree;
      await assert.rejects(rig.harness.prompt("go", { at: there }), { code: "MODEL_UNKNOWN" });
      assert.equal(rig.session.leaf, leaf);
      assert.equal((await rig.again()).tree.size, size);
    },
  },
  {
    name: "what waits for the next turn survives a move and is delivered once, on the new path",
    async run(made) {
      const steps = Array.from({ length: 2 }, () => ({ text: "ok" }));
      const rig = await makeRig(made, { steps, nextTurnMode: "wait" });
      await rig.harness.prompt("one");
      const target = await entryOf(rig, "user: one");
      await rig.harness.nextTurn("later");
      await rig.harness.moveLeaf(target);
      assert.equal(rig.harness.queues.list("nextTurn").length, 1);
      await rig.harness.prompt("two");
      assert.deepEqual(texts((await rig.session.context()).messages), [
        "user: one",
        "user: later",
        "user: two",
        "assistant: ok",
      ]);
      assert.deepEqual(rig.harness.queues.list(), []);
    },
  },
  {
    name: "one run for each branch: another handle is refused there and free on a branch of its own (P6)",
    async run(made) {
      const opened = latch();
      const waits = { text: "ok", gate: opened.opened };
      const rig = await makeRig(made, { steps: [{ text: "ok" }, waits] });
      await rig.harness.prompt("one");
      const target = await entryOf(rig, "user: one");
      const other = await makeRig(made, {
        session: await rig.again(),
        steps: [{ text: "beside" }],
      });
      const run = rig.harness.prompt("two");
      await until(() => rig.trace.at(-1) === "message_start assistant");
      await assert.rejects(other.harness.prompt("no"), { code: "RUN_ACTIVE" });
      assert.equal(other.harness.state, "idle");
      assert.deepEqual(other.trace, []);
      await other.harness.prompt("beside", { at: target });
      opened.open();
      assert.equal((await run).outcome, "done");
      assert.deepEqual(texts((await rig.session.context()).messages), [
        "user: one",
        "assistant: ok",
        "user: two",
        "assistant: ok",
      ]);
    },
  },
  {
    name: "messages that somebody else puts into the branch during a run: the run goes on as a branch of its own",
    async run(made) {
      const opened = latch();
      const waits = tool("waits", async () => {
        await opened.opened;
        return { content: [{ type: "text", text: "here" }] };
      });
      const rig = await makeRig(made, {
        steps: [{ calls: [{ id: "c1", name: "waits", arguments: {} }] }, { text: "done" }],
        tools: [waits],
      });
      const run = rig.harness.prompt("one");
      await until(() => rig.trace.includes("tool_execution_start c1"));
      const other = await rig.again();
      await other.setLabel(other.position ?? "", "harmless");
      await other.append({ type: "message", message: { role: "user", content: "foreign" } });
      opened.open();
      assert.equal((await run).outcome, "done");
      const own = texts((await rig.session.context()).messages);
      assert.deepEqual(own, [
        "user: one",
        "assistant: [toolCall]",
        "toolResult: here",
        "assistant: done",
      ]);
      await other.refresh();
      assert.equal(texts((await other.context()).messages).at(-1), "user: foreign");
    },
  },
  {
    name: "steering that comes just before a run branches off at its end is delivered where the run went, once",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ text: "ok" }, { text: "a" }, { text: "b" }] });
      let ends = 0;
      rig.harness.subscribe(async (event) => {
        if (event.type !== "agent_end" || ++ends > 1) return;
        const other = await rig.again();
        await other.append({ type: "message", message: { role: "user", content: "foreign" } });
        await rig.harness.steer("late");
        await rig.harness.steer("later");
        // Written behind `agent_end`, where somebody else's words are: the run goes on as a branch of its own.
        await rig.harness.setThinkingLevel("high");
      });
      await rig.harness.prompt("one");
      await rig.harness.settled();
      assert.deepEqual(texts((await rig.session.context()).messages), [
        ...["user: one", "assistant: ok", "user: late", "assistant: a"],
        ...["user: later", "assistant: b"],
      ]);
      assert.deepEqual(rig.harness.queues.list(), []);
      assert.equal(await rig.harness.resume(), null);
    },
  },
  {
    name: "a summary that fails: the move is refused and nothing has moved; moves to branches by name",
    async run(made) {
      const rig = await makeRig(made, {
        steps: [{ text: "ok" }, { text: "a dead end" }, { text: "on" }],
        summariser: {
          name: "fails",
          isExtractive: true,
          summarise: () => Promise.reject(new Error("no words")),
        },
      });
      await rig.harness.prompt("one");
      const target = await entryOf(rig, "assistant: ok");
      await rig.harness.prompt("two");
      const { leaf } = rig.session;
      await assert.rejects(rig.harness.moveLeaf(target, { summary: { instructions: "x" } }), {
        code: "COMPACTION_REFUSED",
      });
      assert.equal(rig.session.leaf, leaf);
      await rig.session.createBranch("idea", target);
      await rig.harness.moveToBranch("idea");
      assert.equal(rig.session.position, target);
      await rig.harness.moveToBranch("main", { summary: true });
      assert.equal(texts((await rig.session.context()).messages).at(-1), "assistant: a dead end");
      await assert.rejects(rig.harness.moveToBranch("nothing"), { code: "BRANCH_UNKNOWN" });
    },
  },
  {
    name: "a handle that stands inside the tree runs on a branch of its own",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ text: "ok" }, { text: "ok" }] });
      await rig.harness.prompt("one");
      const at = await entryOf(rig, "user: one");
      await rig.harness.prompt("two");
      await rig.harness.close();
      const session = await Session.attach(await made.store.open(rig.session.id), { at });
      const inside = await makeRig(made, { session, steps: [{ text: "beside" }] });
      assert.equal(await inside.harness.resume(), null);
      assert.equal((await inside.harness.prompt("three")).outcome, "done");
      assert.deepEqual(texts((await session.context()).messages), [
        "user: one",
        "user: three",
        "assistant: beside",
      ]);
      assert.notEqual(session.branch, "main");
    },
  },
  {
    name: "settings that somebody else changes during a run keep it on its branch and count for the next request",
    async run(made) {
      const opened = latch();
      const waits = tool("waits", async () => {
        await opened.opened;
        return { content: [] };
      });
      const rig = await makeRig(made, {
        steps: [{ calls: [{ id: "c1", name: "waits", arguments: {} }] }, { text: "done" }],
        tools: [waits],
      });
      const run = rig.harness.prompt("one");
      await until(() => rig.trace.includes("tool_execution_start c1"));
      const other = await rig.again();
      await other.append({ type: "thinking_level_change", thinkingLevel: "high" });
      opened.open();
      assert.equal((await run).branch, "main");
      assert.equal(rig.model.requests[1]?.options.thinkingLevel, "high");
    },
  },
];
