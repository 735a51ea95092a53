import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { blobRef } from "../../entry/blob-stub.ts";
import type { Entry, EntryDraft } from "../../entry/entry.ts";
import { BranchlineError } from "../../errors.ts";
import type { Operation } from "../../io/testing/fault-plan.ts";
import type { StoreSession } from "../store.ts";
import type { MoveRule } from "./move-payloads.ts";
import { MemoryMachine, piHeader, piLine, say } from "./testing/memory-fixture.ts";

const PATH = "/data/sessions/p.jsonl";
const RULE: MoveRule = { minBytes: 5000, leftMinBytes: null };
const DAY = 86_400_000;
const hasCode = (code: string) => (error: unknown) =>
  BranchlineError.is(error) && error.code === code;
const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo".repeat(2000) };
const user = (content: unknown): EntryDraft =>
  ({ type: "message", message: { role: "user", content } }) as EntryDraft;
const call = (args: unknown): EntryDraft =>
  ({
    type: "message",
    message: {
      role: "assistant",
      provider: "p",
      model: "m",
      usage: { input: 3, output: 4 },
      content: [
        { type: "thinking", thinking: "t".repeat(9000) },
        { type: "toolCall", id: "c1", name: "bash", arguments: args },
        { type: "text", text: "short" },
        { odd: "y".repeat(3000) },
      ],
    },
  }) as unknown as EntryDraft;
const result = (text: string, details?: unknown): EntryDraft =>
  ({
    type: "message",
    message: {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "bash",
      content: [{ type: "text", text }],
      isError: false,
      ...(details === undefined ? {} : { details }),
    },
  }) as unknown as EntryDraft;

async function filled(): Promise<{ machine: MemoryMachine; path: string; bytes: Uint8Array }> {
  const machine = new MemoryMachine();
  const store = machine.store();
  const session = await store.create({ id: "s", cwd: "/p" });
  await session.commit({
    key: "k1",
    entries: [user([{ type: "text", text: "看图" }, image]), call({ command: "x".repeat(8000) })],
  });
  await session.commit({
    key: "k2",
    entries: [result("r".repeat(20_000), { full: "d".repeat(3000) })],
  });
  await session.commit({ entries: [result("r".repeat(20_000), { exit: 0 }), say("small")] });
  await session.commit({
    entries: [
      say("s".repeat(9000)),
      { ...say("short"), extra: "e".repeat(9000) } as unknown as EntryDraft,
      {
        type: "message",
        message: { role: "bashExecution", command: "ls", output: "o".repeat(9000) },
      } as unknown as EntryDraft,
      {
        type: "message",
        message: { role: "bashExecution", command: "l".repeat(9000), output: "" },
      } as unknown as EntryDraft,
      { type: "custom_message", customType: "c", display: true, content: "c".repeat(9000) },
      { type: "custom_message", customType: "c".repeat(9000), display: true, content: [] },
      { type: "custom", customType: "x", data: "d".repeat(9000) },
      {
        type: "message",
        message: { role: "custom".repeat(2000), content: null },
      } as unknown as EntryDraft,
      user([
        { type: "text", text: "n".repeat(900) },
        { ...image, mimeType: 7 },
      ]),
    ],
  });
  const path = session.file as string;
  await machine.run(store.close());
  // A line of Pi, without check sum, and one that nobody can read.
  machine.fs.appendForeign(path, piLine("pi1", "none", "p".repeat(9000)));
  // Lines that stay where they are: changed after they were written, with a reference of their own.
  const changed = `{"type":"message","id":"c","parentId":"pi1","timestamp":"","message":{"role":"user","content":"${"q".repeat(9000)}"},"crc":"00000000"}\n`;
  machine.fs.appendForeign(path, changed);
  const own = changed.replace('"id":"c"', '"id":"b","branchline":7').replace(/,"crc":"\d+"/, "");
  machine.fs.appendForeign(path, own);
  machine.fs.appendForeign(path, `{"${"z".repeat(9000)}\n${piLine("pi2", "pi1", "last")}`);
  return { machine, path, bytes: machine.fs.bytes(path) };
}

