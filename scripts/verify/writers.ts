/** Many processes on one session, with owners that are killed and stopped. */
import assert from "node:assert/strict";
import type { Entry } from "../../src/entry/entry.ts";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { checkHistory } from "../../test/faults/history.ts";
import { type AckRow, WatchedWriter } from "../../test/faults/watched-writer.ts";
import type { CheckTools, Figures, VerifyCheck } from "./check.ts";
import { withFolder } from "./kills.ts";

const WRITERS = 8;
const ENTRIES = 500;
const KILLS = 20;

type LogRow = Pick<Entry, "id" | "parentId">;

async function readLog(root: string, session: string): Promise<readonly LogRow[]> {
  await using store = createJsonlStore({ root });
  await using opened = await store.open(session);
  assert.deepEqual(opened.problems, []);
  const log: LogRow[] = [];
  for await (const { id, parentId } of opened.scan()) log.push({ id, parentId });
  return log;
}

async function create(root: string, session: string): Promise<void> {
  await using store = createJsonlStore({ root });
  await (await store.create({ id: session, cwd: root })).close();
}

/** Eight writers at once; nobody is disturbed. */
async function compete(root: string, tools: CheckTools): Promise<Figures> {
  await create(root, "all");
  const options = { root, session: "all", entries: ENTRIES * tools.scale };
  const writers = Array.from({ length: WRITERS }, () => new WatchedWriter(options));
  await Promise.all(writers.map((writer) => writer.ended()));
  for (const writer of writers) assert.ok(writer.isDone, writer.said);
  const report = checkHistory(
    writers.map(({ rows }) => rows),
    await readLog(root, "all"),
  );
  return { writers: WRITERS, ...report, longestMs: Math.round(report.longestMs), lost: 0 };
}

/** Writers that are killed or stopped for a while while others wait; a new one takes each one's place. */
async function disturb(root: string, tools: CheckTools): Promise<Figures> {
  await create(root, "all");
  const random = seededRandom(tools.seed);
  const options = { root, session: "all" };
  const rows: (readonly AckRow[])[] = [];
  let running = Array.from({ length: 4 }, () => new WatchedWriter(options));
  for (let kill = 0; kill < KILLS * tools.scale; kill++) {
    const [victim, ...others] = running.sort(() => random.float() - 0.5);
    if (victim === undefined) break;
    await victim.reached(victim.acks.length + 1 + Math.floor(random.float() * 20));
    if (kill % 4 === 3) victim.process.kill("SIGSTOP");
    // Whoever is stopped with the lock keeps it: the others go on once it is gone or woken.
    const other = others[0];
    if (kill % 4 !== 3) await victim.kill();
    else victim.process.kill("SIGCONT");
    await other?.reached(other.acks.length + 1);
    if (kill % 4 === 3) await victim.kill();
    rows.push(victim.rows);
    running = [...others, new WatchedWriter(options)];
    tools.progress(kill + 1, KILLS * tools.scale);
  }
  for (const writer of running) await writer.kill();
  const all = [...rows, ...running.map((writer) => writer.rows)];
  const report = checkHistory(all, await readLog(root, "all"));
  return {
    kills: KILLS * tools.scale,
    ...report,
    longestMs: Math.round(report.longestMs),
    lost: 0,
  };
}

/** Histories of processes, checked. */
export const WRITER_CHECKS: readonly VerifyCheck[] = [
  {
    name: "writers",
    about: "P6: eight processes on one session",
    run: (tools) => withFolder((root) => compete(root, tools)),
  },
  {
    name: "disturbed writers",
    about: "P4 P6: owners are killed and stopped while others wait",
    run: (tools) => withFolder((root) => disturb(root, tools)),
  },
];
