import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Capabilities } from "../capabilities.ts";
import type { SessionStore } from "../store.ts";
import { type MakeFixture, runContract, StoreDecorator } from "../testing/index.ts";
import { createJsonlStore } from "./jsonl-store.ts";

const capabilities: Capabilities = {
  contract: 1,
  durable: true,
  multiProcess: true,
  follow: true,
  paths: true,
  trash: true,
  indexed: false,
};

/** Each case on files of its own. */
function fixtureOf(
  durability: "full" | "process",
  wrap: (store: SessionStore) => SessionStore,
): MakeFixture {
  return async () => {
    const root = await mkdtemp(join(tmpdir(), "branchline-jsonl-"));
    const stores: SessionStore[] = [];
    const make = (): SessionStore => {
      const store = wrap(createJsonlStore({ root, durability }));
      stores.push(store);
      return store;
    };
    return {
      store: make(),
      reopen: async () => make(),
      async [Symbol.asyncDispose]() {
        for (const store of stores) await store.close();
        await rm(root, { recursive: true });
      },
    };
  };
}

runContract(
  { name: "jsonl", capabilities, makeFixture: fixtureOf("full", (store) => store) },
  test,
);
runContract(
  {
    name: "decorated jsonl",
    capabilities,
    // The disk is tried by the first run.
    makeFixture: fixtureOf("process", (store) => new StoreDecorator(store)),
  },
  test,
);
