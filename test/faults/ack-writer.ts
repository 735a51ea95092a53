/**
 * A process that appends to one session until it is stopped, and tells each entry on a line of its own
 * once it is acknowledged, and each error. Arguments: data root, session id, number of entries, bytes of each.
 */
import { writeSync } from "node:fs";
import { BranchlineError } from "../../src/errors.ts";
import { createJsonlStore, type JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import type { StoreSession } from "../../src/store/store.ts";

const [root = "", id = "", count = "1000000", size = "200"] = process.argv.slice(2);

/** In one call and at once: nothing that was told may be lost with the process. */
function tell(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Time that processes of one machine share, in ms with a fraction. */
function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

async function openOrCreate(store: JsonlStore): Promise<StoreSession> {
  try {
    return await store.open(id);
  } catch (error) {
    if (!BranchlineError.is(error, "SESSION_UNKNOWN")) throw error;
    return await store.create({ id, cwd: root });
  }
}

async function run(): Promise<void> {
  const store = createJsonlStore({ root });
  let session = await openOrCreate(store);
  let number = session.tree.size;
  tell({ ready: number });
  for (const end = number + Number(count); number < end; ) {
    const content = `${process.pid} ${number} ${"会".repeat(Number(size) / 3)}`;
    const began = wallMs();
    try {
      const { entries } = await session.commit({
        entries: [{ type: "message", message: { role: "user", content } }],
        key: `${process.pid}-${number}`,
      });
      const [entry] = entries;
      tell({ ack: entry?.id, parent: entry?.parentId, began, ended: wallMs() });
      number++;
    } catch (error) {
      if (!BranchlineError.is(error)) throw error;
      tell({ error: error.code });
      if (!BranchlineError.is(error, "APPEND_UNKNOWN")) break;
      await session.close();
      session = await store.open(id);
    }
  }
  await session.close();
  await store.close();
  tell({ done: number });
}

await run().catch((error: unknown) => {
  tell({ error: BranchlineError.is(error) ? error.code : `untyped: ${String(error)}` });
  process.exitCode = 1;
});
