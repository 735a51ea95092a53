import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Capabilities } from "../capabilities.ts";
import type { OpenOptions, SessionStore, StoreSession } from "../store.ts";
import { type MakeFixture, runContract, StoreDecorator } from "../testing/index.ts";
import { READING_LIMITS, type ReadingLimits } from "./environment.ts";
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
  reading?: ReadingLimits,
): MakeFixture {
  return async () => {
    const root = await mkdtemp(join(tmpdir(), "branchline-jsonl-"));
    const stores: SessionStore[] = [];
    const make = (): SessionStore => {
      const store = wrap(createJsonlStore({ root, durability, ...(reading && { reading }) }));
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

/** Opens every session from its end, as if its file were long, and waits until it is verified. */
class TailFirstStore extends StoreDecorator {
  override async open(id: string, options: OpenOptions = {}): Promise<StoreSession> {
    const session = await this.inner.open(id, { tailFirst: true, ...options });
    await session.whenVerified();
    return session;
  }
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
runContract(
  {
    name: "jsonl tail first",
    capabilities,
    makeFixture: fixtureOf("process", (store) => new TailFirstStore(store), {
      ...{ longFile: 1, context: 1e9, settings: 1e9, kept: 1e9 },
    }),
  },
  test,
);
runContract(
  {
    name: "jsonl that keeps nothing in memory",
    capabilities,
    makeFixture: fixtureOf("process", (store) => store, { ...READING_LIMITS, kept: 0 }),
  },
  test,
);