async function entriesOf(session: StoreSession): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.scan()) entries.push(entry);
  return entries;
}

test("large payloads move to blobs, reading gives them back, restoring gives the same bytes (F119, F123)", async () => {
  const { machine, path, bytes } = await filled();
  const store = machine.store();
  const before = await store.openFile(path);
  const entries = await entriesOf(before);
  const problems = before.problems.map(({ code }) => code);
  const plan = await store.upkeep.movePayloads(path, "plan", RULE);
  assert.deepEqual(machine.fs.bytes(path), bytes);
  assert.equal(
    machine.fs.paths().some((name) => name.startsWith("/data/blobs")),
    false,
  );
  await machine.run(before.close());
  const done = await store.upkeep.movePayloads(path, "apply", RULE);
  assert.deepEqual(done, plan);
  assert.deepEqual([done.lines, done.missing, done.bytesBefore], [9, 0, bytes.length]);
  assert.equal(machine.fs.bytes(path).length, done.bytesAfter);
  assert.ok(done.bytesAfter < bytes.length / 2);
  const session = await store.openFile(path);
  assert.deepEqual(await entriesOf(session), entries);
  assert.deepEqual(
    session.problems.map(({ code }) => code),
    problems,
  );
  // A retry with the same key is known still.
  const again = await machine.run(
    session.commit({
      key: "k2",
      entries: [result("r".repeat(20_000), { full: "d".repeat(3000) })],
    }),
  );
  assert.ok(again.replayed);
  await machine.run(session.close());
  // Done twice, nothing more moves.
  assert.equal((await store.upkeep.movePayloads(path, "apply", RULE)).lines, 0);
  assert.equal((await store.upkeep.restorePayloads(path, "plan")).lines, 9);
  const back = await store.upkeep.restorePayloads(path, "apply");
  assert.deepEqual([back.lines, back.missing, back.bytesAfter], [9, 0, bytes.length]);
  assert.equal(sha(machine.fs.bytes(path)), sha(bytes));
});

test("a stub is a valid entry of the same kind that says what went", async () => {
  const { machine, path } = await filled();
  await machine.store().upkeep.movePayloads(path, "apply", RULE);
  const lines = machine.fs.text(path).split("\n").slice(1, 5);
  const [withImage, withCall, withDetails] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(withImage.message.content[0], { type: "text", text: "看图" });
  assert.match(withImage.message.content[1].text, /image\/png, \d+ bytes/);
  assert.equal(withImage.commit.i, 1);
  assert.equal(withImage.key, "k1");
  assert.match(withImage.crc, /^[0-9a-f]{8}$/);
  const kinds = withCall.message.content.map((block: { type: string }) => block.type);
  assert.deepEqual(kinds, ["toolCall", "text", "text"]);
  assert.deepEqual(withCall.message.content[0].arguments, {});
  assert.equal(withCall.message.usage.input, 3);
  assert.equal(withDetails.message.details, undefined);
  assert.equal(withDetails.message.toolCallId, "c1");
});

test("a missing or damaged blob: the stub is shown, fsck can tell, restoring leaves it", async () => {
  const { machine, path } = await filled();
  const store = machine.store();
  await store.upkeep.movePayloads(path, "apply", RULE);
  const [first, second] = machine.fs.paths().filter((name) => name.endsWith(".zst"));
  await machine.fs.removeFile(first ?? "");
  machine.fs.place(second ?? "", "file", "rot");
  const session = await store.openFile(path);
  const entries = await entriesOf(session);
  const missing = session.problems.filter(({ code }) => code === "BLOB_MISSING");
  assert.equal(missing.length, 2);
  const shown = entries.find(({ id }) => id === missing[0]?.entryId) as Entry;
  assert.ok(blobRef(shown) !== null);
  await machine.run(session.close());
  const restored = await store.upkeep.restorePayloads(path, "apply");
  assert.deepEqual([restored.lines, restored.missing], [7, 2]);
});

