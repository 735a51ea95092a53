import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { encodeEntry } from "../../src/entry/line-encode.ts";
import { cloneSession, forkSession } from "../../src/session/fork.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { CountingFileSystem } from "../builders/counting-file-system.ts";
import { IndexMachine } from "./index-machine.ts";

const HEADER = `{"type":"session","version":3,"id":"big","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}\n`;
const ENTRIES = 24_000;

/** A session of about 20 MB with left branches, labels, compactions and names on its path. */
function bigSession(): { readonly text: string; readonly path: string } {
  const lines: string[] = [];
  const path: string[] = [];
  let parentId: string | null = null;
  for (let at = 0; at < ENTRIES; at++) {
    const id = `e${at}`;
    const base = { id, parentId, timestamp: "2026-01-01T00:00:01.000Z" };
    const kept = parentId ?? "";
    let draft: object = {
      type: "message",
      message: { role: at % 2 ? "user" : "toolResult", content: "中x".repeat(at % 400) },
    };
    if (at % 500 === 499)
      draft = { type: "compaction", summary: "s", firstKeptEntryId: kept, tokensBefore: 1 };
    if (at % 3000 === 2999) draft = { type: "session_info", name: `name ${at}` };
    if (at % 6000 === 5999) draft = { type: "label", targetId: kept, label: "here" };
    const line = Buffer.from(encodeEntry({ ...base, ...draft } as never)).toString();
    lines.push(line);
    path.push(line);
    if (at % 100 === 50) {
      const side = {
        ...base,
        id: `left${at}`,
        type: "custom",
        customType: "x",
        data: "y".repeat(9000),
      };
      lines.push(Buffer.from(encodeEntry(side as never)).toString());
    }
    parentId = id;
  }
  return { text: HEADER + lines.join(""), path: path.join("") };
}

test("F120: a clone of a session that an index knows reads its path once and little else", async () => {
  const machine = new IndexMachine();
  const { text, path } = bigSession();
  const counting = new CountingFileSystem();
  try {
    const index = machine.index();
    const { fileSystem } = counting;
    const store = createJsonlStore({ root: machine.root, fileSystem, index });
    await store.create({ id: "other", cwd: "/p" });
    const file = machine.write("big", text);
    const session = await Session.attach(await store.openFile(file));
    const target = createJsonlStore({ root: `${machine.folder}/to`, fileSystem });
    const { value: made, work } = await counting.during(() =>
      cloneSession({ from: session, store: target }),
    );
    const bytes = Buffer.byteLength(path);
    assert.ok(work.bytesRead <= bytes * 1.05, `${work.bytesRead} bytes read of ${bytes}`);
    assert.ok(work.reads < bytes / 1024 / 1024 + 600, `${work.reads} reads`);
    // The source may go: what is known of the copy does not lean on it.
    const expected = (await session.context()).messages;
    await store.close();
    await index.close();
    const read = await target.openFile(made.file ?? "");
    assert.equal(read.problems.length, 0);
    assert.equal(made.tree.size, read.tree.size);
    for (const { id, fold, ordinal } of read.tree.entries()) {
      const known = made.tree.at(ordinal);
      assert.equal(known?.id, id);
      if (ordinal % 97 === 0) assert.deepEqual(known?.fold, fold);
      if (ordinal % 97 === 0) assert.deepEqual(made.placeOf(id), read.placeOf(id));
    }
    assert.equal(made.tree.name(), read.tree.name());
    assert.deepEqual(made.tree.labels(), read.tree.labels());
    assert.deepEqual((await (await Session.attach(made)).context()).messages, expected);
    const kept = new Set(path.split("\n"));
    const lines = readFileSync(made.file ?? "", "utf8").split("\n");
    // Written anew: the header, the labels, what hung under a label or kept from one.
    assert.ok(lines.filter((line) => !kept.has(line)).length <= 1 + 3 * (ENTRIES / 6000));
    await target.close();
  } finally {
    machine.remove();
  }
});

test("an index that does not fit the file any more makes no wrong copy", async () => {
  const machine = new IndexMachine();
  const index = machine.index();
  const store = createJsonlStore({ root: machine.root, index });
  try {
    const made = await Session.attach(await store.create({ id: "s", cwd: "/p" }));
    for (const text of ["one", "two", "three"]) {
      await made.append({ type: "message", message: { role: "user", content: text } });
    }
    const file = made.file ?? "";
    await made.close();
    const source = await Session.attach(await store.openFile(file));
    const leaf = source.leaf ?? "";
    // In place, with the same length, away from the last bytes.
    const id = source.tree.path(leaf)[0]?.id ?? "";
    const { writeFileSync } = await import("node:fs");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(`"id":"${id}"`, `"iD":"${id}"`));
    await assert.rejects(forkSession({ from: source, at: leaf, store, id: "f" }));
    const rows: string[] = [];
    for await (const row of store.list()) rows.push(row.id);
    assert.ok(!rows.includes("f"));
  } finally {
    await store.close();
    await index.close();
    machine.remove();
  }
});
