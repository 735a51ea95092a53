/** Faults that the kernel, a tracer or a shim in front of libc makes: torn writes, errors, full disks. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BranchlineError } from "../../src/errors.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { checkAcknowledged } from "../../test/faults/acknowledged.ts";
import { WatchedWriter, type WriterOptions } from "../../test/faults/watched-writer.ts";
import type { CheckTools, Figures, Skipped, VerifyCheck } from "./check.ts";
import { withFolder } from "./kills.ts";

const SHIM = join(import.meta.dirname, "..", "..", "test", "faults", "torn-write.c");
/** Codes that a writer may end with when the disk fails. */
const TYPED = new Set(["IO_FAILED", "APPEND_UNKNOWN"]);

/** One process under a fault; what it was told must be there, and what it said must be typed. */
async function underFault(options: WriterOptions): Promise<{ acks: number; errors: number }> {
  const writer = new WatchedWriter({ entries: 12, ...options });
  await writer.ended();
  const untyped = writer.errors.filter((code) => !TYPED.has(code));
  assert.deepEqual(untyped, [], writer.said);
  const { root, session } = options;
  if (writer.acks.length > 0) await checkAcknowledged({ root, session, acks: writer.acks });
  return { acks: writer.acks.length, errors: writer.errors.length };
}

/** Half of a write reaches the file, then the process is killed or the disk is full (row 40, F002). */
async function tearWrites(folder: string, tools: CheckTools): Promise<Figures | Skipped> {
  const shim = join(folder, "torn-write.so");
  const built = spawnSync("gcc", ["-shared", "-fPIC", "-O1", "-o", shim, SHIM, "-ldl"]);
  if (built.status !== 0) return { skipped: "no gcc to build the shim" };
  const sums = { runs: 0, torn: 0, acknowledged: 0 };
  for (const how of ["kill", "full"]) {
    for (let at = 1; at <= 10 * tools.scale; at++) {
      const env = { LD_PRELOAD: shim, TORN_AT: `${at}`, TORN_HOW: how };
      const bytes = at % 3 === 0 ? 200_000 : 300;
      const run = await underFault({ root: folder, session: `torn-${how}-${at}`, bytes, env });
      sums.runs++;
      sums.torn += run.acks < 12 ? 1 : 0;
      sums.acknowledged += run.acks;
      tools.progress(sums.runs, 20 * tools.scale);
    }
  }
  assert.ok(sums.torn >= sums.runs / 2, "the shim tore nothing");
  return { ...sums, lost: 0 };
}

const TRACED = [
  ...["fdatasync:error=EIO", "fsync:error=EIO", "write:error=ENOSPC", "pwrite64:error=ENOSPC"],
  ...["fdatasync:signal=KILL", "write:signal=KILL", "pwrite64:signal=KILL", "openat:error=EMFILE"],
];

/** The n-th system call of a kind fails or kills, on the session files only. */
async function traceCalls(folder: string, tools: CheckTools): Promise<Figures | Skipped> {
  if (spawnSync("strace", ["-o", "/dev/null", "true"]).status !== 0)
    return { skipped: "no strace, or tracing is not allowed" };
  const sums = { runs: 0, told: 0, acknowledged: 0 };
  const times = 10 * tools.scale;
  for (const fault of TRACED) {
    const [name = ""] = fault.split(":");
    for (let when = 1; when <= times; when++) {
      const session = `traced-${sums.runs}`;
      // The file exists before, so that its path can be given to the tracer.
      await underFault({ root: folder, session, entries: 1 });
      const path = spawnSync("find", [folder, "-name", `*_${session}.jsonl`], { encoding: "utf8" });
      const inject = `inject=${fault}:when=${when}`;
      const trace = ["-f", "-o", "/dev/null", "-e", `trace=${name}`, "-e", inject];
      const under = ["strace", ...trace, "-P", path.stdout.trim()];
      const run = await underFault({ root: folder, session, under });
      sums.runs++;
      sums.told += run.errors;
      sums.acknowledged += run.acks;
      tools.progress(sums.runs, TRACED.length * times);
    }
  }
  assert.ok(sums.told > 0, "no fault was told");
  return { ...sums, lost: 0 };
}

