import assert from "node:assert/strict";
import { test } from "node:test";
import { isEntry } from "../entry/entry-check.ts";
import { BranchlineError } from "../errors.ts";
import { createScriptedModel } from "../model/scripted-model.ts";
import { Session } from "../session/session.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { mulberry32 } from "../store/testing/mulberry32.ts";
import { createHarness } from "./harness.ts";
import { tool } from "./testing/harness-rig.ts";

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
const QUEUES = ["steer", "followUp", "nextTurn"] as const;

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What is refused where nothing runs, or something else does, was not accepted. */
function isRefusal(error: unknown): boolean {
  return BranchlineError.is(error, "HARNESS_IDLE") || BranchlineError.is(error, "HARNESS_BUSY");
}

async function live(seed: number): Promise<void> {
  const random = mulberry32(seed);
  const store = createMemoryStore();
  const session = await Session.attach(await store.create({ cwd: "/p" }));
  const models = createScriptedModel(
    Array.from({ length: 400 }, () => () => {
      const calls = [{ name: "echo", arguments: {} }];
      return random() < 0.4 ? { calls } : { text: "ok" };
    }),
  );
  const { provider, modelId } = models.info;
  const harness = await createHarness({
    session,
    models,
    model: { provider, modelId },
    tools: [
      tool("echo", async () => {
        await breathe();
        return { content: [] };
      }),
    ],
    queueModes: { steer: random() < 0.5 ? "all" : "one-at-a-time" },
  });
  harness.subscribe(async () => {
    for (let turn = random() * 3; turn > 1; turn--) await breathe();
  });
  const accepted = new Set<string>();
  const returned: string[] = [];
  const work: Promise<void>[] = [];
  const act = async (name: string): Promise<void> => {
    const choice = random();
    try {
      if (choice < 0.15) await harness.prompt(`prompt ${name}`);
      else if (choice < 0.22) {
        for (const { content } of (await harness.abort()).returned) returned.push(String(content));
      } else if (choice < 0.28) await harness.compact();
      else {
        const queue = QUEUES[Math.floor(random() * 3)] ?? "steer";
        await harness[queue](name);
        accepted.add(name);
      }
    } catch (error) {
      if (!isRefusal(error) && !BranchlineError.is(error, "ABORTED")) throw error;
    }
  };
  for (let step = 0; step < 60; step++) {
    work.push(act(`m${step}`));
    for (let turn = random() * 8; turn > 1; turn--) await breathe();
  }
  await Promise.all(work);
  await harness.settled();
  const ends = new Map<string, number>();
  const end = (text: string): void => void ends.set(text, (ends.get(text) ?? 0) + 1);
  for await (const entry of session.store.scan({ types: ["message"] })) {
    if (isEntry(entry, "message") && entry.message.role === "user")
      end(String(entry.message.content));
  }
  for (const { content } of harness.queues.list()) end(String(content));
  // Two aborts at the same time both learn what came back.
  for (const text of new Set(returned)) end(text);
  for (const text of accepted) assert.equal(ends.get(text), 1, `seed ${seed}: ${text}`);
  assert.ok(accepted.size > 5, `seed ${seed}: ${accepted.size} accepted`);
  await harness.close();
}

test(`each accepted message is delivered, returned, or still there: exactly one of them (F090, F094), seeds 1 to ${SEEDS.length}`, async () => {
  for (const seed of SEEDS) await live(seed);
});
