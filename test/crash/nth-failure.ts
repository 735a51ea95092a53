import assert from "node:assert/strict";
import { BranchlineError } from "../../src/errors.ts";
import type { MemoryMachine } from "../../src/store/jsonl/testing/memory-fixture.ts";
import { SCRIPTS, type Script } from "./scripts.ts";
import { snapshot } from "./snapshot.ts";

/** What the disk may answer. */
export const ERRNOS: readonly string[] = [
  ...["EACCES", "EAGAIN", "EDQUOT", "EFBIG", "EINTR", "EIO"],
  ...["EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EPERM", "EROFS"],
];

/** How many bytes of a write reach the disk all the same. */
const PARTS = [0, 1, 40, 400] as const;

/** What a run over many failures saw. */
export interface FailureReport {
  /** Failed operations: one of a script × an errno × a part. */
  runs: number;
  /** The caller got an error, and nothing had changed. */
  refused: number;
  /** The caller got an error although the change is there (APPEND_UNKNOWN, or a failure after the fact). */
  late: number;
  /** The operation was not needed for the answer: the change is there, and the caller was told so. */
  absorbed: number;
}

/** Each operation of each script fails in each way, every `stride`-th of them (P5, reliability.md §10). */
export async function runNthFailures(
  stride: number,
  onProgress?: (runs: number) => void,
): Promise<FailureReport> {
  const report: FailureReport = { runs: 0, refused: 0, late: 0, absorbed: 0 };
  let turn = 0;
  for (const script of SCRIPTS) {
    const plain = await plainRun(script);
    for (let number = 1; number <= plain.operations; number++) {
      for (const errno of ERRNOS) {
        for (const partialBytes of PARTS) {
          if (turn++ % stride !== 0) continue;
          const outcome = await failOnce({ script, number, errno, partialBytes, plain });
          report.runs++;
          report[outcome]++;
          onProgress?.(report.runs);
        }
      }
    }
  }
  return report;
}

interface PlainRun {
  readonly operations: number;
  readonly before: string;
  readonly after: string;
}

async function plainRun(script: Script): Promise<PlainRun> {
  const machine = await script.prepare();
  const before = await snapshot(machine);
  const since = machine.fs.operations;
  await machine.run(script.step(machine.store(), machine));
  const operations = machine.fs.operations - since;
  const after = await snapshot(machine);
  assert.notEqual(after, before, `${script.name}: the step changes nothing`);
  return { operations, before, after };
}

interface Failure {
  readonly script: Script;
  readonly number: number;
  readonly errno: string;
  readonly partialBytes: number;
  readonly plain: PlainRun;
}

async function failOnce(failure: Failure): Promise<"refused" | "late" | "absorbed"> {
  const { script, number, errno, partialBytes, plain } = failure;
  const machine = await script.prepare();
  machine.fs.failOperation(number, { errno, partialBytes });
  const error = await attempt(script, machine);
  const hit = machine.fs.failedOperation;
  const place = `${script.name}, operation ${number} (${hit}) ${errno}, ${partialBytes} bytes`;
  const left = await snapshot(machine);
  if (error === null) {
    assert.equal(left, plain.after, `${place}: it said it was done`);
    return "absorbed";
  }
  assert.ok(BranchlineError.is(error), `${place}: ${String(error)}`);
  if (left !== plain.after) {
    assert.equal(left, plain.before, `${place}: half a change is left after ${error.code}`);
    const again = await attempt(script, machine);
    assert.equal(again, null, `${place}: the retry fails with ${String(again)}`);
    assert.equal(await snapshot(machine), plain.after, `${place}: after the retry`);
    return "refused";
  }
  return "late";
}

/** The script's step by a process that has just started; gives what it threw. */
async function attempt(script: Script, machine: MemoryMachine): Promise<unknown> {
  try {
    await machine.run(script.step(machine.store(), machine));
    return null;
  } catch (error) {
    return error;
  }
}
