import assert from "node:assert/strict";
import type { Summariser, Summary } from "../../compaction/summariser.ts";
import { Session } from "../../session/session.ts";
import * as golden from "./golden-traces.ts";
import type { HarnessCase } from "./harness-case.ts";
import { latch, makeRig, type Rig, type RigOptions, texts, tool, until } from "./harness-rig.ts";

const SUMMARY = "Goal: find out. Progress: read one long file.";
const LONG = "a line of the file\n".repeat(260);

/** A summariser that says always the same. */
function saying(summary: Partial<Summary> = {}, wait?: Promise<void>): Summariser {
  return {
    name: "saying",
    isExtractive: true,
    async summarise() {
      await wait;
      return { text: SUMMARY, stopReason: "stop", ...summary };
    },
  };
}

/** A small window: 3,800 tokens for a request, of which 50 at the end stay. */
const SMALL = {
  info: { contextWindow: 4000 },
  compaction: { reserveTokens: 200, keepRecentTokens: 50 },
  summariser: saying(),
} as const satisfies RigOptions;

const call = (id: string) => ({ id, name: "read", arguments: {} });
const reads = tool("read", LONG);
/** 2,700 tokens; with a long result it is too much. */
const PROMPT = "find it out ".repeat(900);

function summaries(rig: Rig, request: number): readonly string[] {
  const { messages = [] } = rig.model.requests[request] ?? {};
  return texts(messages).filter((text) => text.includes("compactionSummary"));
}

function compactions(rig: Rig): readonly string[] {
  return rig.trace.filter((line) => line.startsWith("compaction_end"));
}

