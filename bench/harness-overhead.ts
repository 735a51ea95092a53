/**
 * What the harness itself costs for each prompt, without model and tools, by the length of the session:
 * `node bench/harness-overhead.ts [PROMPTS]`, as JSON. The model answers at once; the context is bounded
 * by a compaction, as a window bounds it in use.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Entry } from "../src/entry/entry.ts";
import { createHarness } from "../src/harness/harness.ts";
import { createScriptedModel } from "../src/model/scripted-model.ts";
import { Session } from "../src/session/session.ts";
import { createJsonlStore } from "../src/store/jsonl/jsonl-store.ts";
import { createMemoryStore } from "../src/store/memory/memory-store.ts";
import type { SessionStore } from "../src/store/store.ts";

const SIZES = [10, 1000, 100_000];
const prompts = Number(process.argv[2] ?? 100);
const time = new Date(0).toISOString();

function entryAt(at: number, length: number): Entry {
  const base = { id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, timestamp: time };
  if (at === length - 8) {
    const summary = "What was said before.";
    return {
      ...base,
      type: "compaction",
      summary,
      firstKeptEntryId: `e${at - 1}`,
      tokensBefore: 9,
    };
  }
  if (at % 2 === 0)
    return { ...base, type: "message", message: { role: "user", content: `q${at}` } };
  const content = [{ type: "text", text: `a${at}` }];
  const message = { role: "assistant", content, provider: "scripted", model: "scripted-1" };
  return { ...base, type: "message", message };
}

async function measure(store: SessionStore, length: number): Promise<Record<string, number>> {
  const entries = Array.from({ length }, (_, at) => entryAt(at, length));
  const session = await Session.attach(await store.create({ cwd: "/p", entries }));
  const steps = Array.from({ length: prompts + 1 }, () => ({ text: "ok" }));
  const models = createScriptedModel(steps, { info: { contextWindow: 1e9 } });
  const { provider, modelId } = models.info;
  const harness = await createHarness({ session, models, model: { provider, modelId } });
  await harness.prompt("the first one reads the context");
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let count = 0; count < prompts; count++) {
    const start = performance.now();
    await harness.prompt("go");
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  await harness.close();
  await session.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    Number((times[Math.floor(share * prompts)] ?? 0).toFixed(3));
  // Processor time says the same on a busy machine, waits for the disk left out.
  const cpuMs = Number(((user + system) / 1000 / prompts).toFixed(3));
  return { entries: length, medianMs: at(0.5), p95Ms: at(0.95), cpuMs };
}

const root = mkdtempSync(path.join(tmpdir(), "branchline-harness-"));
try {
  const stores: Readonly<Record<string, () => SessionStore>> = {
    memory: () => createMemoryStore(),
    "jsonl, durable": () => createJsonlStore({ root }),
  };
  for (const [name, make] of Object.entries(stores)) {
    for (const length of SIZES) {
      await using store = make();
      console.log(JSON.stringify({ store: name, ...(await measure(store, length)) }));
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
