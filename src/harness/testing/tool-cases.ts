import assert from "node:assert/strict";
import { MAX_ENTRY_BYTES } from "../../entry/line-encode.ts";
import type { ToolResultMessage } from "../../entry/message.ts";
import type { Permission, ToolOutput } from "../tool.ts";
import type { HarnessCase } from "./harness-case.ts";
import { makeRig, type Rig, texts, tool, until } from "./harness-rig.ts";

const call = (id: string, name = "echo", args: Record<string, unknown> | string = {}) => ({
  id,
  name,
  arguments: args,
});

async function results(rig: Rig): Promise<readonly ToolResultMessage[]> {
  const { messages } = await (await rig.again()).context();
  return messages.filter((message): message is ToolResultMessage => message.role === "toolResult");
}

const textOf = ({ content }: Pick<ToolResultMessage, "content">): string =>
  texts([{ role: "x", content }])[0]?.slice(3) ?? "";

/** Calls, permissions, arguments. */
export const toolCases: readonly HarnessCase[] = [
  {
    name: "unknown tools, wrong and unreadable arguments, and throws become error results; the run goes on",
    async run(made) {
      let ran = 0;
      const strict = tool(
        "strict",
        async () => {
          ran++;
          throw new Error("the tool broke");
        },
        {
          parameters: {
            type: "object",
            properties: { path: { type: "string" } },
            required: ["path"],
            additionalProperties: false,
          },
        },
      );
      const rig = await makeRig(made, {
        steps: [
          {
            calls: [
              call("c1", "nothing"),
              call("c2", "strict", { path: 5, more: true }),
              call("c3", "strict", '{"path": '),
              call("c4", "strict", { path: "a" }),
            ],
          },
          { text: "done" },
        ],
        tools: [strict],
      });
      assert.equal((await rig.harness.prompt("go")).outcome, "done");
      const found = await results(rig);
      assert.deepEqual(
        found.map(({ isError }) => isError),
        [true, true, true, true],
      );
      const said = found.map(textOf);
      assert.match(said[0] ?? "", /no tool nothing.*strict/);
      assert.match(said[1] ?? "", /arguments\.path must be string\narguments\.more is not known/);
      assert.match(said[2] ?? "", /Received arguments/);
      assert.equal(said[3], "the tool broke");
      assert.equal(ran, 1);
    },
  },
  {
    name: "permissions: allow, block, rewrite, confirm; a hook that throws does not let a call through",
    async run(made) {
      const seen: unknown[] = [];
      const echo = tool("echo", async (args) => {
        seen.push(args.n);
        return { content: [{ type: "text", text: String(args.n) }] };
      });
      const decisions: Record<string, Permission> = {
        c1: { decision: "allow" },
        c2: { decision: "block", reason: "not this one" },
        c3: { decision: "rewrite", arguments: { n: 33 } },
        c4: { decision: "confirm", question: "really?" },
        c5: { decision: "confirm", question: "really?" },
      };
      const rig = await makeRig(made, {
        steps: [
          { calls: [1, 2, 3, 4, 5, 6].map((n) => call(`c${n}`, "echo", { n })) },
          { text: "done" },
        ],
        tools: [echo],
        permission: ({ callId }) => {
          const decision = decisions[callId];
          if (decision === undefined) throw new Error("no idea");
          return decision;
        },
        confirm: ({ callId }, question) => {
          assert.equal(question, "really?");
          return callId === "c4"
            ? { decision: "allow" }
            : { decision: "block", reason: "the person said no" };
        },
      });
      await rig.harness.prompt("go");
      assert.deepEqual(seen, [1, 33, 4]);
      const said = (await results(rig)).map(textOf);
      assert.match(said[1] ?? "", /not this one/);
      assert.match(said[4] ?? "", /the person said no/);
      assert.match(said[5] ?? "", /no idea/);
      assert.deepEqual(
        rig.trace.filter((line) => line.startsWith("tool_permission")),
        [
          "tool_permission c1 allow",
          "tool_permission c2 block",
          "tool_permission c3 rewrite",
          "tool_permission c4 confirm",
          "tool_permission c4 allow",
          "tool_permission c5 confirm",
          "tool_permission c5 block",
          "tool_permission c6 block",
        ],
      );
    },
  },
  {
    name: "an abort while a person is asked: the call does not run and is answered",
    async run(made) {
      let ran = 0;
      const echo = tool("echo", async () => {
        ran++;
        return { content: [] };
      });
      const rig = await makeRig(made, {
        steps: [{ calls: [call("c1"), call("c2")] }],
        tools: [echo],
        permission: () => ({ decision: "confirm", question: "?" }),
        confirm: () => new Promise<never>(() => undefined),
      });
      const run = rig.harness.prompt("go");
      await until(() => rig.trace.includes("tool_permission c1 confirm"));
      await rig.harness.abort();
      assert.equal((await run).outcome, "aborted");
      assert.equal(ran, 0);
      const found = await results(rig);
      assert.deepEqual(
        found.map(({ toolCallId, isError }) => [toolCallId, isError]),
        [
          ["c1", true],
          ["c2", true],
        ],
      );
    },
  },
  {
    name: "terminate from every result of a batch ends the run after it, from some of them not",
    async run(made) {
      const stops = tool("stops", async () => ({ content: [], terminate: true }));
      const steps = [
        { calls: [call("c1", "stops"), call("c2", "echo")] },
        { calls: [call("c3", "stops"), call("c4", "stops")] },
        { text: "never asked" },
      ];
      const rig = await makeRig(made, { steps, tools: [stops, tool("echo")] });
      assert.equal((await rig.harness.prompt("go")).outcome, "stopped");
      assert.equal(rig.model.remaining, 1);
    },
  },
  {
    name: "what a tool gives is checked: no blocks, no JSON, too much, an error; the hook behind it may patch",
    async run(made) {
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      // A tool is foreign code: what it gives may have any shape.
      const wrong = (output: unknown) => output as ToolOutput;
      const tools = [
        tool("shape", async () => wrong("just text")),
        tool("json", async () => wrong({ content: [], details: circle })),
        tool("large", async () => ({
          content: [{ type: "text", text: "x".repeat(33 * 1024 * 1024) }],
        })),
        tool("edge", async () => ({
          // It fits by itself, and not with what an entry adds to it.
          content: [{ type: "text", text: "x".repeat(MAX_ENTRY_BYTES - 60) }],
        })),
        tool("said", async () => ({ content: [{ type: "text", text: "key=secret" }] })),
      ];
      const rig = await makeRig(made, {
        steps: [{ calls: tools.map(({ name }, at) => call(`c${at}`, name)) }, { text: "done" }],
        tools,
        afterTool: ({ name }, output) =>
          name === "edge"
            ? output
            : {
                ...output,
                content: output.content.map((block) =>
                  block.type === "text"
                    ? { type: "text", text: String(block.text).slice(0, 80).replace("secret", "…") }
                    : block,
                ),
              },
      });
      assert.equal((await rig.harness.prompt("go")).outcome, "done");
      const found = await results(rig);
      assert.deepEqual(
        found.map(({ isError }) => isError),
        [true, true, true, true, false],
      );
      assert.equal(textOf(found[4] as ToolResultMessage), "key=…");
    },
  },
  {
    name: "only tools in force are offered and run, in the order of the options, without their code",
    async run(made) {
      const rig = await makeRig(made, {
        steps: [{ calls: [call("c1", "b")] }, { text: "done" }, { text: "again" }],
        tools: [tool("a"), tool("b"), tool("c")],
      });
      await rig.harness.setActiveTools(["c", "a"]);
      await rig.harness.prompt("go");
      const [first] = rig.model.requests;
      assert.deepEqual(first?.tools, [
        { name: "a", description: "a", parameters: { type: "object" } },
        { name: "c", description: "c", parameters: { type: "object" } },
      ]);
      assert.equal((await results(rig))[0]?.isError, true);
      await assert.rejects(rig.harness.setActiveTools(["z"]), { code: "TARGET_INVALID" });
    },
  },
  {
    name: "the guard against endless turns: a message says so, typed as made by the machine (F070)",
    async run(made) {
      const again = { calls: [{ name: "echo", arguments: {} }] };
      const rig = await makeRig(made, {
        steps: [again, again, again, { text: "never" }],
        tools: [tool("echo")],
        maxTurns: 3,
      });
      assert.equal((await rig.harness.prompt("go")).outcome, "turn-limit");
      assert.equal(rig.model.remaining, 1);
      const { messages } = await (await rig.again()).context();
      assert.equal(messages.at(-1)?.role, "custom");
      assert.ok(rig.trace.indexOf("message_end custom") < rig.trace.indexOf("turn_end 3 call-3"));
    },
  },
  {
    name: "the working files are looked at before the first and after the last tool, and only with tools",
    async run(made) {
      let looks = 0;
      const workingFiles = {
        look: async () => ({ commit: `${++looks}`.repeat(40), branch: "main", dirty: false }),
      };
      const rig = await makeRig(made, {
        steps: [
          { text: "no tool" },
          { calls: [call("c1")] },
          { calls: [call("c2")] },
          { text: "x" },
        ],
        tools: [tool("echo")],
        workingFiles,
      });
      await rig.harness.prompt("one");
      assert.equal(looks, 0);
      await rig.harness.prompt("two");
      assert.equal(looks, 2);
    },
  },
  {
    name: "transforming what is sent changes nothing that is stored",
    async run(made) {
      const rig = await makeRig(made, {
        steps: [{ text: "ok" }],
        context: (messages) => [...messages, { role: "user", content: "between us" }],
      });
      await rig.harness.prompt("go");
      assert.deepEqual(texts(rig.model.requests[0]?.messages ?? []), [
        "user: go",
        "user: between us",
      ]);
      const { messages } = await (await rig.again()).context();
      assert.deepEqual(texts(messages), ["user: go", "assistant: ok"]);
    },
  },
];