/** Compactions that the engine decides (harness.md §6). */
export const compactionCases: readonly HarnessCase[] = [
  {
    name: "tools take room that no compaction makes: what stays fits beside them, and what cannot is said (F078)",
    async run(made) {
      const talk = Array.from({ length: 6 }, () => ({ text: "x ".repeat(600) }));
      const large = (tokens: number) =>
        tool("read", "ok", { description: "what it does ".repeat(tokens / 3.25) });
      const rig = await makeRig(made, {
        ...SMALL,
        steps: [...talk, { text: "ok" }],
        tools: [large(2600)],
        compaction: { reserveTokens: 200, keepRecentTokens: 1000 },
      });
      for (let turn = 0; turn < 6; turn++) await rig.harness.prompt("y ".repeat(200));
      assert.ok(compactions(rig).includes("compaction_end threshold written"));
      for (const event of rig.events) {
        if (event.type !== "compaction_end" || event.entryId === null) continue;
        assert.ok(event.tokensAfter <= 3800, `${event.tokensAfter} tokens stay`);
        assert.ok(event.tokensAfter >= 2600, `${event.tokensAfter} tokens with the tools`);
      }
      const full = await makeRig(made, { ...SMALL, steps: [{ text: "ok" }], tools: [large(4200)] });
      await full.harness.prompt("go");
      const said = full.events.find((event) => event.type === "compaction_end");
      assert.match(said?.error ?? "", /tools .* leave no room/);
    },
  },
  {
    name: "a summary that fails for a moment is tried again by the same policy (P49)",
    async run(made) {
      const busy = { error: "529 overloaded" };
      const rig = await makeRig(made, {
        info: { contextWindow: 100_000, isOffline: false },
        compaction: { ...SMALL.compaction, maxBytes: 15_000 },
        steps: [{ text: LONG }, busy, busy, { text: SUMMARY }, { text: "done" }],
      });
      await rig.harness.prompt(PROMPT);
      const run = rig.harness.prompt("and now?");
      for (const ms of [1000, 2000]) {
        await until(() => rig.clock.pending > 0);
        rig.clock.advance(ms);
      }
      assert.equal((await run).outcome, "done");
      assert.deepEqual(compactions(rig), ["compaction_end threshold written"]);
      const retries = rig.trace.filter((line) => line.startsWith("retry"));
      assert.deepEqual(retries, ["retry_scheduled 1 1000", "retry_scheduled 2 2000"]);
    },
  },
  {
    name: "compaction between tools and the next request; durable before its first use (F073, F086, F087)",
    async run(made) {
      const rig = await makeRig(made, {
        ...SMALL,
        steps: [{ calls: [call("c1")] }, { text: "done" }],
        tools: [reads],
      });
      const written: unknown[] = [];
      rig.harness.subscribe(async (event) => {
        if (event.type !== "compaction_end" || event.entryId === null) return;
        const other = await rig.again();
        written.push((await other.store.get(event.entryId))?.type);
        assert.ok(event.tokensAfter < event.tokensBefore);
      });
      assert.equal((await rig.harness.prompt(PROMPT)).outcome, "done");
      assert.deepEqual(rig.trace, golden.COMPACTION_BETWEEN_TURNS);
      assert.deepEqual(written, ["compaction"]);
      // The call and its result are one unit: both are there.
      assert.deepEqual(
        rig.model.requests[1]?.messages.map(({ role }) => role),
        ["compactionSummary", "assistant", "toolResult"],
      );
    },
  },
  {
    name: "compaction before a prompt's request, also where each prompt has a harness of its own (F095)",
    async run(made) {
      const first = await makeRig(made, { ...SMALL, steps: [{ text: LONG }] });
      await first.harness.prompt(PROMPT);
      assert.deepEqual(compactions(first), []);
      await first.harness.close();
      const rig = await makeRig(made, {
        ...SMALL,
        session: await first.again(),
        steps: [{ text: "ok" }],
      });
      await rig.harness.prompt("and now?");
      assert.deepEqual(compactions(rig), ["compaction_end threshold written"]);
      const sent = rig.model.requests[0]?.messages ?? [];
      assert.equal(sent[0]?.role, "compactionSummary");
      assert.equal(texts(sent).at(-1), "user: and now?");
    },
  },
  {
    name: "overflow: the failed attempt is stored and left out, one compaction, one more try",
    async run(made) {
      const rig = await makeRig(made, {
        ...SMALL,
        steps: [{ text: LONG }, { overflow: true }, { text: "fits now" }],
        info: { contextWindow: 100_000 },
      });
      await rig.harness.prompt(PROMPT);
      const start = rig.trace.length;
      assert.equal((await rig.harness.prompt("and now?")).outcome, "done");
      assert.deepEqual(rig.trace.slice(start), golden.OVERFLOW);
      assert.equal(texts(rig.model.requests[2]?.messages ?? []).at(-1), "user: and now?");
      const other = await rig.again();
      let failed = 0;
      for await (const entry of other.store.scan({ types: ["message"] })) {
        if (JSON.stringify(entry).includes("context_length_exceeded")) failed++;
      }
      assert.equal(failed, 1);
    },
  },
  {
    name: "overflow again after the compaction: the run ends with the error, compactions do not loop (F075, F092)",
    async run(made) {
      const overflow = { overflow: true } as const;
      const rig = await makeRig(made, {
        ...SMALL,
        steps: [{ text: LONG }, overflow, overflow, { text: "never" }],
        info: { contextWindow: 100_000 },
      });
      await rig.harness.prompt(PROMPT);
      assert.equal((await rig.harness.prompt("and now?")).outcome, "error");
      assert.equal(compactions(rig).length, 1);
      assert.equal(rig.model.remaining, 1);
    },
  },
  {
    name: "off means off: no threshold, none on overflow, the error says so; a person may still ask (F085)",
    async run(made) {
      const rig = await makeRig(made, {
        ...SMALL,
        steps: [{ text: LONG }, { text: LONG }, { overflow: true }],
        compaction: { ...SMALL.compaction, enabled: false },
      });
      await rig.harness.prompt(PROMPT);
      await rig.harness.prompt("more");
      const result = await rig.harness.prompt("more");
      assert.equal(result.outcome, "error");
      assert.match(result.error ?? "", /switched off/);
      assert.deepEqual(compactions(rig), []);
      assert.ok("entry" in (await rig.harness.compact()));
    },
  },
  {
    name: "cut, empty and failed summaries are refused and leave the run as it was; bytes count too (F065, F071, F078, F082)",
    async run(made) {
      for (const summary of [{ stopReason: "length" }, { text: "" }, { stopReason: "error" }]) {
        const again = { calls: [{ name: "read", arguments: {} }] };
        const rig = await makeRig(made, {
          ...SMALL,
          steps: [again, again, again, again, { text: "done" }],
          tools: [reads],
          summariser: saying(summary),
          // By bytes: a provider that counts would say that the window has overflowed.
          info: { contextWindow: 100_000 },
          compaction: { ...SMALL.compaction, maxBytes: 15_000 },
        });
        assert.equal((await rig.harness.prompt(PROMPT)).outcome, "done");
        // It does not try before every request.
        const nothing = "compaction_end threshold nothing";
        assert.deepEqual(compactions(rig), [nothing, nothing]);
        assert.deepEqual(summaries(rig, 4), []);
        const { tree } = rig.session;
        assert.ok([...tree.entries()].every(({ type }) => type !== "compaction"));
      }
    },
  },
  {
    name: "one compaction at a time: a second request joins, one with wishes of its own is refused (F092)",
    async run(made) {
      const held = latch();
      const rig = await makeRig(made, {
        ...SMALL,
        steps: [{ calls: [call("c1")] }, { text: "done" }, { text: "more" }],
        tools: [reads],
        summariser: saying({}, held.opened),
      });
      const run = rig.harness.prompt(PROMPT);
      await until(() => rig.trace.includes("compaction_start threshold"));
      const joined = rig.harness.compact();
      await assert.rejects(rig.harness.compact({ instructions: "the colours" }), {
        code: "HARNESS_BUSY",
      });
      held.open();
      assert.ok("entry" in (await joined));
      assert.equal((await run).outcome, "done");
      assert.equal(compactions(rig).length, 1);
    },
  },
  {
    name: "aborting a compaction writes nothing (F082); aborting a run ends its compaction",
    async run(made) {
      const never = new Promise<void>(() => undefined);
      const stops: Summariser = {
        name: "stops",
        isExtractive: true,
        summarise: (_, options) =>
          new Promise((_resolve, reject) => {
            options?.signal?.addEventListener("abort", () => reject(options.signal?.reason));
            void never;
          }),
      };
      const rig = await makeRig(made, {
        ...SMALL,
        steps: [{ calls: [call("c1")] }, { text: "never" }],
        tools: [reads],
        summariser: stops,
      });
      const run = rig.harness.prompt(PROMPT);
      await until(() => rig.trace.includes("compaction_start threshold"));
      await rig.harness.abort();
      assert.equal((await run).outcome, "aborted");
      const size = rig.session.tree.size;
      const asked = rig.harness.compact();
      await until(() => rig.trace.includes("compaction_start manual"));
      await rig.harness.abort();
      await assert.rejects(asked, { code: "ABORTED" });
      assert.equal(rig.session.tree.size, size);
      assert.equal(rig.harness.state, "idle");
    },
  },
  {
    name: "steering during a compaction waits and comes before the next request (F093)",
    async run(made) {
      const held = latch();
      const rig = await makeRig(made, {
        ...SMALL,
        steps: [{ calls: [call("c1")] }, { text: "done" }],
        tools: [reads],
        summariser: saying({}, held.opened),
      });
      const run = rig.harness.prompt(PROMPT);
      await until(() => rig.trace.includes("compaction_start threshold"));
      await rig.harness.steer("shorter, please");
      held.open();
      await run;
      assert.equal(texts(rig.model.requests[1]?.messages ?? []).at(-1), "user: shorter, please");
      assert.equal(rig.model.remaining, 0);
    },
  },
  {
    name: "the same path sends the same bytes, request after request and after a reload (F069, P8)",
    async run(made) {
      const options = { tools: [reads, tool("other")], systemPrompt: "Be exact." } as const;
      const rig = await makeRig(made, {
        ...options,
        steps: [{ calls: [call("c1")] }, { text: "done" }, { text: "more" }],
      });
      await rig.harness.prompt("one");
      await rig.harness.prompt("two");
      await rig.harness.close();
      const reloaded = await makeRig(made, {
        ...options,
        // A program that came to another prompt does not change the beginning of an old path.
        systemPrompt: "Be quick.",
        session: await rig.again(),
        steps: [{ text: "three" }],
      });
      await reloaded.harness.prompt("three");
      const requests = [...rig.model.requests, ...reloaded.model.requests];
      const sent = requests.map(({ messages }) => messages.map((one) => JSON.stringify(one)));
      assert.equal(requests[0]?.messages[0]?.role, "system");
      for (const [at, messages] of sent.slice(1).entries()) {
        const before = sent[at] ?? [];
        assert.deepEqual(messages.slice(0, before.length), before);
        assert.deepEqual(requests[at + 1]?.tools, requests[at]?.tools);
      }
    },
  },
  {
    name: "instructions that a path does not hold are sent with each request and stored nowhere",
    async run(made) {
      const plain = await makeRig(made, { steps: [{ text: "ok" }] });
      await plain.harness.prompt("one");
      await plain.harness.close();
      const rig = await makeRig(made, {
        session: await Session.attach(await made.store.open(plain.session.id)),
        systemPrompt: "Be exact.",
        steps: [{ text: "ok" }],
      });
      await rig.harness.prompt("two");
      assert.equal(texts(rig.model.requests[0]?.messages ?? [])[0], "system: Be exact.");
      assert.deepEqual(texts((await rig.session.context()).messages)[0], "user: one");
    },
  },
  {
    name: "the model in force makes the summary, without tools, in a request of its own; its usage is counted",
    async run(made) {
      const { summariser: _, ...small } = SMALL;
      const rig = await makeRig(made, {
        ...small,
        info: { contextWindow: 4000, isOffline: false },
        steps: [{ calls: [call("c1")] }, { text: SUMMARY }, { text: "done" }],
        tools: [reads],
      });
      assert.equal((await rig.harness.prompt(PROMPT)).outcome, "done");
      assert.deepEqual(rig.trace, golden.COMPACTION_BETWEEN_TURNS);
      const [, summary, last] = rig.model.requests;
      assert.deepEqual(summary?.tools, []);
      assert.deepEqual(
        summary?.messages.map(({ role }) => role),
        ["system", "user"],
      );
      assert.equal(last?.tools.length, 1);
      const { entryId } = rig.events.find((event) => event.type === "compaction_end") ?? {};
      const entry = await (await rig.again()).store.mustGet(entryId ?? "");
      assert.ok("usage" in entry && "summary" in entry);
      assert.match(String(entry.summary), /find out/);
    },
  },
  {
    name: "without a model behind it the summary is extracted, and says so",
    async run(made) {
      const { summariser: _, ...small } = SMALL;
      const rig = await makeRig(made, {
        ...small,
        steps: [{ calls: [call("c1")] }, { text: "done" }],
        tools: [reads],
      });
      assert.equal((await rig.harness.prompt(PROMPT)).outcome, "done");
      assert.equal(rig.model.remaining, 0);
      assert.match(texts(rig.model.requests[1]?.messages ?? []).join("\n"), /extract/i);
    },
  },
  {
    name: "standing instructions are sent word for word after a compaction, never through the summary (F074)",
    async run(made) {
      const systemPrompt = "Never touch the file secrets.txt.";
      const rig = await makeRig(made, {
        ...SMALL,
        systemPrompt,
        steps: [{ calls: [call("c1")] }, { text: "done" }],
        tools: [reads],
      });
      await rig.harness.prompt(PROMPT);
      assert.deepEqual(compactions(rig), ["compaction_end threshold written"]);
      const sent = rig.model.requests[1]?.messages ?? [];
      assert.equal(texts(sent)[0], `system: ${systemPrompt}`);
      assert.equal(sent.filter(({ role }) => role === "system").length, 1);
    },
  },
];
