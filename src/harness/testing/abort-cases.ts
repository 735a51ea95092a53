import assert from "node:assert/strict";
import type { ModelEvent } from "../../model/model.ts";
import type { HarnessCase } from "./harness-case.ts";
import { makeRig, type Rig, texts, tool, until } from "./harness-rig.ts";

const never = new Promise<never>(() => undefined);
const call = (id: string, name = "echo") => ({ id, name, arguments: {} });

async function resultTexts(rig: Rig): Promise<readonly string[]> {
  const { messages } = await (await rig.again()).context();
  return texts(messages).filter((text) => text.startsWith("toolResult"));
}

/** Aborts, wherever they find a run. */
export const abortCases: readonly HarnessCase[] = [
  {
    name: "an abort while a later call is asked about holds back those that were allowed before it (P68)",
    async run(made) {
      for (const executionMode of ["parallel", "sequential"] as const) {
        let ran = 0;
        const act = tool(
          "echo",
          async () => {
            ran++;
            return { content: [] };
          },
          { executionMode },
        );
        const rig = await makeRig(made, {
          steps: [{ calls: [call("c1"), call("c2"), call("c3")] }],
          tools: [act],
          permission: ({ callId }) =>
            callId === "c2" ? { decision: "confirm", question: "?" } : { decision: "allow" },
          confirm: () => never,
        });
        const run = rig.harness.prompt("go");
        await until(() => rig.trace.includes("tool_permission c2 confirm"));
        await rig.harness.abort();
        assert.equal((await run).outcome, "aborted");
        // In a sequential batch the first call had ended before the second one was asked about.
        assert.equal(ran, executionMode === "parallel" ? 0 : 1);
        assert.equal((await resultTexts(rig)).length, 3);
        const started = rig.trace.filter((line) => line.startsWith("tool_execution_start"));
        assert.equal(started.length, ran);
      }
    },
  },
  {
    name: "a sequential tool that hears nothing is left behind after an abort; the calls behind it do not run",
    async run(made) {
      let ran = 0;
      const deaf = tool("deaf", () => never, { executionMode: "sequential" });
      const echo = tool("echo", async () => {
        ran++;
        return { content: [] };
      });
      const rig = await makeRig(made, {
        steps: [{ calls: [call("c1", "deaf"), call("c2")] }],
        tools: [deaf, echo],
        abortGraceMs: 500,
      });
      const run = rig.harness.prompt("go");
      await until(() => rig.trace.includes("tool_execution_start c1"));
      const aborted = rig.harness.abort();
      await until(() => rig.clock.pending > 0);
      rig.clock.advance(500);
      await aborted;
      assert.equal((await run).outcome, "aborted");
      assert.equal(ran, 0);
      assert.equal((await resultTexts(rig)).length, 2);
    },
  },
  {
    name: "a provider that streams on regardless of an abort is left behind, and its stream is closed",
    async run(made) {
      const rig = await makeRig(made, { steps: [], abortGraceMs: 300 });
      let isClosed = false;
      const partial = { role: "assistant", content: [], provider: "p", model: "m" } as const;
      rig.model.stream = async function* (): AsyncGenerator<ModelEvent> {
        try {
          for (;;) {
            await new Promise((resolve) => setImmediate(resolve));
            yield { type: "text_delta", index: 0, delta: "x", partial };
          }
        } finally {
          isClosed = true;
        }
      };
      const run = rig.harness.prompt("go");
      await until(() => rig.trace.includes("message_update text_delta"));
      const aborted = rig.harness.abort();
      await until(() => rig.clock.pending > 0);
      rig.clock.advance(300);
      await aborted;
      assert.equal((await run).outcome, "aborted");
      await until(() => isClosed);
    },
  },
  {
    name: "hooks and providers that never answer do not hold an abort: the context hook, the look for the model",
    async run(made) {
      let isAsked = false;
      const hooked = await makeRig(made, {
        steps: [],
        abortGraceMs: 300,
        context: () => {
          isAsked = true;
          return never;
        },
      });
      const run = hooked.harness.prompt("go");
      await until(() => isAsked);
      const aborted = hooked.harness.abort();
      await until(() => hooked.clock.pending > 0);
      hooked.clock.advance(300);
      await aborted;
      assert.equal((await run).outcome, "aborted");
      assert.equal(hooked.model.requests.length, 0);

      const lost = await makeRig(made, { steps: [{ text: "never" }] });
      let looks = 0;
      const { find } = lost.model;
      lost.model.find = (ref) => (++looks > 1 ? never : find.call(lost.model, ref));
      const looking = lost.harness.prompt("go");
      await until(() => looks === 2);
      const ended = lost.harness.abort();
      await until(() => lost.clock.pending > 0);
      lost.clock.advance(2000);
      await ended;
      assert.equal((await looking).outcome, "aborted");
      assert.equal(lost.trace.at(-1), "settled");
    },
  },
];
