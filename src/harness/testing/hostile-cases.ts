import assert from "node:assert/strict";
import type { AssistantMessage } from "../../entry/message.ts";
import type { ModelEvent } from "../../model/model.ts";
import { messagesForModel } from "../../model/wire-messages.ts";
import { MAX_ANSWER_LENGTH } from "../answer-stream.ts";
import type { HarnessCase } from "./harness-case.ts";
import { makeRig, texts, tool } from "./harness-rig.ts";

const partial: AssistantMessage = {
  role: "assistant",
  content: [],
  provider: "p",
  model: "m",
};
/** A provider is foreign code: what it gives may have any shape. */
const answer = (message: unknown) => message as AssistantMessage;

/** What providers and other programs do that no port allows. */
export const hostileCases: readonly HarnessCase[] = [
  {
    name: "an answer without end is given up and its stream closed; the session goes on",
    async run(made) {
      const rig = await makeRig(made, { steps: [], isChecked: false });
      const { stream } = rig.model;
      let isClosed = false;
      const delta = "x".repeat(1024 * 1024);
      rig.model.stream = async function* (): AsyncGenerator<ModelEvent> {
        try {
          for (;;) yield { type: "text_delta", index: 0, delta, partial };
        } finally {
          isClosed = true;
        }
      };
      const result = await rig.harness.prompt("go");
      assert.equal(result.outcome, "error");
      assert.equal(result.cause, null);
      assert.ok(isClosed);
      const updates = rig.trace.filter((line) => line.startsWith("message_update"));
      assert.equal(updates.length, MAX_ANSWER_LENGTH / delta.length);
      rig.model.stream = stream;
      rig.model.push({ text: "fine" });
      assert.equal((await rig.harness.prompt("again")).outcome, "done");
    },
  },
  {
    name: "a final message that no entry can hold, or that is none, is a failure that is stored and told",
    async run(made) {
      const text = "x".repeat(33 * 1024 * 1024);
      const large = { ...partial, content: [{ type: "text", text }], stopReason: "stop" };
      for (const message of [large, null, { role: "user", content: "hi" }, { role: "assistant" }]) {
        const rig = await makeRig(made, { steps: [], retry: { attempts: 0 } });
        rig.model.stream = async function* (): AsyncGenerator<ModelEvent> {
          yield { type: "start", partial };
          yield { type: "done", message: answer(message) };
        };
        const result = await rig.harness.prompt("go");
        assert.equal(result.outcome, "error");
        assert.equal(result.cause, null);
        assert.ok(rig.trace.includes("message_end assistant error"));
        const { messages } = await (await rig.again()).context();
        assert.deepEqual(texts(messages), ["user: go"]);
      }
    },
  },
  {
    name: "an answer that uses an id twice: both calls run, each has its result, the next request has no id twice (P33)",
    async run(made) {
      const twice = (n: number) => ({ id: "c1", name: "echo", arguments: { n } });
      const rig = await makeRig(made, {
        steps: [{ text: "ok" }, { text: "done" }],
        tools: [
          tool("echo", async ({ n }) => ({ content: [{ type: "text", text: `said ${n}` }] })),
        ],
      });
      const { stream } = rig.model;
      let isFirst = true;
      rig.model.stream = async function* (...given): AsyncGenerator<ModelEvent> {
        if (!isFirst) return yield* stream.apply(rig.model, given);
        isFirst = false;
        const content = [1, 2].map((n) => ({ type: "toolCall", ...twice(n) }));
        yield { type: "done", message: { ...partial, content, stopReason: "toolUse" } };
      };
      assert.equal((await rig.harness.prompt("go")).outcome, "done");
      const wire = messagesForModel(rig.model.requests[0]?.messages ?? []);
      assert.deepEqual(
        wire.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : [])),
        ["c1", "c1-2"],
      );
      assert.deepEqual(texts(wire.slice(2)), ["toolResult: said 1", "toolResult: said 2"]);
    },
  },
  {
    name: "an unknown stop reason with calls is an answer with calls; what a provider throws is stored without keys",
    async run(made) {
      const rig = await makeRig(made, { steps: [], tools: [tool("echo")], retry: { attempts: 0 } });
      const block = { type: "toolCall", id: "c1", name: "echo", arguments: {} };
      const odd = answer({ ...partial, content: [block, null, 7], stopReason: "whatever" });
      let request = 0;
      const secret = "sk-ABCDEFGH12345678";
      rig.model.stream = async function* (): AsyncGenerator<ModelEvent> {
        if (request++ > 0) throw new TypeError(`401 wrong key ${secret}`);
        yield { type: "done", message: odd };
      };
      const result = await rig.harness.prompt("go");
      assert.equal(result.outcome, "error");
      assert.ok(rig.trace.includes("tool_execution_end c1"));
      assert.ok(!JSON.stringify([result, rig.events]).includes(secret));
    },
  },
];
