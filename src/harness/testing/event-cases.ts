import assert from "node:assert/strict";
import * as golden from "./golden-traces.ts";
import type { HarnessCase } from "./harness-case.ts";
import { latch, makeRig, texts, tool, until } from "./harness-rig.ts";

const call = (id: string, name = "echo") => ({ id, name, arguments: {} });

/** Golden traces, and what is stored while they are told. */
export const eventCases: readonly HarnessCase[] = [
  {
    name: "plain reply: order of events; each message is durable when it is told (P1), settled comes last",
    async run(made) {
      const { harness, trace, session } = await makeRig(made, { steps: [{ text: "hello" }] });
      const result = await harness.prompt("hi");
      assert.deepEqual(trace, golden.PLAIN_REPLY);
      assert.equal(result.outcome, "done");
      assert.deepEqual(texts(result.messages), ["user: hi", "assistant: hello"]);
      assert.equal(result.leaf, session.leaf);
      assert.equal(harness.state, "idle");
    },
  },
  {
    name: "tools: order of events with a permission and an update; the assistant message is stored before preflight",
    async run(made) {
      const stored: boolean[] = [];
      const echo = tool("echo", async (_, { onUpdate }) => {
        onUpdate({ content: [{ type: "text", text: "half" }] });
        await new Promise((resolve) => setImmediate(resolve));
        return { content: [{ type: "text", text: "whole" }] };
      });
      const rig = await makeRig(made, {
        steps: [{ calls: [call("c1")] }, { text: "done" }],
        tools: [echo],
        permission: async () => {
          const other = await rig.again();
          const last = (await other.context()).messages.at(-2);
          stored.push(last?.role === "assistant");
          return { decision: "allow" };
        },
      });
      await rig.harness.prompt("go");
      assert.deepEqual(rig.trace, golden.TOOLS);
      assert.deepEqual(stored, [true]);
    },
  },
  {
    name: "parallel tools: they end in finishing order, results stand in the order of the calls",
    async run(made) {
      const first = latch();
      const tools = [
        tool("slow", async () => {
          await first.opened;
          return { content: [{ type: "text", text: "slow" }] };
        }),
        tool("fast"),
      ];
      const rig = await makeRig(made, {
        steps: [{ calls: [call("c1", "slow"), call("c2", "fast")] }, { text: "done" }],
        tools,
      });
      rig.harness.subscribe((event) => {
        if (event.type === "tool_execution_end" && event.callId === "c2") first.open();
      });
      await rig.harness.prompt("go");
      assert.deepEqual(rig.trace, golden.PARALLEL_TOOLS);
      const { messages } = await (await rig.again()).context();
      assert.deepEqual(texts(messages).slice(2), [
        "toolResult: slow",
        "toolResult: ok",
        "assistant: done",
      ]);
    },
  },
  ...(["run", "tool"] as const).map(
    (by): HarnessCase => ({
      name: `sequential tools, wanted by the ${by}: one after the other`,
      async run(made) {
        const mode = by === "tool" ? ({ executionMode: "sequential" } as const) : {};
        const rig = await makeRig(made, {
          steps: [{ calls: [call("c1"), call("c2")] }, { text: "done" }],
          tools: [tool("echo", "ok", mode)],
          ...(by === "run" ? { toolExecution: "sequential" } : {}),
        });
        await rig.harness.prompt("go");
        assert.deepEqual(rig.trace, golden.SEQUENTIAL_TOOLS);
      },
    }),
  ),
  ...(["steer", "followUp", "nextTurn"] as const).map(
    (queue): HarnessCase => ({
      name: `${queue} during a tool: order of events, delivered once`,
      async run(made) {
        const speak = tool("echo", async () => {
          await rig.harness[queue]("and this");
          return { content: [{ type: "text", text: "ok" }] };
        });
        const rig = await makeRig(made, {
          steps: [{ calls: [call("c1")] }, { text: "done" }, { text: "that too" }],
          tools: [speak],
        });
        await rig.harness.prompt("go");
        await rig.harness.settled();
        const expected = {
          steer: golden.STEER,
          followUp: golden.FOLLOW_UP,
          nextTurn: golden.NEXT_TURN,
        };
        assert.deepEqual(rig.trace, expected[queue]);
        const { messages } = await (await rig.again()).context();
        assert.equal(texts(messages).filter((text) => text === "user: and this").length, 1);
      },
    }),
  ),
  {
    name: "abort while streaming: the part that came is stored as aborted",
    async run(made) {
      const never = new Promise<void>(() => undefined);
      const gate = (delta: number) => (delta === 0 ? undefined : never);
      const rig = await makeRig(made, { steps: [{ text: "one two", chunk: 4, gate }] });
      const run = rig.harness.prompt("go");
      await until(() => rig.trace.includes("message_update text_delta"));
      assert.deepEqual(await rig.harness.abort(), { returned: [] });
      assert.deepEqual(rig.trace, golden.ABORT);
      assert.equal((await run).outcome, "aborted");
      const { messages } = await (await rig.again()).context();
      assert.deepEqual(texts(messages), ["user: go", "assistant: one "]);
    },
  },
  {
    name: "abort in tools: one hears it, one does not and is left behind; both calls have results (F060)",
    async run(made) {
      const never = new Promise<never>(() => undefined);
      const listens = tool("listens", async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        throw new Error("stopped");
      });
      const rig = await makeRig(made, {
        steps: [{ calls: [call("c1", "listens"), call("c2", "deaf")] }],
        tools: [listens, tool("deaf", () => never)],
        abortGraceMs: 500,
      });
      const run = rig.harness.prompt("go");
      await until(() => rig.trace.includes("tool_execution_start c2"));
      const ended = rig.harness.abort();
      await until(() => rig.trace.includes("tool_execution_end c1 error"));
      assert.equal(rig.harness.state, "running");
      rig.clock.advance(500);
      await ended;
      assert.deepEqual(rig.trace, golden.ABORT_IN_TOOLS);
      assert.equal((await run).outcome, "aborted");
    },
  },
  {
    name: "provider error: the run ends with the failure, which is out of the context",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ error: "400 no such thing" }] });
      const result = await rig.harness.prompt("go");
      assert.deepEqual(rig.trace, golden.PROVIDER_ERROR);
      assert.equal(result.outcome, "error");
      assert.equal(result.error, "400 no such thing");
      assert.equal(result.cause, null);
      const other = await rig.again();
      assert.deepEqual(texts((await other.context()).messages), ["user: go"]);
    },
  },
  {
    name: "retry: failed attempts are told, wait by the clock, stay in the log and out of the context",
    async run(made) {
      const rig = await makeRig(made, {
        steps: [{ text: "hal", error: "529 overloaded" }, { text: "whole" }],
      });
      const run = rig.harness.prompt("go");
      await until(() => rig.clock.pending > 0);
      rig.clock.advance(1000);
      assert.equal((await run).outcome, "done");
      const expected = golden.RETRY.toSpliced(5, 0, "message_update text_delta");
      assert.deepEqual(rig.trace, expected);
      const other = await rig.again();
      assert.deepEqual(texts((await other.context()).messages), ["user: go", "assistant: whole"]);
      const roles = [...other.tree.entries()].flatMap(({ role }) => role ?? []);
      assert.deepEqual(roles, ["user", "assistant", "assistant"]);
      assert.deepEqual(texts(rig.model.requests[1]?.messages ?? []), ["user: go"]);
      // Nobody decided to leave the attempt out: an undo does not bring it back.
      await assert.rejects(rig.session.undo(), { code: "NOTHING_TO_UNDO" });
    },
  },
  {
    name: "transient events never enter the log, however many there are (F117, F118)",
    async run(made) {
      const chatty = tool("echo", async (_, { onUpdate }) => {
        for (let step = 0; step < 500; step++) {
          onUpdate({ content: [{ type: "text", text: `step ${step}` }] });
        }
        return { content: [{ type: "text", text: "ok" }] };
      });
      const rig = await makeRig(made, {
        steps: [{ text: "x".repeat(400), chunk: 1, calls: [call("c1")] }, { text: "done" }],
        tools: [chatty],
      });
      await rig.harness.prompt("go");
      const updates = rig.trace.filter((line) => line.startsWith("message_update")).length;
      assert.ok(updates >= 400, `${updates}`);
      const other = await rig.again();
      // Start, prompt, answer, calls, landed, result, answer, end.
      assert.equal(other.tree.size, 8);
      assert.ok(!JSON.stringify(await other.store.last(8)).includes("step 1"));
    },
  },
];
