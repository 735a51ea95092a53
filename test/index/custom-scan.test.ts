import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryDraft } from "../../src/entry/entry.ts";
import type { BranchlineError } from "../../src/errors.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { collect, ids, refused } from "../../src/store/testing/expect.ts";
import { CountingFileSystem } from "../builders/counting-file-system.ts";
import { IndexMachine, fileSystem as real } from "./index-machine.ts";

const row = (customType: string, data: unknown): EntryDraft => ({
  type: "custom",
  customType,
  data,
});
const said = (content: string): EntryDraft => ({
  type: "message",
  message: { role: "user", content },
});

/** 300 messages of 10 kB, and a few rows among them; the path and the ids of the rows in file order. */
async function filled(machine: IndexMachine): Promise<{ path: string; rows: readonly string[] }> {
  await using store = createJsonlStore({ root: machine.root, durability: "process" });
  await using session = await store.create({ cwd: "/p" });
  const rows: string[] = [];
  for (let n = 0; n < 3; n++) {
    const drafts = Array.from({ length: 100 }, () => said("x".repeat(10_000)));
    await session.commit({ entries: drafts });
    const { entries } = await session.commit({
      entries: [row("branchline.queue", n), row("o", n)],
    });
    rows.push(entries[0]?.id ?? "");
  }
  return { path: session.file ?? "", rows };
}

test("a scan by custom type reads the lines of those entries alone where an index knows the file", async () => {
  const machine = new IndexMachine();
  try {
    const { path, rows } = await filled(machine);
    await using index = machine.index();
    const counting = new CountingFileSystem(real);
    const { fileSystem } = counting;
    await using store = createJsonlStore({ root: machine.root, fileSystem, index });
    await using session = await store.openFile(path);
    const wanted = { customTypes: ["branchline.queue"] };
    const scan = await counting.during(() => collect(session.scan(wanted)));
    assert.deepEqual(ids(scan.value), rows);
    assert.ok(scan.work.bytesRead < 2000, `${scan.work.bytesRead} bytes`);
    const { entries } = await session.commit({ entries: [row("branchline.queue", 3), said("y")] });
    const all = [...rows, entries[0]?.id ?? ""];
    assert.deepEqual(ids(await collect(session.scan(wanted))), all);
    assert.deepEqual(ids(await collect(session.scan({ ...wanted, from: 101 }))), all.slice(1));
    assert.deepEqual(ids(await collect(session.scan({ ...wanted, from: 306 }))), all.slice(3));
    assert.deepEqual(ids(await collect(session.scan({ ...wanted, to: 300 }))), all.slice(0, 2));
    const both = { customTypes: ["branchline.queue", "o", "none"] };
    assert.equal((await collect(session.scan(both))).length, 7);
    assert.deepEqual(await collect(session.scan({ customTypes: ["none"] })), []);
  } finally {
    machine.remove();
  }
});

test("rows that another process has removed are no empty answer", async () => {
  const machine = new IndexMachine();
  try {
    const { path } = await filled(machine);
    await using index = machine.index();
    const known = await index.session(path);
    const base = known?.base;
    assert.equal(base?.customOrdinals?.(["o"], 0, base.size).length, 3);
    await using other = machine.index();
    await other.distrust(path);
    await other.refresh([machine.root]);
    const error: BranchlineError<"IO_FAILED"> = await refused("IO_FAILED", () =>
      base?.customOrdinals?.(["o"], 0, base.size),
    );
    assert.equal(error.fields.errno, "ESTALE");
  } finally {
    machine.remove();
  }
});
