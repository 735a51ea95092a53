import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { createJsonlStore, type JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";

const ROOT = join(import.meta.dirname, "../..");
const BIN = join(ROOT, "bin/branchline.js");
const LOCK_PROCESS = join(ROOT, "src/io/testing/lock-process.ts");
const WRITERS = 8;

let home = "";
let store: JsonlStore;

before(async () => {
  home = await mkdtemp(join(tmpdir(), "branchline-writers-"));
  store = createJsonlStore({ root: home });
});

after(async () => {
  await store.close();
  await rm(home, { recursive: true, force: true });
});

async function newSession(): Promise<string> {
  await using session = await store.create({ cwd: home });
  return session.file ?? "";
}

interface Acknowledged {
  readonly id: string;
  readonly parentId: string | null;
}

function draft(writer: number, number: number): string {
  const message = { role: "user", content: `写入者 ${writer} 第 ${number} 条` };
  return `${JSON.stringify({ type: "message", message })}\n`;
}

function startWriter(file: string, ...options: readonly string[]): ChildProcessWithoutNullStreams {
  const args = [BIN, "append", file, "--json", ...options];
  return spawn(process.execPath, args, { env: { ...process.env, BRANCHLINE_HOME: home } });
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function outcomeOf(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data: Buffer) => {
    stdout += data;
  });
  child.stderr.on("data", (data: Buffer) => {
    stderr += data;
  });
  const [code] = (await once(child, "close")) as [number];
  return { code, stdout, stderr };
}

function acknowledged(stdout: string): readonly Acknowledged[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Acknowledged);
}

/** Every acknowledged entry stands in the file exactly once, and all of them form one chain. */
async function assertOneChain(file: string, acks: readonly Acknowledged[]): Promise<void> {
  await using session = await store.openFile(file);
  assert.deepEqual(session.problems, []);
  const path = session.tree.path(session.tree.leaf());
  assert.equal(path.length, acks.length);
  const parents = new Map(path.map((at) => [at.id, at.parent?.id ?? null]));
  assert.equal(new Set(acks.map((ack) => ack.id)).size, acks.length);
  for (const { id, parentId } of acks) assert.equal(parents.get(id), parentId, id);
}

describe("eight processes on one session", () => {
  test("500 piped entries each: all in one chain, exactly once (F020, F022, M9, row 33)", async (t) => {
    const file = await newSession();
    const outcomes = await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const child = startWriter(file);
        const lines = Array.from({ length: 500 }, (_line, number) => draft(writer, number));
        child.stdin.end(lines.join(""));
        return await outcomeOf(child);
      }),
    );
    for (const { code, stderr } of outcomes) assert.equal(code, 0, stderr);
    const acks = outcomes.map((outcome) => acknowledged(outcome.stdout));
    assert.deepEqual(
      acks.map((own) => own.length),
      Array.from({ length: WRITERS }, () => 500),
    );
    await assertOneChain(file, acks.flat());
    t.diagnostic(`${acks.flat().length} entries in one chain`);
  });

  test("one entry at a time: nobody waits over a second for an answer", async (t) => {
    const file = await newSession();
    const machine = watchMachine();
    const waits = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => writeInLockStep(file, writer)),
    );
    const noise = machine.longestMs();
    const longest = Math.max(...waits.flatMap((one) => one.longestMs));
    t.diagnostic(`longest wait ${Math.round(longest)} ms, of the machine ${Math.round(noise)} ms`);
    await assertOneChain(
      file,
      waits.flatMap((one) => one.acks),
    );
    // What a busy machine keeps even an idle process waiting is not the lock's doing.
    assert.ok(longest < 1000 + 4 * noise, `somebody waited ${longest} ms`);
  });

  test("with one expected leaf one wins, the others get exit 4 and the present head", async () => {
    const file = await newSession();
    const first = startWriter(file);
    first.stdin.end(draft(0, 0));
    const [root] = acknowledged((await outcomeOf(first)).stdout);
    const outcomes = await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const child = startWriter(file, "--expect-leaf", root?.id ?? "");
        child.stdin.end(draft(writer, 1));
        return await outcomeOf(child);
      }),
    );
    const winners = outcomes.filter((outcome) => outcome.code === 0);
    assert.equal(winners.length, 1);
    const [winner] = acknowledged(winners[0]?.stdout ?? "");
    for (const { code, stderr } of outcomes.filter((outcome) => outcome.code !== 0)) {
      assert.equal(code, 4);
      const { error } = JSON.parse(stderr) as { error: { code: string; fields: { head: string } } };
      assert.equal(error.code, "STORE_CONFLICT");
      assert.equal(error.fields.head, winner?.id);
    }
  });

  test("a holder that dies by SIGKILL delays the next by less than a second (F025)", async (t) => {
    const file = await newSession();
    const holder = spawn(process.execPath, [LOCK_PROCESS, "hold", file]);
    await once(holder.stdout, "data");
    await using session = await store.openFile(file);
    const waiting = session.commit({ entries: [{ type: "custom", customType: "waits" }] });
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const freed = performance.now();
    await waiting;
    const waited = performance.now() - freed;
    t.diagnostic(`served ${Math.round(waited)} ms after the owner's death`);
    assert.ok(waited < 1000, `served only after ${waited} ms`);
  });
});

/** How late timers of this process, which has next to nothing to do, ring at most. */
function watchMachine(): { longestMs(): number } {
  let longest = 0;
  let last = performance.now();
  const every = 20;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - every);
    last = now;
  }, every);
  return {
    longestMs: () => {
      clearInterval(timer);
      return longest;
    },
  };
}

/** Sends the next entry only when the one before was acknowledged, and measures each answer. */
async function writeInLockStep(
  file: string,
  writer: number,
): Promise<{ readonly acks: readonly Acknowledged[]; readonly longestMs: number }> {
  const child = startWriter(file);
  const acks: Acknowledged[] = [];
  let said = "";
  child.stderr.on("data", (data: Buffer) => {
    said += data;
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let longestMs = 0;
  for (let number = 0; number < 100; number++) {
    const start = performance.now();
    child.stdin.write(draft(writer, number));
    const { value, done } = await answers.next();
    assert.notEqual(done, true, `writer ${writer} ended after ${number} entries: ${said}`);
    // The first answer includes the start of the process.
    if (number > 0) longestMs = Math.max(longestMs, performance.now() - start);
    acks.push(JSON.parse(value as string) as Acknowledged);
  }
  child.stdin.end();
  await once(child, "close");
  return { acks, longestMs };
}
