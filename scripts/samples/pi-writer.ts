/**
 * A process that writes into a session file as Pi 1.6.0 does: it reads the file once, goes on from the last
 * entry that it saw, and appends plain lines without asking anybody. Its turns are made by the offline model
 * with the tools of the workspace. Says "read" when it has read the file, and appends when its input ends.
 *
 * Run: `node scripts/samples/pi-writer.ts JOB`, the job as JSON.
 */
import { appendFileSync, readFileSync } from "node:fs";
import type { Message } from "../../src/entry/message.ts";
import { openHarness } from "../../src/harness/standard-agent.ts";
import { NodeWorkspace } from "../../src/local/node-workspace.ts";
import { createOfflineModel } from "../../src/model/offline-model.ts";
import { Session } from "../../src/session/session.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { RecordedClock, seededBytes } from "./recorder.ts";

/** What the process is asked to do. */
export interface PiJob {
  readonly file: string;
  /** Folder of the tools. */
  readonly folder: string;
  readonly seed: number;
  /** Time of its first entry, ISO 8601. */
  readonly start: string;
  readonly prompt: string;
}

/** The messages of a turn, without our instructions. */
async function turn({ folder, seed, start, prompt }: PiJob): Promise<readonly Message[]> {
  const clock = new RecordedClock(start);
  const random = seededBytes(seed);
  await using store = createMemoryStore();
  await using session = await Session.attach(await store.create({ cwd: folder }));
  const models = createOfflineModel({ now: () => clock.now(), pace: () => clock.sleep(15) });
  const model = { provider: "offline", modelId: "offline-1" };
  const workspace = new NodeWorkspace({ root: folder });
  await using harness = await openHarness({ session, models, model, workspace, clock, random });
  await harness.prompt(prompt);
  return (await session.context()).messages.filter(({ role }) => role !== "system");
}

function lastId(file: string): string | null {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const last: { readonly type: string; readonly id: string } = JSON.parse(lines.at(-1) ?? "{}");
  return last.type === "session" ? null : last.id;
}

async function main(job: PiJob): Promise<void> {
  let parentId = lastId(job.file);
  const messages = await turn(job);
  process.stdout.write("read\n");
  for await (const _ of process.stdin);
  const random = seededBytes(job.seed + 1);
  let time = Date.parse(job.start);
  for (const message of messages) {
    const id = Buffer.from(random.bytes(4)).toString("hex");
    const at = message.timestamp;
    time = Math.max(time + 1, typeof at === "number" ? at : 0);
    const timestamp = new Date(time).toISOString();
    const entry = { type: "message", id, parentId, timestamp, message };
    appendFileSync(job.file, `${JSON.stringify(entry)}\n`);
    parentId = id;
  }
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? ""));
