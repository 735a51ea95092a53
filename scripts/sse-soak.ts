/**
 * `node --expose-gc scripts/sse-soak.ts [seconds] [clients] [rate]`: many event streams at a steady rate, 600 s with 64 clients
 * at 100 events a second unless told otherwise. Prints when events arrived and what memory did; fails where
 * an event was lost, the slowest hundredth took 50 ms or more, or the heap grew by more than 20 MB.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { NodeWorkspace } from "../src/local/node-workspace.ts";
import { createOfflineModel } from "../src/model/offline-model.ts";
import { startServer } from "../src/server/server.ts";
import { sseLoad } from "../src/server/testing/sse-load.ts";
import { createJsonlStore } from "../src/store/jsonl/jsonl-store.ts";

const [seconds = 600, clients = 64, rate = 100] = process.argv.slice(2).map(Number);
const MB = 1024 * 1024;
const folder = mkdtempSync(path.join(tmpdir(), "branchline-soak-"));
const store = createJsonlStore({ root: folder });
const server = await startServer({
  roots: [{ kind: "own", directory: folder, store }],
  index: null,
  cwd: folder,
  version: "soak",
  port: 0,
  models: { providers: [createOfflineModel()] },
  workspace: new NodeWorkspace({ root: folder }),
  limits: { sockets: clients + 8, streams: clients, streamsPerClient: 1 },
});
const heaps: number[] = [];
const report = await sseLoad(server, {
  ...{ clients, rate, seconds },
  onSecond: (second, heap) => {
    if (second % 10 === 0) heaps.push(Math.round(heap / MB));
  },
});
await server.close();
await store.close();
rmSync(folder, { recursive: true });
const grown = (report.heapAfter - report.heapBefore) / MB;
console.log(
  JSON.stringify({ clients, rate, seconds, ...report, grownMb: Math.round(grown * 10) / 10 }),
);
console.log(`heap every 10 s, MB: ${heaps.join(" ")}`);
const isLost = report.received !== report.sent * clients;
process.exitCode = isLost || report.p99 >= 50 || grown > 20 ? 1 : 0;
