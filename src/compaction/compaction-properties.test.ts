import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../entry/message.ts";
import type { Session } from "../session/session.ts";
import { add, newFixture } from "../session/testing/session-fixture.ts";
import { mulberry32 } from "../store/testing/mulberry32.ts";
import { compact } from "./compact.ts";
import { extractiveSummariser } from "./extractive-summariser.ts";
import { lossReport } from "./loss-report.ts";
import { expandCompaction } from "./originals.ts";
import { type CompactionReason, type KeepRecent, planCompaction } from "./plan.ts";
import { isRefusal } from "./refusal.ts";
import { answering, asking, prose, resulting, system, told } from "./testing/compaction-fixture.ts";

const first = Number(process.env.SEED ?? Date.now() % 0x7fffffff);

/** Makes a path with everything that a cut may meet. */
class RandomTalk {
  readonly #session: Session;
  readonly #random: () => number;
  /** True = every call is answered at once and nothing is uncompacted: what Pi writes too. */
  readonly #isTidy: boolean;
  #calls = 0;
  #open: string[] = [];

  constructor(session: Session, random: () => number) {
    this.#session = session;
    this.#random = random;
    this.#isTidy = random() < 0.5;
  }

  below(max: number): number {
    return Math.floor(this.#random() * max);
  }

  async step(): Promise<void> {
    const session = this.#session;
    const pick = this.below(20);
    if (pick < 4) await add(session, asking(`q ${prose(this.below(80), "ask")}`));
    else if (pick < 6) await add(session, answering(`a ${prose(this.below(200), "say")}`));
    else if (pick < 10) await this.#call();
    else if (pick < 14) await this.#answer();
    else if (pick < 15) await add(session, system(`rule ${pick}`));
    else if (pick < 16) await (this.#isTidy ? this.#note() : this.#edit());
    else if (pick < 17) await add(session, { type: "model_change", provider: "p", modelId: "m" });
    else if (pick < 18) await this.#note();
    else if (pick < 19) await (this.#isTidy ? this.#note() : this.#move());
    else if (!this.#isTidy && session.tree.get(session.leaf ?? "")?.fold.compactions)
      await session.uncompact().catch(() => null);
  }

  async #call(): Promise<void> {
    const count = 1 + this.below(3);
    const calls = Array.from({ length: count }, () => {
      // Ids are used again now and then.
      const id = `c${this.below(4) === 0 ? this.below(4) : this.#calls++}`;
      return { id, name: "read", args: { path: `f${this.below(5)}.ts` } };
    });
    await add(this.#session, answering("calling", { calls }));
    this.#open.push(...calls.map(({ id }) => id));
    while (this.#isTidy && this.#open.length > 0) await this.#answer();
  }

  async #answer(): Promise<void> {
    if (this.#isTidy && this.#open.length === 0) return;
    const at = this.below(this.#open.length + (this.#isTidy ? 0 : 1));
    const [id = `c${this.below(6)}`] = this.#open.splice(at, 1);
    const image = { type: "image", data: "A".repeat(this.below(900)), mimeType: "image/png" };
    const text = { type: "text", text: prose(this.below(400), "data") };
    await add(this.#session, resulting(id, this.below(4) === 0 ? [text, image] : [text]));
  }

  async #edit(): Promise<void> {
    const { sources } = await this.#session.context();
    const target = sources[this.below(sources.length)];
    if (target === undefined) return;
    const act =
      this.below(2) === 0 ? this.#session.hide(target) : this.#session.replace(target, "new");
    await act.catch(() => null);
  }

  async #note(): Promise<void> {
    const { session } = { session: this.#session };
    if (this.below(2) === 0) await session.setLabel(session.leaf ?? "", "x").catch(() => null);
    else
      await add(session, {
        type: "custom_message",
        customType: "n",
        content: "note",
        display: true,
      });
  }

  async #move(): Promise<void> {
    const { entries } = await this.#session.context();
    const target = entries[this.below(entries.length)];
    if (target === undefined) return;
    await this.#session.moveLeaf(target);
    this.#open = [];
  }
}

function assertPaired(messages: readonly Message[]): void {
  const open: string[] = [];
  for (const message of messages) {
    if (message.role === "assistant" && "content" in message && Array.isArray(message.content)) {
      for (const block of message.content)
        if (block.type === "toolCall") open.push(String(block.id));
    }
    if (message.role !== "toolResult" || !("toolCallId" in message)) continue;
    const at = open.lastIndexOf(String(message.toolCallId));
    assert.notEqual(at, -1, "result without call");
    open.splice(at, 1);
  }
  assert.deepEqual(open, [], "call without result");
}

const asText = (value: unknown): string => JSON.stringify(value);
const sorted = (values: readonly unknown[]): string => values.map(asText).sort().join("\n");

test("F061 F062 F063 F086 P9 on random paths: no cut in a unit, the new context is the planned one, smaller, paired, Pi's", async (t) => {
  const counts = {
    sessions: 0,
    written: 0,
    refused: 0,
    split: 0,
    keptNothing: 0,
    again: 0,
    sound: 0,
  };
  const reasons: readonly CompactionReason[] = ["manual", "threshold", "overflow"];
  for (let seed = first; counts.sessions < 100; seed++) {
    counts.sessions++;
    const random = mulberry32(seed);
    const { session } = await newFixture();
    const talk = new RandomTalk(session, random);
    for (let round = 0; round < 4; round++) {
      const steps = 2 + talk.below(25);
      for (let step = 0; step < steps; step++) await talk.step();
      const keep: KeepRecent =
        talk.below(2) === 0 ? { tokens: talk.below(600) } : { messages: talk.below(6) };
      const reason = reasons[talk.below(3)]!;
      const window = talk.below(3) === 0 ? 600 + talk.below(2000) : null;
      const before = await session.context();
      const raw = await session.context({ raw: true });
      const { size } = session.tree;
      const where = `seed ${seed} round ${round}`;
      const summariser = talk.below(2) === 0 ? told() : extractiveSummariser();
      const settings = { brakeAfter: 0 };
      const outcome = await compact(session, {
        reason,
        summariser,
        settings,
        keep,
        contextWindow: window,
      });
      if (isRefusal(outcome)) {
        counts.refused++;
        assert.equal(session.tree.size, size, where);
        continue;
      }
      counts.written++;
      const { plan, entry, loss } = outcome;
      if (plan.turnPrefix.length > 0) counts.split++;
      if (plan.firstKeptEntryId === null) counts.keptNothing++;
      if (plan.previous !== null) counts.again++;
      const after = await session.context();
      assertPaired(after.messages);
      const expected = plan.kept.map(({ message }) => message);
      const spoken = after.messages.filter(({ role }) => role !== "system");
      assert.equal(spoken[0]?.role, "compactionSummary", where);
      // Without a system message between them, a made result may stand on the other side of a real one.
      assert.equal(sorted(spoken.slice(1)), sorted(expected), where);
      const talked = before.messages.filter(({ role }) => role !== "system");
      assert.equal(asText(talked.slice(talked.length - expected.length)), asText(expected), where);
      assert.ok(after.tokens < before.tokens, where);
      assert.ok(outcome.tokensAfter < outcome.tokensBefore, where);
      assert.deepEqual(loss, lossReport(lossBasis(plan), after.messages), where);
      if (entry.systemMessage !== undefined)
        assert.deepEqual(after.messages[0], entry.systemMessage);
      if (asText(raw.messages) === asText(before.messages)) {
        counts.sound++;
        assert.equal(
          asText((await session.context({ raw: true })).messages),
          asText(after.messages),
          where,
        );
      }
      const originals: string[] = [];
      for await (const one of expandCompaction(session, entry.id)) originals.push(one.id);
      for (const { entry: id } of [...plan.messages, ...plan.turnPrefix]) {
        assert.ok(originals.includes(id) || isKeptAbove(session, id, originals[0]), where);
      }
    }
  }
  t.diagnostic(`first seed ${first} ${asText(counts)}`);
  for (const [name, count] of Object.entries(counts)) assert.ok(count > 5, name);
});

function lossBasis(plan: {
  previous: { entry: string; summary: string } | null;
  messages: Parameters<typeof lossReport>[0];
  turnPrefix: Parameters<typeof lossReport>[0];
}): Parameters<typeof lossReport>[0] {
  const { previous, messages, turnPrefix } = plan;
  const summary = previous?.summary
    .replace(/\s*<(read|modified)-files>[^<]*<\/\1-files>/g, "")
    .trim();
  const earlier =
    previous === null
      ? []
      : [
          {
            entry: previous.entry,
            message: { role: "compactionSummary", summary, tokensBefore: 0, timestamp: 0 },
          },
        ];
  return [...earlier, ...messages, ...turnPrefix];
}

/** A call that the context brought in from above the boundary (P9) belongs to the compaction before. */
function isKeptAbove(session: Session, id: string, from: string | undefined): boolean {
  return from !== undefined && session.tree.commonAncestor(id, from)?.id === id;
}

test("P8 the same path is planned alike, and the extractive summary of it is the same text", async (t) => {
  for (let seed = first; seed < first + 20; seed++) {
    const texts: string[] = [];
    for (let copy = 0; copy < 2; copy++) {
      const { session } = await newFixture();
      const talk = new RandomTalk(session, mulberry32(seed));
      for (let step = 0; step < 40; step++) await talk.step();
      const plan = await planCompaction(session, { reason: "manual", keep: { messages: 3 } });
      if (isRefusal(plan)) {
        texts.push(plan.refused);
        continue;
      }
      const { previous, messages, turnPrefix, kept, files } = plan;
      const { text } = await extractiveSummariser().summarise({
        ...{ kind: "compaction", previousSummary: previous?.summary ?? null },
        ...{
          messages,
          turnPrefix,
          kept,
          files,
          instructions: null,
          maxTokens: 2000,
          inputTokens: null,
        },
      });
      texts.push(text + asText(plan));
    }
    assert.equal(texts[0], texts[1], `seed ${seed}`);
  }
  t.diagnostic(`first seed ${first}`);
});
