import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createJsonlStore } from "../store/jsonl/jsonl-store.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import type { SessionStore } from "../store/store.ts";
import type { HarnessStore } from "./testing/harness-rig.ts";
import { runHarnessSuite } from "./testing/harness-suite.ts";

async function memory(): Promise<HarnessStore> {
  const store = createMemoryStore();
  return {
    store,
    reopen: async () => store,
    [Symbol.asyncDispose]: () => store.close(),
  };
}

async function jsonl(): Promise<HarnessStore> {
  const root = await mkdtemp(join(tmpdir(), "branchline-harness-"));
  const opened: SessionStore[] = [];
  const open = (): SessionStore => {
    const store = createJsonlStore({ root });
    opened.push(store);
    return store;
  };
  return {
    store: open(),
    reopen: async () => open(),
    async [Symbol.asyncDispose]() {
      for (const store of opened) await store.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

runHarnessSuite({ name: "memory", make: memory }, test);
runHarnessSuite({ name: "jsonl", make: jsonl }, test);