test("a retry whose first payload is gone is refused: nobody can tell whether it is the same", async () => {
  const { machine, path } = await filled();
  const store = machine.store();
  await store.upkeep.movePayloads(path, "apply", RULE);
  for (const name of machine.fs.paths()) {
    if (name.endsWith(".zst")) await machine.fs.removeFile(name);
  }
  await using session = await store.openFile(path);
  const entries = [result("r".repeat(20_000), { full: "d".repeat(3000) })];
  await assert.rejects(machine.run(session.commit({ key: "k2", entries })), hasCode("KEY_REUSED"));
});

test("left branches move by a limit of their own", async () => {
  const machine = new MemoryMachine();
  for (const folder of ["/data", "/data/sessions"]) machine.fs.place(folder, "directory");
  const text = [
    piHeader("s"),
    piLine("a", null, "a".repeat(3000)),
    piLine("left", "a", "b".repeat(3000)),
    piLine("leaf", "a", "c".repeat(3000)),
  ].join("");
  machine.fs.place(PATH, "file", text);
  const store = machine.store();
  assert.equal((await store.upkeep.pruneBlobs([], "apply")).blobs, 0);
  const none = await store.upkeep.movePayloads(PATH, "plan", { minBytes: 1e6, leftMinBytes: null });
  assert.equal(none.lines, 0);
  await store.upkeep.movePayloads(PATH, "apply", { minBytes: 1e6, leftMinBytes: 1000 });
  const lines = machine.fs.text(PATH).split("\n");
  assert.deepEqual(
    lines.map((line) => line.includes('"blob"')),
    [false, false, true, false, false],
  );
  await store.upkeep.restorePayloads(PATH, "apply");
  assert.equal(machine.fs.text(PATH), text);
});

test("archives, other versions and newer formats are left alone", async () => {
  const machine = new MemoryMachine();
  for (const folder of ["/data", "/data/sessions"]) machine.fs.place(folder, "directory");
  machine.fs.place(PATH, "file", piHeader("s", 2) + piLine("a", null, "a".repeat(9000)));
  const store = machine.store();
  assert.equal((await store.upkeep.movePayloads(PATH, "apply", RULE)).lines, 0);
  machine.fs.place(PATH, "file", piHeader("s", 99) + piLine("a", null, "a".repeat(9000)));
  assert.equal((await store.upkeep.movePayloads(PATH, "apply", RULE)).lines, 0);
  await store.upkeep.archive(PATH);
  await assert.rejects(
    store.upkeep.movePayloads(PATH, "apply", RULE),
    hasCode("SESSION_READ_ONLY"),
  );
});

const OPERATIONS: readonly Operation[] = [
  "close",
  "lstat",
  "makeDirectory",
  "open",
  "read",
  "readFile",
  "realpath",
  "removeFile",
  "rename",
  "stat",
  "sync",
  "syncDirectory",
  "write",
];

for (const operation of OPERATIONS) {
  test(`every ${operation} of moving and restoring fails in turn: the session is whole, a retry works (F013)`, async () => {
    const { machine: origin, path, bytes } = await filled();
    const moved = origin.copy();
    await moved.store().upkeep.movePayloads(path, "apply", RULE);
    for (const verb of ["movePayloads", "restorePayloads"] as const) {
      for (let after = 0, calm = 0; calm < 2; after += operation === "read" ? 5 : 1) {
        const machine = (verb === "movePayloads" ? origin : moved).copy();
        machine.fs.failNext(operation, { errno: "EIO", after });
        const failed = await machine
          .store()
          .upkeep[verb](path, "apply", RULE)
          .then(
            () => false,
            (error: unknown) => {
              assert.ok(BranchlineError.is(error, "IO_FAILED"), String(error));
              return true;
            },
          );
        calm = failed ? 0 : calm + 1;
        const fresh = machine.copy();
        await fresh.store().upkeep[verb](path, "apply", RULE);
        await fresh.store().upkeep.restorePayloads(path, "apply");
        assert.equal(sha(fresh.fs.bytes(path)), sha(bytes), `${verb} ${operation} ${after}`);
      }
    }
  });
}