/** A disk that fills up in the middle of an entry, and has room again (F002, row 40). */
async function fillDisks(folder: string, tools: CheckTools): Promise<Figures | Skipped> {
  if (process.getuid?.() !== 0) return { skipped: "not root, so nothing can be mounted" };
  const disk = join(folder, "small");
  mkdirSync(disk);
  const sums = { disks: 0, full: 0, acknowledged: 0 };
  for (let count = 0; count < 20 * tools.scale; count++) {
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", disk]);
    if (mounted.status !== 0) return { skipped: "no tmpfs can be mounted" };
    try {
      const filler = join(disk, "filler");
      writeFileSync(filler, Buffer.alloc(100_000 + count * 1_000));
      const session = "full";
      const bytes = 3_000 + count * 100;
      const run = await underFault({ root: disk, session, entries: 100, bytes });
      rmSync(filler);
      const after = await underFault({ root: disk, session, entries: 3, bytes });
      assert.equal(after.acks, 3, "with room again the next appends work");
      sums.disks++;
      sums.full += run.errors;
      sums.acknowledged += run.acks + after.acks;
    } finally {
      spawnSync("umount", [disk]);
    }
    tools.progress(count + 1, 20 * tools.scale);
  }
  assert.equal(sums.full, sums.disks, "a disk did not fill up");
  return { ...sums, lost: 0 };
}

/** A limit on the size of a file: the write is cut there. */
async function limitFiles(folder: string, tools: CheckTools): Promise<Figures> {
  const sums = { runs: 0, limited: 0, acknowledged: 0 };
  for (let count = 0; count < 10 * tools.scale; count++) {
    const session = `limited-${count}`;
    const under = ["bash", "-c", `trap '' XFSZ; ulimit -f ${20 + count}; exec "$@"`, "limited"];
    const run = await underFault({ root: folder, session, entries: 100, bytes: 3_000, under });
    sums.runs++;
    sums.limited += run.errors;
    sums.acknowledged += run.acks;
  }
  assert.equal(sums.limited, sums.runs, "no write met the limit");
  return { ...sums, lost: 0 };
}

/** A disk that was mounted read-only: everything can be read, nothing is written, and that is said (R7). */
async function readOnlyMount(folder: string): Promise<Figures | Skipped> {
  if (process.getuid?.() !== 0) return { skipped: "not root, so nothing can be mounted" };
  const disk = join(folder, "fixed");
  mkdirSync(disk);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "none", disk]);
  if (mounted.status !== 0) return { skipped: "no tmpfs can be mounted" };
  try {
    const first = await underFault({ root: disk, session: "fixed", entries: 5 });
    assert.equal(first.acks, 5);
    assert.equal(spawnSync("mount", ["-o", "remount,ro", disk]).status, 0);
    await using store = createJsonlStore({ root: disk });
    await using session = await store.open("fixed");
    assert.notEqual(session.readOnly, null, "it does not say that it cannot be written");
    const listed: string[] = [];
    for await (const { id } of store.list()) listed.push(id);
    assert.deepEqual(listed, ["fixed"]);
    const request = { entries: [{ type: "custom", customType: "check" }] };
    await assert.rejects(session.commit(request), (error) =>
      BranchlineError.is(error, "SESSION_READ_ONLY"),
    );
    return { entries: session.tree.size, refused: 1, lost: 0 };
  } finally {
    spawnSync("umount", [disk]);
  }
}

/** Everything that the kernel can be made to do. */
export const FAULT_CHECKS: readonly VerifyCheck[] = [
  {
    name: "torn writes",
    about: "P4 P5: half a write, then a kill or a full disk",
    run: (tools) => withFolder((folder) => tearWrites(folder, tools)),
  },
  {
    name: "traced calls",
    about: "P1 P5: the n-th system call fails or kills",
    run: (tools) => withFolder((folder) => traceCalls(folder, tools)),
  },
  {
    name: "full disks",
    about: "P5: a disk of 256 kB fills up and has room again",
    run: (tools) => withFolder((folder) => fillDisks(folder, tools)),
  },
  {
    name: "read-only mount",
    about: "P7: a disk that cannot be written is read, listed and refused with a reason",
    run: () => withFolder((folder) => readOnlyMount(folder)),
  },
  {
    name: "file size limit",
    about: "P5: EFBIG in the middle of a write",
    run: (tools) => withFolder((folder) => limitFiles(folder, tools)),
  },
];
