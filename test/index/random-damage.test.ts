import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { UsageRow } from "../../src/index/session-index.ts";
import type { SqliteIndex } from "../../src/index/sqlite/sqlite-index.ts";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import { summarizeFile } from "../../src/store/jsonl/jsonl-session.ts";
import { SessionFile } from "../../src/store/jsonl/session-file.ts";
import { fileSystem, IndexMachine } from "./index-machine.ts";
import { randomSession } from "./random-session.ts";
import { assertSameSession } from "./same-answers.ts";

const DAMAGES = Number(process.env.BRANCHLINE_DAMAGES ?? 200);
const FIRST_SEED = Number(process.env.BRANCHLINE_DAMAGE_SEED ?? 1);
/** Sessions that are drawn: some short, one with look-up trees of several levels. */
const SIZES = [40, 60, 80, 3000];

const machine = new IndexMachine();
const good = `${machine.database}.good`;
const paths: string[] = [];
const files: SessionFile[] = [];
let usage: readonly UsageRow[] = [];

before(async () => {
  mkdirSync(machine.root);
  for (const [place, size] of SIZES.entries()) {
    const { lines } = randomSession(2 * place + 2, size);
    paths.push(machine.write(`damage-${place}`, lines.join("")));
  }
  for (const path of paths) {
    const file = await SessionFile.open(fileSystem, path, { mode: "read" });
    await file.file.close();
    files.push(file);
  }
  await using index = machine.index();
  await index.refresh([machine.root]);
  usage = index.usage();
  await index.close();
  copyFileSync(machine.database, good);
});
after(() => machine.remove());

interface Draw {
  below(limit: number): number;
}

function drawFrom(seed: number): Draw {
  const random = seededRandom(seed);
  return {
    below(limit) {
      const [a, b, c] = random.bytes(3) as unknown as [number, number, number];
      return (a * 65536 + b * 256 + c) % limit;
    },
  };
}

/** One to eight changed bytes side by side, a page of zeros, or a page that stands at another place. */
function damage({ below }: Draw): string {
  const bytes = readFileSync(good);
  const pages = bytes.length / 4096;
  const page = below(pages) * 4096;
  const how = below(4);
  if (how === 0) bytes.fill(0, page, page + 4096);
  else if (how === 1) bytes.copy(bytes, page, below(pages) * 4096, 4096);
  else {
    const at = below(bytes.length);
    for (let place = at; place < Math.min(bytes.length, at + 1 + below(8)); place++)
      bytes[place] = Number(bytes[place]) ^ (1 + below(255));
  }
  for (const suffix of ["-wal", "-shm"]) rmSync(machine.database + suffix, { force: true });
  writeFileSync(machine.database, bytes);
  return ["a page of zeros", "a page twice", "bytes", "bytes"][how] ?? "";
}

/** Every question once more: an answer may be late, never another one. */
async function askAll(index: SqliteIndex): Promise<void> {
  for (const path of paths) {
    // The damage of rows may be met in the middle of an answer: that throws, and the next look builds anew.
    for (let turn = 0; ; turn++) {
      const session = await index.session(path);
      if (session === null) return;
      try {
        await assertSameSession(session, path);
        break;
      } catch (error) {
        if (error instanceof assert.AssertionError || turn > 2) throw error;
      }
    }
  }
  const report = await index.refresh([machine.root]);
  if (!report.complete) return;
  const { rebuilds } = index.counters;
  const listed = index.list();
  const used = index.usage();
  // A list that meets damage is empty once, and the next call that may wait builds anew.
  await index.refresh([machine.root]);
  if (index.counters.rebuilds > rebuilds) return;
  const rows = files.map((file) => summarizeFile(file, Date.now()));
  const byPath = (a: { path: string | null }, b: { path: string | null }): number =>
    String(a.path) < String(b.path) ? -1 : 1;
  assert.deepEqual([...listed].sort(byPath), [...rows].sort(byPath));
  assert.deepEqual(used, usage);
}

test(`of ${DAMAGES} damages of the database none changes an answer (F032)`, async () => {
  const wrong: string[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + DAMAGES; seed++) {
    const how = damage(drawFrom(seed));
    const index = machine.index();
    try {
      await askAll(index);
    } catch (error) {
      wrong.push(`seed ${seed}, ${how}: ${String((error as Error).message).slice(0, 300)}`);
    } finally {
      await index.close();
    }
  }
  assert.deepEqual(wrong, []);
});