test("stubs that name a blob badly, or a blob of another entry, are shown as they are", async () => {
  const { machine, path, bytes } = await filled();
  const store = machine.store();
  await store.upkeep.movePayloads(path, "apply", RULE);
  const moved = machine.fs.text(path);
  const [, first = "", second = ""] = /"sha256":"(\w+)".*?\n.*?"sha256":"(\w+)"/s.exec(moved) ?? [];
  // Two stubs with each other's blobs: lengths or ids do not fit.
  const swapped = moved
    .replace(first, "0")
    .replace(second, first)
    .replace('"sha256":"0"', `"sha256":"${second}"`);
  machine.fs.place(path, "file", swapped);
  assert.equal((await store.upkeep.restorePayloads(path, "plan")).missing, 2);
  const lengths = /"sha256":"\w+","bytes":(\d+)/g;
  const [[, one = ""] = [], [, two = ""] = []] = [...swapped.matchAll(lengths)];
  const exchanged = swapped
    .replace(`"bytes":${one}`, '"bytes":?')
    .replace(`"bytes":${two}`, `"bytes":${one}`)
    .replace('"bytes":?', `"bytes":${two}`);
  machine.fs.place(path, "file", exchanged);
  assert.equal((await store.upkeep.restorePayloads(path, "plan")).missing, 2);
  // What is no reference at all is no stub.
  for (const bad of ["0", "-1", "1.5", '"1"', "999999999999"]) {
    machine.fs.place(path, "file", moved.replaceAll(/"bytes":\d+/g, `"bytes":${bad}`));
    const plan = await store.upkeep.restorePayloads(path, "plan");
    assert.deepEqual([plan.lines, plan.missing], [0, 0], bad);
  }
  machine.fs.place(path, "file", moved.replaceAll(/"blob":\{[^}]*\}/g, '"blob":7'));
  assert.equal((await store.upkeep.restorePayloads(path, "plan")).missing, 0);
  machine.fs.place(path, "file", moved);
  await store.upkeep.restorePayloads(path, "apply");
  assert.equal(sha(machine.fs.bytes(path)), sha(bytes));
});

test("a session that would not come back as it is stays as it is", async () => {
  const { machine, path, bytes } = await filled();
  // The blobs of an earlier try go while the new file is checked.
  const pause = machine.fs.pauseNext(
    "sync",
    machine.fs.paths().find((name) => name === "/none"),
  );
  const moving = machine.store().upkeep.movePayloads(path, "apply", RULE);
  await pause.reached;
  machine.fs.failNext("readFile", { errno: "ENOENT", times: 1, after: 8 });
  pause.resume();
  const failed = await moving.then(() => null).catch((error: unknown) => error);
  if (failed !== null) {
    assert.ok(BranchlineError.is(failed, "IO_FAILED"));
    assert.deepEqual(machine.fs.bytes(path), bytes);
  }
  assert.notEqual(failed, null);
});

test("somebody writes while payloads are moved: nothing changes", async () => {
  const { machine, path } = await filled();
  const pause = machine.fs.pauseNext("sync");
  const moving = machine.store().upkeep.movePayloads(path, "apply", RULE);
  await pause.reached;
  machine.fs.appendForeign(path, "\n");
  const text = machine.fs.text(path);
  pause.resume();
  await assert.rejects(moving, hasCode("FILE_REPLACED"));
  assert.equal(machine.fs.text(path), text);
});

