import assert from "node:assert/strict";
import { DurableQueues } from "../durable-queues.ts";
import type { HarnessCase } from "./harness-case.ts";
import { latch, makeRig, type Rig, texts, tool, until } from "./harness-rig.ts";

const call = (id: string) => ({ id, name: "echo", arguments: {} });
const image = { type: "image", data: "aGk=", mimeType: "image/png" };

async function said(rig: Rig): Promise<readonly string[]> {
  const { messages } = await (await rig.again()).context();
  return texts(messages).filter((text) => text.startsWith("user: "));
}

/** A rig whose tool waits: what is queued meanwhile is queued during a run. */
async function waitingRig(
  made: Parameters<typeof makeRig>[0],
  options: Parameters<typeof makeRig>[1] = {},
): Promise<Rig & { readonly open: () => void }> {
  const held = latch();
  const echo = tool("echo", async () => {
    await held.opened;
    return { content: [] };
  });
  const rig = await makeRig(made, { tools: [echo], ...options });
  return { ...rig, open: held.open };
}

/** Steering, follow-ups, next turns. */
export const queueCases: readonly HarnessCase[] = [
  {
    name: "what another process queues during a run is delivered to it, once",
    async run(made) {
      const rig = await waitingRig(made, {
        steps: [{ calls: [call("c1")] }, { text: "ok" }, { text: "ok" }],
      });
      const run = rig.harness.prompt("go");
      await until(() => rig.trace.includes("tool_execution_start c1"));
      const queues = await DurableQueues.load(await rig.again());
      await queues.add("followUp", "f", { branch: rig.session.branch });
      await queues.add("steer", "s", { branch: rig.session.branch });
      rig.open();
      assert.equal((await run).outcome, "done");
      assert.deepEqual(await said(rig), ["user: go", "user: s", "user: f"]);
      assert.ok(rig.trace.includes("queue_update followUp steer"));
    },
  },
  {
    name: "a next turn where another process runs on the branch waits; that process begins it",
    async run(made) {
      const failures: unknown[] = [];
      const rig = await waitingRig(made, {
        steps: [{ calls: [call("c1")] }, { text: "ok" }, { text: "next" }],
      });
      const run = rig.harness.prompt("go");
      await until(() => rig.trace.includes("tool_execution_start c1"));
      const other = await makeRig(made, {
        session: await rig.again(),
        onListenerFailure: (cause) => failures.push(cause),
      });
      await other.harness.nextTurn("n");
      await other.harness.settled();
      assert.deepEqual(failures, []);
      assert.equal(other.harness.queues.list().length, 1);
      rig.open();
      await run;
      await rig.harness.settled();
      assert.deepEqual(await said(rig), ["user: go", "user: n"]);
    },
  },
  {
    name: "modes: one at a time, or all at once, in the order of acceptance, with images",
    async run(made) {
      for (const mode of ["one-at-a-time", "all"] as const) {
        const text = { text: "ok" };
        const rig = await waitingRig(made, {
          steps: [{ calls: [call("c1")] }, text, text, text, text],
          queueModes: { steer: mode, followUp: mode },
        });
        const run = rig.harness.prompt("go");
        await until(() => rig.trace.includes("tool_execution_start c1"));
        await rig.harness.followUp("f1");
        await rig.harness.steer([{ type: "text", text: "s1" }, image]);
        await rig.harness.steer("s2");
        await rig.harness.followUp("f2");
        const waiting = rig.harness.queues.list().map(({ queue }) => queue);
        assert.deepEqual(waiting, ["followUp", "steer", "steer", "followUp"]);
        rig.open();
        await run;
        const order = ["user: go", "user: s1[image]", "user: s2", "user: f1", "user: f2"];
        assert.deepEqual(await said(rig), order);
        assert.equal(rig.model.requests.length, mode === "all" ? 3 : 5);
      }
    },
  },
  {
    name: "what waits can be edited and removed; what was delivered can not",
    async run(made) {
      const rig = await waitingRig(made, {
        steps: [{ calls: [call("c1")] }, { text: "ok" }, { text: "ok" }],
      });
      const run = rig.harness.prompt("go");
      await until(() => rig.trace.includes("tool_execution_start c1"));
      const first = await rig.harness.steer("first");
      const second = await rig.harness.steer("second");
      await rig.harness.queues.edit(first.id, "first, corrected");
      await rig.harness.queues.remove(second.id);
      rig.open();
      await run;
      assert.deepEqual(await said(rig), ["user: go", "user: first, corrected"]);
      await assert.rejects(rig.harness.queues.edit(first.id, "x"), { code: "QUEUE_ITEM_UNKNOWN" });
      await assert.rejects(rig.harness.queues.remove(second.id), { code: "QUEUE_ITEM_UNKNOWN" });
    },
  },
  {
    name: "an abort gives steering and follow-ups back, for good; the next turn stays and does not start (F094)",
    async run(made) {
      const rig = await waitingRig(made, {
        steps: [{ calls: [call("c1")] }, { text: "ok" }, { text: "ok" }],
      });
      const run = rig.harness.prompt("go");
      await until(() => rig.trace.includes("tool_execution_start c1"));
      await rig.harness.steer("s");
      await rig.harness.followUp("f");
      await rig.harness.nextTurn("n");
      const aborted = rig.harness.abort();
      rig.open();
      const { returned } = await aborted;
      assert.deepEqual(
        returned.map(({ content }) => content),
        ["s", "f"],
      );
      assert.deepEqual((await run).returned, returned);
      await rig.harness.settled();
      assert.deepEqual(rig.trace.slice(-2), ["agent_end aborted", "settled 1"]);
      assert.equal(rig.harness.state, "idle");
      assert.deepEqual(
        rig.harness.queues.list().map(({ content }) => content),
        ["n"],
      );
      // The rows are durable: another process does not find them any more either.
      const other = await makeRig(made, { session: await rig.again(), steps: [{ text: "ok" }] });
      assert.deepEqual(
        other.harness.queues.list().map(({ content }) => content),
        ["n"],
      );
    },
  },
  {
    name: "nextTurn: at once where nothing runs; in mode wait before the text of the next prompt",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ text: "ok" }] });
      await rig.harness.nextTurn("now");
      await rig.harness.settled();
      assert.deepEqual(await said(rig), ["user: now"]);
      const waits = await makeRig(made, { steps: [{ text: "ok" }], nextTurnMode: "wait" });
      await waits.harness.nextTurn("one");
      await waits.harness.nextTurn("two");
      await waits.harness.settled();
      assert.equal(waits.harness.state, "idle");
      await waits.harness.prompt("three");
      assert.deepEqual(await said(waits), ["user: one", "user: two", "user: three"]);
      assert.equal(waits.model.requests.length, 1);
      assert.deepEqual(waits.harness.queues.list(), []);
    },
  },
  {
    name: "a message typed during a compaction is delivered once behind it, whatever hooks await (F090, F091, F093)",
    async run(made) {
      for (const queue of ["steer", "followUp", "nextTurn"] as const) {
        const held = latch();
        const summariser = {
          name: "held",
          isExtractive: true,
          async summarise() {
            await held.opened;
            return { text: "Goal: there is nothing more to be done.", stopReason: "stop" };
          },
        };
        const rig = await makeRig(made, {
          steps: [{ text: `${"long ".repeat(2000)}` }, { text: "short" }, { text: "ok" }],
          summariser,
          compaction: { keepRecentTokens: 10 },
        });
        await rig.harness.prompt("one");
        await rig.harness.prompt("two");
        const compaction = rig.harness.compact();
        // Busy before anything was told or awaited.
        assert.equal(rig.harness.state, "compacting");
        await assert.rejects(rig.harness.prompt("no"), { code: "HARNESS_BUSY" });
        rig.harness.subscribe(async () => {
          await new Promise((resolve) => setImmediate(resolve));
        });
        await rig.harness[queue]("typed meanwhile");
        held.open();
        assert.ok("entry" in (await compaction));
        await rig.harness.settled();
        const heard = (await said(rig)).filter((text) => text === "user: typed meanwhile");
        assert.equal(heard.length, 1, queue);
        assert.equal(rig.model.remaining, 0, queue);
        const end = rig.trace.indexOf("compaction_end manual written");
        assert.ok(end > 0 && end < rig.trace.lastIndexOf("message_end user"), queue);
      }
    },
  },
  {
    name: "a message given in the last instant of a run is delivered by a run of its own, not lost",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ text: "one" }, { text: "two" }] });
      let isFirst = true;
      rig.harness.subscribe(async (event) => {
        if (event.type !== "agent_end" || !isFirst) return;
        isFirst = false;
        await rig.harness.steer("one more thing");
      });
      await rig.harness.prompt("go");
      await rig.harness.settled();
      assert.deepEqual(await said(rig), ["user: go", "user: one more thing"]);
      assert.deepEqual(rig.harness.queues.list(), []);
    },
  },
  {
    name: "steering where nothing runs is refused, not swallowed (F094)",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ text: "ok" }] });
      await assert.rejects(rig.harness.steer("x"), { code: "HARNESS_IDLE" });
      await assert.rejects(rig.harness.followUp("x"), { code: "HARNESS_IDLE" });
      await rig.harness.prompt("go");
      await assert.rejects(rig.harness.steer("x"), { code: "HARNESS_IDLE" });
      assert.deepEqual(rig.harness.queues.list(), []);
      // A caller without types may give anything.
      const wrong = 5 as unknown as string;
      await assert.rejects(rig.harness.prompt(wrong), { code: "ENTRY_INVALID" });
      await assert.rejects(rig.harness.nextTurn(wrong), { code: "ENTRY_INVALID" });
    },
  },
  {
    name: "a second prompt is refused while one runs, from the first event on",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ text: "ok" }] });
      const codes: unknown[] = [];
      rig.harness.subscribe(async ({ type }) => {
        if (type !== "agent_start") return;
        await assert.rejects(rig.harness.prompt("second"), { code: "HARNESS_BUSY" });
        codes.push(rig.harness.state);
      });
      const run = rig.harness.prompt("first");
      await assert.rejects(rig.harness.prompt("second"), { code: "HARNESS_BUSY" });
      await run;
      assert.deepEqual(codes, ["running"]);
    },
  },
  {
    name: "a listener may begin the next run when it hears settled",
    async run(made) {
      const rig = await makeRig(made, { steps: [{ text: "one" }, { text: "two" }] });
      const next: Promise<unknown>[] = [];
      rig.harness.subscribe(({ type }) => {
        if (type === "settled" && next.length === 0) next.push(rig.harness.prompt("again"));
      });
      await rig.harness.prompt("go");
      await Promise.all(next);
      await rig.harness.settled();
      assert.deepEqual(await said(rig), ["user: go", "user: again"]);
    },
  },
];
