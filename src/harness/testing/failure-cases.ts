import assert from "node:assert/strict";
import { BranchlineError } from "../../errors.ts";
import type { ModelProvider } from "../../model/model.ts";
import { goalDraft } from "../plan-rows.ts";
import * as golden from "./golden-traces.ts";
import type { HarnessCase } from "./harness-case.ts";
import { makeRig, type Rig, texts, tool, until } from "./harness-rig.ts";

const call = (id: string) => ({ id, name: "echo", arguments: {} });

function ioFailed(): BranchlineError<"IO_FAILED"> {
  return new BranchlineError(
    "IO_FAILED",
    { operation: "write", path: "", errno: "ENOSPC" },
    { message: "The disk is full." },
  );
}

/** No call without result, no result without call. */
function assertPaired(rig: Rig, messages: readonly { readonly role: string }[]): void {
  const text = JSON.stringify(messages);
  assert.ok(!text.includes("synthetic"), `${rig.trace.join("\n")}\n${text}`);
}

/** Listeners, stores and providers that fail. */
export const failureCases: readonly HarnessCase[] = [
  {
    name: "a listener that throws: the write stands, the others hear on, the run ends with a reported failure",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ text: "never" }, { text: "fine" }] });
      const heard: string[] = [];
      const failure = new Error("the screen is broken");
      const unsubscribe = rig.harness.subscribe(({ type }) => {
        if (type === "message_end") throw failure;
      });
      rig.harness.subscribe(({ type }) => {
        heard.push(type);
      });
      const result = await rig.harness.prompt("go");
      assert.deepEqual(rig.trace, golden.LISTENER_FAILURE);
      assert.equal(result.outcome, "error");
      assert.equal(result.cause, failure);
      assert.equal(result.error, "the screen is broken");
      assert.equal(heard.length, rig.trace.length);
      assert.equal(rig.model.requests.length, 0);
      assert.equal(texts((await (await rig.again()).context()).messages)[0], "user: go");
      unsubscribe();
      assert.equal((await rig.harness.prompt("again")).outcome, "done");
    },
  },
  {
    name: "a listener that throws at any event: always agent_end and settled, never a call without its result",
    async run(made) {
      const length = golden.TOOLS.length;
      for (let at = 0; at < length - 1; at++) {
        const rig = await makeRig(made, {
          steps: [{ calls: [call("c1")] }, { text: "done" }],
          tools: [
            tool("echo", async (_, { onUpdate }) => {
              onUpdate({ content: [] });
              await new Promise((resolve) => setImmediate(resolve));
              return { content: [] };
            }),
          ],
          permission: () => ({ decision: "allow" }),
        });
        let seen = 0;
        rig.harness.subscribe(() => {
          if (seen++ === at) throw new Error(`at ${at}`);
        });
        const result = await rig.harness.prompt("go");
        assert.equal(result.outcome, "error", `${at}`);
        assert.equal(result.error, `at ${at}`);
        assert.equal(rig.trace.at(-1), "settled");
        assert.equal(rig.trace.at(-2)?.startsWith("agent_end"), true);
        const other = await rig.again();
        assertPaired(rig, (await other.context()).messages);
        assert.equal(rig.harness.state, "idle");
      }
    },
  },
  {
    name: "a store that refuses any one commit: the run ends with the error, nothing half is there, a retry works",
    async run(made) {
      let isWhole = false;
      for (let at = 0; !isWhole; at++) {
        const rig = await makeRig(made, {
          steps: [{ calls: [call("c1")] }, { text: "done" }, { text: "again" }],
          tools: [tool("echo")],
          isChecked: false,
        });
        rig.gate.park();
        const run = rig.harness.prompt("go");
        let passed = 0;
        let isOver = false;
        void run.then(() => {
          isOver = true;
        });
        for (;;) {
          await until(() => isOver || rig.gate.waiting > 0);
          if (isOver) break;
          if (passed++ === at) rig.gate.failNext(ioFailed());
          rig.gate.release();
        }
        rig.gate.open();
        const result = await run;
        isWhole = at >= passed;
        // Prompt, answer, calls, result, answer, end.
        if (isWhole) assert.equal(passed, 6);
        assert.equal(result.outcome, isWhole ? "done" : "error", `${at}: ${rig.trace}`);
        assert.deepEqual(rig.trace.slice(-1), ["settled"]);
        assert.equal(BranchlineError.is(result.cause, "IO_FAILED"), !isWhole);
        const other = await rig.again();
        assert.deepEqual(
          texts((await other.context()).messages),
          texts((await rig.session.context()).messages),
        );
        rig.model.push({ text: "again" }, { text: "again" });
        assert.equal((await rig.harness.prompt("again")).outcome, "done");
      }
    },
  },
  {
    name: "config changes of a run are written in one commit at the turn's end, or not at all (P2)",
    async run(made) {
      const change = async (rig: Rig): Promise<void> => {
        await rig.harness.setThinkingLevel("low");
        await rig.harness.setThinkingLevel("high");
        await rig.harness.setActiveTools(["echo"]);
        await rig.harness.setState("mine", { step: 1 });
      };
      for (const fails of [false, true]) {
        const rig = await makeRig(made, {
          steps: [{ calls: [call("c1")] }, { text: "done" }],
          tools: [
            tool("echo", async () => {
              await change(rig);
              return { content: [] };
            }),
          ],
          isChecked: false,
        });
        const sizes: number[] = [];
        const types: string[] = [];
        rig.harness.subscribe(async ({ type }) => {
          if (type !== "turn_end" && type !== "save_point") return;
          if (type === "turn_end" && fails) rig.gate.failNext(ioFailed());
          const other = await rig.again();
          sizes.push(other.tree.size);
          types.splice(0, types.length, ...(await other.store.last(3)).map((entry) => entry.type));
        });
        const result = await rig.harness.prompt("go");
        assert.equal(result.outcome, fails ? "error" : "done");
        const written = ["thinking_level_change", "active_tools_change", "custom"];
        if (!fails) {
          assert.equal((sizes[1] ?? 0) - (sizes[0] ?? 0), 3);
          assert.equal(rig.model.requests[1]?.options.thinkingLevel, "high");
        }
        const all = [...(await rig.again()).tree.entries()].map((entry) => entry.type);
        const found = all.filter((type) => written.slice(0, 2).includes(type));
        // What could not be written at the turn's end is written with the end of the run, whole.
        assert.deepEqual(found, written.slice(0, 2));
      }
    },
  },
  {
    name: "settings where nothing runs are durable at once; what is in force already writes nothing",
    async run(made) {
      const rig = await makeRig(made, { tools: [tool("echo")] });
      await rig.harness.setThinkingLevel("high");
      const other = await rig.again();
      assert.equal((await other.context()).thinkingLevel, "high");
      const { size } = other.tree;
      await rig.harness.setThinkingLevel("high");
      assert.equal((await rig.again()).tree.size, size);
      const unknown = { provider: "nobody", modelId: "nothing" };
      await assert.rejects(rig.harness.setModel(unknown), { code: "MODEL_UNKNOWN" });
    },
  },
  {
    name: "providers that throw, end without a message or do not hear an abort break nothing",
    async run(made) {
      const broken: Record<string, ModelProvider["stream"]> = {
        // biome-ignore lint/correctness/useYield: it fails before it says anything
        async *throws() {
          throw new Error("no such host");
        },
        // biome-ignore lint/correctness/useYield: it ends before it says anything
        async *silent() {
          return;
        },
      };
      for (const [name, stream] of Object.entries(broken)) {
        const rig = await makeRig(made, { steps: [], retry: { attempts: 0 } });
        rig.model.stream = stream;
        const result = await rig.harness.prompt("go");
        assert.equal(result.outcome, "error", name);
        assert.equal(rig.trace.at(-1), "settled", name);
      }
      const deaf = await makeRig(made, { steps: [], abortGraceMs: 300 });
      let isAsked = false;
      deaf.model.stream = async function* () {
        isAsked = true;
        await new Promise(() => undefined);
        yield* [];
      };
      const run = deaf.harness.prompt("go");
      await until(() => isAsked);
      const aborted = deaf.harness.abort();
      await until(() => deaf.clock.pending > 0);
      deaf.clock.advance(300);
      await aborted;
      assert.equal((await run).outcome, "aborted");
    },
  },
  {
    name: "retries are bounded, follow the provider's wish, and end with an abort",
    async run(made) {
      const busy = { error: "429 rate limit (retry after 5 s)" };
      const rig = await makeRig(made, { steps: [busy, busy, busy], retry: { attempts: 2 } });
      const run = rig.harness.prompt("go");
      await until(() => rig.clock.pending > 0);
      rig.clock.advance(5000);
      await until(() => rig.clock.pending > 0);
      rig.clock.advance(5000);
      assert.equal((await run).outcome, "error");
      assert.deepEqual(
        rig.trace.filter((line) => line.startsWith("retry")),
        ["retry_scheduled 1 5000", "retry_scheduled 2 5000"],
      );
      const other = await makeRig(made, { steps: [busy, busy] });
      const waiting = other.harness.prompt("go");
      await until(() => other.clock.pending > 0);
      await other.harness.abort();
      assert.equal((await waiting).outcome, "aborted");
      assert.equal(other.model.requests.length, 1);
    },
  },
  {
    name: "a plan's budget at zero stops the run for approval; a new budget lets it go on",
    async run(made) {
      const again = { calls: [{ name: "echo", arguments: {} }] };
      const rig = await makeRig(made, {
        steps: [again, again, again, { text: "done" }],
        tools: [tool("echo")],
      });
      const budget = { cycles: 2, cost: null };
      await rig.harness.append(goalDraft(rig.session.id, { goal: "tidy up", budget }));
      assert.equal(rig.trace.at(-1), "plan_update");
      assert.equal((await rig.harness.prompt("go")).outcome, "approval");
      assert.equal(rig.model.requests.length, 2);
      const again2 = await rig.harness.prompt("more");
      assert.equal(again2.outcome, "approval");
      assert.equal(rig.model.requests.length, 2);
      await rig.harness.append(goalDraft(rig.session.id, { budget: { cycles: 5, cost: null } }));
      assert.equal((await rig.harness.proceed()).outcome, "done");
      assert.equal(rig.model.remaining, 0);
    },
  },
  {
    name: "closing aborts and waits; a closed harness refuses, the session stays open",
    async run(made) {
      const never = new Promise<void>(() => undefined);
      const rig = await makeRig(made, { steps: [{ text: "x", gate: never }] });
      const run = rig.harness.prompt("go");
      await until(() => rig.trace.includes("message_start assistant"));
      await rig.harness.close();
      assert.equal((await run).outcome, "aborted");
      await assert.rejects(rig.harness.prompt("no"), { code: "STORE_CLOSED" });
      await assert.rejects(rig.harness.nextTurn("no"), { code: "STORE_CLOSED" });
      assert.ok((await rig.session.context()).messages.length > 0);
    },
  },
  {
    name: "what listeners throw while nothing runs goes to the caller's handler, and changes nothing",
    async run(made) {
      const heard: unknown[] = [];
      const rig = await makeRig(made, {
        steps: [{ text: "ok" }, { text: "ok" }],
        onListenerFailure: (cause) => heard.push(cause),
        nextTurnMode: "wait",
      });
      const failure = new Error("broken");
      rig.harness.subscribe(({ type }) => {
        if (type === "queue_update" || type === "settled" || type === "branch_switch")
          throw failure;
      });
      await rig.harness.nextTurn("later");
      assert.equal(rig.harness.queues.list().length, 1);
      assert.deepEqual(heard, [failure]);
      await rig.harness.queues.remove(rig.harness.queues.list()[0]?.id ?? "");
      assert.equal((await rig.harness.prompt("go")).outcome, "done");
      assert.equal(heard.length, 3);
      await rig.harness.moveLeaf(null);
      assert.equal(rig.session.position, null);
      assert.equal(heard.length, 4);
    },
  },
  {
    name: "queues that another process changes are seen after a refresh",
    async run(made) {
      const rig = await makeRig(made, { nextTurnMode: "wait" });
      const other = await makeRig(made, { session: await rig.again(), nextTurnMode: "wait" });
      await other.harness.nextTurn("from elsewhere");
      assert.deepEqual(rig.harness.queues.list(), []);
      await rig.harness.queues.refresh();
      assert.equal(rig.harness.queues.list()[0]?.content, "from elsewhere");
      assert.deepEqual(rig.trace, ["queue_update nextTurn"]);
    },
  },
  {
    name: "during a run only what says nothing in the conversation may be appended: it stays on its branch (P59)",
    async run(made) {
      const rig = await makeRig(made, {
        steps: [{ calls: [call("c1")] }, { text: "done" }],
        tools: [
          tool("echo", async () => {
            await rig.harness.append({ type: "custom", customType: "mine", data: 1 });
            const shown = { customType: "note", content: "hear me", display: true };
            await assert.rejects(rig.harness.append({ type: "custom_message", ...shown }), {
              code: "HARNESS_BUSY",
            });
            return { content: [] };
          }),
        ],
      });
      const result = await rig.harness.prompt("go");
      assert.equal(result.branch, "main");
      assert.equal(rig.session.branches().length, 1);
      assertPaired(rig, (await rig.session.context()).messages);
    },
  },
  {
    name: "two tools of one name are refused",
    async run(made) {
      const tools = [tool("echo"), tool("echo")];
      await assert.rejects(makeRig(made, { tools }), { code: "ENTRY_INVALID" });
    },
  },
];