test("only blobs that nobody names are pruned: not those of archived, trashed or repaired sessions, no young ones", async () => {
  const { machine, path } = await filled();
  const store = machine.store();
  await store.upkeep.movePayloads(path, "apply", RULE);
  const shas = machine.fs.paths().flatMap((name) => /blobs\/..\/(.*)\.zst$/.exec(name)?.[1] ?? []);
  const total = shas.length;
  machine.clock.advance(0);
  const later = (): MemoryMachine => {
    const copy = machine.copy();
    for (const name of copy.fs.paths()) {
      if (name.startsWith("/data/blobs"))
        void copy.fs.setTimes(name, 0, copy.clock.now() - 2 * DAY);
    }
    return copy;
  };
  const all = later();
  assert.deepEqual(await all.store().upkeep.pruneBlobs(["/none"], "apply"), {
    blobs: total,
    pruned: 0,
    bytes: 0,
    young: 0,
  });
  const archived = later();
  await archived.store().upkeep.archive(path);
  assert.equal((await archived.store().upkeep.pruneBlobs([], "plan")).pruned, 0);
  const trashed = later();
  await trashed.store().trash("s");
  assert.equal((await trashed.store().upkeep.pruneBlobs([], "plan")).pruned, 0);
  const gone = later();
  const text = gone.fs.text(path);
  await gone.fs.removeFile(path);
  const plan = await gone.store().upkeep.pruneBlobs([], "plan");
  assert.equal(plan.pruned, total);
  assert.ok(plan.bytes > 0);
  gone.fs.place("/elsewhere", "directory");
  gone.fs.place("/elsewhere/x.jsonl.bak", "file", " ".repeat(1024 * 1024 - 2000) + text);
  gone.fs.place("/data/l.jsonl", "link", "/elsewhere/x.jsonl.bak");
  gone.fs.place("/data/l2.jsonl", "link", "/nowhere");
  gone.fs.place("/data/notes.txt", "file", "x");
  assert.equal((await gone.store().upkeep.pruneBlobs(["/elsewhere"], "plan")).pruned, 0);
  assert.equal((await gone.store().upkeep.pruneBlobs([], "plan")).pruned, 0);
  await gone.fs.removeFile("/data/l.jsonl");
  const row = JSON.stringify({ base64: Buffer.from(text).toString("base64") });
  gone.fs.place("/data/s.jsonl.quarantine-1", "file", `${row}\n{}\n`);
  assert.equal((await gone.store().upkeep.pruneBlobs([], "plan")).pruned, 0);
  await gone.fs.removeFile("/data/s.jsonl.quarantine-1");
  gone.fs.place("/data/s.jsonl.lock", "file", text);
  gone.fs.place("/data/blobs/00", "directory");
  gone.fs.place("/data/blobs/00/folder.zst", "directory");
  gone.fs.place("/data/blobs/other.txt", "file", "x");
  gone.fs.place("/data/blobs/00/other.zst", "file", "x");
  gone.fs.failNext("open", { errno: "EACCES", path: "/data/l3.jsonl" });
  gone.fs.place("/data/l3.jsonl", "file", "");
  await assert.rejects(gone.store().upkeep.pruneBlobs([], "apply"), hasCode("IO_FAILED"));
  assert.equal((await gone.store().upkeep.pruneBlobs([], "apply")).pruned, total);
  assert.equal((await gone.store().upkeep.pruneBlobs([], "apply")).blobs, 0);
  const young = machine.copy();
  await young.fs.removeFile(path);
  for (const name of young.fs.paths()) {
    if (name.startsWith("/data/blobs")) await young.fs.setTimes(name, 0, young.clock.now());
  }
  assert.deepEqual(await young.store().upkeep.pruneBlobs([], "apply"), {
    blobs: total,
    pruned: 0,
    bytes: 0,
    young: total,
  });
});

test("a scan for types and roles reads only the entries that the tree says are of them", async () => {
  const { machine } = await filled();
  const session = await machine.store().open("s");
  const asked: string[] = [];
  const getAll = session.getAll.bind(session);
  session.getAll = async (ids) => {
    asked.push(...ids);
    return await getAll(ids);
  };
  const found: string[] = [];
  for await (const entry of session.scan({ types: ["message"], roles: ["user"] })) {
    found.push(entry.id);
  }
  assert.ok(found.length > 0 && found.length < session.tree.size);
  assert.deepEqual(asked, found);
});
