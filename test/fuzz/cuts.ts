import assert from "node:assert/strict";
import { BranchlineError } from "../../src/errors.ts";
import { MemoryMachine, say } from "../../src/store/jsonl/testing/memory-fixture.ts";
import type { DamageReport } from "./bit-flips.ts";
import { decodeBytes } from "./decoded-bytes.ts";

const PATH = "/data/sessions/--p--/cut.jsonl";

/**
 * A file that we wrote is cut at every `stride`-th byte. What stood whole before the cut is read, the end
 * of a group excepted of which lines are missing; opening writes nothing; the next append is readable
 * behind what was read, and the file is clean then.
 */
export async function cutEverywhere(file: Uint8Array, stride: number): Promise<DamageReport> {
  const whole = decodeBytes(file).entries.map((entry) => JSON.stringify(entry));
  const marks = commitMarks(file);
  let states = 0;
  for (let length = 0; length <= file.byteLength; length += stride) {
    const machine = new MemoryMachine();
    machine.fs.place("/data", "directory");
    machine.fs.place("/data/sessions", "directory");
    machine.fs.place("/data/sessions/--p--", "directory");
    machine.fs.place(PATH, "file", file.subarray(0, length));
    const certain = marks.filter((end) => end <= length).length;
    await machine.run(checkCut(machine, { length, whole, certain, headerEnd: file.indexOf(10) }));
    states++;
  }
  return { states };
}

/** For each entry the byte after which it is certain to be read: the end of the last line of its group. */
function commitMarks(file: Uint8Array): readonly number[] {
  const ends: number[] = [];
  let waiting = 0;
  let start = file.indexOf(10) + 1;
  for (let end = file.indexOf(10, start); end >= 0; end = file.indexOf(10, start)) {
    const line = JSON.parse(Buffer.from(file.subarray(start, end)).toString("utf8")) as {
      readonly commit?: { readonly i: number; readonly n: number };
    };
    waiting++;
    if (line.commit === undefined || line.commit.i === line.commit.n) {
      for (; waiting > 0; waiting--) ends.push(end);
    }
    start = end + 1;
  }
  return ends;
}

interface Cut {
  readonly length: number;
  readonly whole: readonly string[];
  /** Entries that must be read. */
  readonly certain: number;
  readonly headerEnd: number;
}

async function checkCut(machine: MemoryMachine, cut: Cut): Promise<void> {
  const { length, whole, certain, headerEnd } = cut;
  const place = `cut at byte ${length}`;
  const session = await machine
    .store()
    .openFile(PATH)
    .catch((error: unknown) => {
      assert.ok(BranchlineError.is(error, "SESSION_INVALID"), `${place}: ${String(error)}`);
      return null;
    });
  if (session === null) {
    assert.ok(length < headerEnd, `${place}: the file is refused though its header is whole`);
    return;
  }
  assert.ok(
    machine.fs.ops.every(({ operation }) => operation !== "write"),
    `${place}: written`,
  );
  const read = await texts(session.scan());
  assert.deepEqual(read.slice(0, certain), whole.slice(0, certain), `${place}: an entry is lost`);
  assert.deepEqual(read, whole.slice(0, read.length), `${place}: something else is read`);
  const [entry] = (await session.commit({ entries: [say("after the cut")] })).entries;
  await session.close();
  const again = await machine.store().openFile(PATH);
  const expected = [...read, JSON.stringify(entry)];
  assert.deepEqual(await texts(again.scan()), expected, `${place}: the next append is not read`);
  assert.deepEqual(again.problems, [], `${place}: the damage stays`);
  await again.close();
}

async function texts(entries: AsyncIterable<unknown>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const entry of entries) all.push(JSON.stringify(entry));
  return all;
}
