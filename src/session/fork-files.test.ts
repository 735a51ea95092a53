import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "../entry/crc32.ts";
import type { Entry } from "../entry/entry.ts";
import { encodeEntry } from "../entry/line-encode.ts";
import { readEntryLine } from "../entry/session-decoder.ts";
import { BranchlineError } from "../errors.ts";
import {
  MemoryMachine,
  piHeader,
  piLine,
  say,
  textsOf,
} from "../store/jsonl/testing/memory-fixture.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import type { StoreSession } from "../store/store.ts";
import { SessionDecorator } from "../store/testing/store-decorator.ts";
import { cloneSession, forkSession } from "./fork.ts";
import { checkSession } from "./fsck.ts";
import { Session } from "./session.ts";

const FILE = "/data/s.jsonl";

/** Lines of a file without the header. */
function linesOf(machine: MemoryMachine, session: StoreSession | string): string[] {
  const path = typeof session === "string" ? session : (session.file ?? "");
  return Buffer.from(machine.fs.bytes(path)).toString().split("\n").slice(1, -1);
}

/** A session file of Pi with these lines, opened. */
async function opened(machine: MemoryMachine, lines: string): Promise<Session> {
  machine.fs.place("/data", "directory");
  machine.fs.place(FILE, "file", piHeader("s") + lines);
  const store = machine.store();
  return Session.attach(await store.openFile(FILE));
}

/** What a handle that read nothing of the new file knows is what one that reads it all finds. */
async function assertAsRead(machine: MemoryMachine, made: StoreSession): Promise<void> {
  const read = await machine.store().openFile(made.file ?? "");
  const view = async (session: StoreSession): Promise<unknown> => {
    const entries: Entry[] = [];
    for await (const entry of session.scan()) entries.push(entry);
    const rows = [...session.tree.entries()].map(({ id, fold, parent, gap }) => {
      return [id, fold, parent?.id, gap, session.placeOf(id)];
    });
    const { header, problems, tree } = session;
    const context = await (await Session.attach(session)).context();
    return {
      entries,
      rows,
      header,
      problems,
      context,
      branches: tree.branches(),
      name: tree.name(),
    };
  };
  assert.deepEqual(await view(made), await view(read));
  await read.close();
}

test("a clone keeps the bytes of lines that stay, unusual ones too (row 26)", async () => {
  const machine = new MemoryMachine();
  const odd = `{"type":"custom","id":"c","parentId":"b","timestamp":"t","customType":"x","data":1.50e+1,"data":12345678901234567890}\n`;
  const lines = `${piLine("a", null, "one")}${piLine("b", "a", "方案")}${odd}`;
  const side = piLine("z", "a", "left");
  const session = await opened(machine, lines.replace(odd, side + odd));
  const made = await cloneSession({ from: session, store: machine.store() });
  assert.equal(
    linesOf(machine, made)
      .map((line) => `${line}\n`)
      .join(""),
    lines,
  );
  assert.equal(made.placeOf("nobody"), null);
  assert.equal((await checkSession(made)).ok, true);
  await assertAsRead(machine, made);
  const copy = await Session.attach(made);
  await copy.append(say("on"));
  await copy.setLabel("a", "here");
  await assertAsRead(machine, made);
});

test("labels, re-chained lines, names and settings of a clone; only what must is written anew (P18)", async () => {
  const machine = new MemoryMachine();
  const store = machine.store();
  const session = await Session.attach(await store.create({ id: "s", cwd: "/p" }));
  const [a] = await session.append(say("one"));
  await session.setLabel(a?.id ?? "", "start");
  const [b] = await session.append(say("two"));
  await session.rename("first name");
  await session.append({ type: "model_change", provider: "p", modelId: "m" });
  await session.rename("a name");
  const made = await cloneSession({ from: session, store, cwd: "/q" });
  const before = linesOf(machine, session.file ?? "");
  const after = linesOf(machine, made);
  // Of seven entries the label is left out, and the one below it hangs elsewhere now.
  assert.deepEqual(
    after.map((line) => before.includes(line)),
    [true, false, true, true, true, false],
  );
  assert.deepEqual(made.tree.get(b?.id ?? "")?.storedParentId, a?.id);
  assert.equal(made.tree.name(), "a name");
  assert.equal(made.tree.labels().get(a?.id ?? "")?.label, "start");
  await assertAsRead(machine, made);
});

test("groups lose their mark and entries their key: both speak of the file they stand in", async () => {
  const machine = new MemoryMachine();
  const store = machine.store();
  const source = await store.create({ id: "s", cwd: "/p" });
  await source.commit({ key: "k1", entries: [say("one")] });
  const group = await source.commit({ key: "k2", entries: [say("g1"), say("g2"), say("g3")] });
  await source.commit({ entries: [say("x"), say("y")], key: "k3" });
  const session = await Session.attach(source);
  const at = group.entries[1]?.id ?? "";
  const made = await forkSession({ from: session, at, store });
  assert.deepEqual(await textsOf(made), ["one", "g1", "g2"]);
  const read = await machine.store().openFile(made.file ?? "");
  assert.deepEqual([read.problems, read.tree.size], [[], 3]);
  await assertAsRead(machine, made);
  for (const line of linesOf(machine, made)) {
    assert.doesNotMatch(line, /"key"|"commit"/);
    const entry = readEntryLine(Buffer.from(line)) as Entry;
    assert.equal(`${line}\n`, Buffer.from(encodeEntry(entry)).toString());
  }
  // The same key means a new commit in the new session.
  const { replayed } = await made.commit({ key: "k1", entries: [say("other")] });
  assert.equal(replayed, false);
});

test("gaps, glued and damaged lines are written anew as they are read (P7)", async () => {
  const machine = new MemoryMachine();
  const crc = `${Buffer.from(
    encodeEntry({
      type: "custom",
      id: "e",
      parentId: "d",
      timestamp: "t",
      customType: "x",
      data: 1,
    }),
  )
    .toString()
    .replace('"data":1', '"data":2')}`;
  const lines =
    piLine("a", null, "one") +
    piLine("b", "lost", "behind a gap") +
    `${piLine("c", "b", "glued").trim()}${piLine("d", "c", "to it")}\u0000${crc}` +
    piLine("f", "e", "last").trim();
  const session = await opened(machine, lines);
  assert.ok(session.store.problems.length > 0);
  const made = await cloneSession({ from: session, store: machine.store() });
  assert.deepEqual(made.problems, []);
  assert.deepEqual(await textsOf(made), [
    "one",
    "?",
    "behind a gap",
    "glued",
    "to it",
    "?",
    "last",
  ]);
  assert.deepEqual((await checkSession(made)).problems, []);
  const copy = await Session.attach(made);
  assert.deepEqual((await copy.context()).messages, (await session.context()).messages);
});

test("a last line without its newline gets one; a parent behind its child comes first", async () => {
  const machine = new MemoryMachine();
  const session = await opened(
    machine,
    piLine("a", null, "one") +
      piLine("c", "b", "three") +
      piLine("b", "a", "two") +
      piLine("d", "c", "4").trim(),
  );
  const made = await cloneSession({ from: session, store: machine.store() });
  assert.deepEqual(await textsOf(made), ["one", "two", "three", "4"]);
  assert.equal(
    linesOf(machine, made).join("\n"),
    [
      ["a", null, "one"],
      ["b", "a", "two"],
      ["c", "b", "three"],
      ["d", "c", "4"],
    ]
      .map((row) => piLine(...(row as [string, string, string])).trim())
      .join("\n"),
  );
  await assertAsRead(machine, made);
});

test("older versions and other stores have no lines to copy: entries are encoded", async () => {
  const machine = new MemoryMachine();
  machine.fs.place("/data", "directory");
  machine.fs.place(
    FILE,
    "file",
    piHeader("s", 2) + piLine("a", null, "one") + piLine("b", "a", "two"),
  );
  const old = await Session.attach(await machine.store().openFile(FILE));
  const made = await cloneSession({ from: old, store: machine.store() });
  assert.deepEqual(await textsOf(made), ["one", "two"]);
  await assertAsRead(machine, made);
  const memory = createMemoryStore();
  const there = await cloneSession({ from: await Session.attach(made), store: memory });
  const back = await cloneSession({ from: await Session.attach(there), store: machine.store() });
  assert.deepEqual(linesOf(machine, back), linesOf(machine, made));
  // Reading takes time: of two with one id the second is refused.
  const from = await Session.attach(back);
  const both = await Promise.allSettled(
    [1, 2].map(() => cloneSession({ from, store: memory, id: "same" })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const refused = both.find((one) => one.status === "rejected");
  assert.ok(BranchlineError.is(refused?.reason, "SESSION_EXISTS"));
});

test("long paths: small lines, large lines, holes and a line longer than a block; bounded reads", async () => {
  const machine = new MemoryMachine();
  const sizes = [100_000, 300_000, 9, 2_000_000, 6_000_000, 3_000_000, 10, 300_000];
  const texts = Array.from({ length: 64 }, (_, at) => {
    const size = sizes[at % sizes.length] ?? 0;
    return `${at}${"x".repeat(size / 8)}`;
  });
  texts.push("y".repeat(6_000_000));
  let lines = "";
  for (const [at, text] of texts.entries()) {
    lines += piLine(`e${at}`, at === 0 ? null : `e${at - 1}`, text);
    if (at % 7 === 0) lines += piLine(`l${at}`, `e${at}`, "left".repeat(at * 100));
  }
  lines += piLine("last", `e${texts.length - 1}`, "z");
  const session = await opened(machine, lines);
  const made = await cloneSession({ from: session, store: machine.store() });
  const wanted = `${lines
    .split("\n")
    .filter((line) => !line.includes('"id":"l') || line.includes('"id":"last"'))
    .join("\n")}`;
  assert.equal(`${linesOf(machine, made).join("\n")}\n` === wanted, true);
  await assertAsRead(machine, made);
});

test("a crash or failure at any step of a clone leaves the whole copy or none (P5)", async () => {
  const operations = [
    "open",
    "read",
    "write",
    "sync",
    "close",
    "link",
    "syncDirectory",
    "stat",
    "realpath",
  ] as const;
  let failures = 0;
  for (const operation of operations) {
    for (let skip = 0; skip < 12; skip++) {
      const machine = new MemoryMachine();
      const lines =
        piLine("a", null, "one") + piLine("b", "a", "x".repeat(400_000)) + piLine("c", "b", "two");
      const session = await opened(machine, lines);
      const store = machine.store();
      machine.fs.failNext(operation, { errno: "EIO", after: skip });
      const made = await machine
        .run(cloneSession({ from: session, store, id: "copy" }))
        .catch((error: unknown) => {
          assert.ok(BranchlineError.is(error), `${operation} ${skip}`);
          return null;
        });
      const copies = machine.fs
        .paths()
        .filter((path) => path.endsWith("_copy.jsonl") && !path.includes("/."));
      assert.equal(copies.length, made === null ? 0 : 1, `${operation} ${skip}`);
      for (const path of copies) assert.equal(`${linesOf(machine, path).join("\n")}\n`, lines);
      if (made === null) failures++;
      assert.equal(Buffer.from(machine.fs.bytes(FILE)).toString(), piHeader("s") + lines);
    }
  }
  assert.ok(failures > 10);
});

test("small lines with small holes between are read in one go and written together", async () => {
  const machine = new MemoryMachine();
  let lines = "";
  let wanted = "";
  for (let at = 0; at < 2000; at++) {
    const line = piLine(`e${at}`, at === 0 ? null : `e${at - 1}`, "x".repeat(300));
    wanted += line;
    lines += line;
    if (at % 80 === 0) lines += piLine(`l${at}`, `e${at}`, "left");
  }
  lines += piLine("last", "e1999", "z");
  const session = await opened(machine, lines);
  const writes = machine.fs.ops.length;
  const made = await cloneSession({ from: session, store: machine.store() });
  assert.equal(`${linesOf(machine, made).join("\n")}\n`, wanted + piLine("last", "e1999", "z"));
  const written = machine.fs.ops.slice(writes).filter(({ operation }) => operation === "write");
  assert.ok(written.length <= 8, `${written.length} writes`);
  await assertAsRead(machine, made);
});

test("a stamp in an order that we do not write is taken off with the rest of its line", async () => {
  const machine = new MemoryMachine();
  const entry = JSON.parse(piLine("b", "a", "two"));
  const body = `${JSON.stringify({ key: "k", ...entry }).slice(0, -1)},`;
  const stamped = `${body}"crc":"${crc32(Buffer.from(body))}"}\n`;
  const session = await opened(machine, piLine("a", null, "one") + stamped);
  const made = await cloneSession({ from: session, store: machine.store() });
  assert.deepEqual(await textsOf(made), ["one", "two"]);
  const { replayed } = await made.commit({ key: "k", entries: [say("new")] });
  assert.equal(replayed, false);
  await assertAsRead(machine, made);
});

test("a new file that is replaced at once is read as it is", async () => {
  const machine = new MemoryMachine();
  const session = await opened(machine, piLine("a", null, "one"));
  const pause = machine.fs.pauseNext("syncDirectory", "/data/sessions/--p--");
  const cloning = cloneSession({ from: session, store: machine.store(), id: "copy" });
  await machine.run(pause.reached);
  const path = machine.fs.paths().find((one) => one.endsWith("_copy.jsonl")) ?? "";
  machine.fs.place(path, "file", piHeader("copy") + piLine("q", null, "somebody else's"));
  pause.resume();
  const made = await machine.run(cloning);
  assert.deepEqual(await textsOf(made), ["somebody else's"]);
});

test("a gap before the first entry comes first in the copy", async () => {
  const machine = new MemoryMachine();
  const session = await opened(machine, piLine("a", "lost", "one") + piLine("b", "a", "two"));
  const made = await cloneSession({ from: session, store: machine.store() });
  assert.deepEqual(await textsOf(made), ["?", "one", "two"]);
  assert.equal(made.tree.at(0)?.storedParentId, null);
  assert.equal((await (await Session.attach(made)).context()).gaps.length, 1);
  await assertAsRead(machine, made);
});

/** Tells another summary the first time that a compaction is asked for. */
class Fickle extends SessionDecorator {
  #asked = false;

  override async getAll(ids: readonly string[]): Promise<readonly Entry[]> {
    const entries = await super.getAll(ids);
    const isFirst = !this.#asked && entries.some(({ type }) => type === "compaction");
    if (isFirst) this.#asked = true;
    return isFirst ? entries.map((entry) => ({ ...entry, summary: "another" }) as Entry) : entries;
  }
}

test("a copy that would give another context is refused, and nothing is written (F088)", async () => {
  const machine = new MemoryMachine();
  const store = machine.store();
  const source = await Session.attach(await store.create({ id: "s", cwd: "/p" }));
  const [a] = await source.append(say("one"));
  await source.setLabel(a?.id ?? "", "x");
  await source.append({
    type: "compaction",
    summary: "s",
    firstKeptEntryId: source.leaf ?? "",
    tokensBefore: 1,
  });
  const from = await Session.attach(new Fickle(source.store));
  const before = machine.fs.paths();
  await assert.rejects(cloneSession({ from, store }), (error) =>
    BranchlineError.is(error, "TARGET_INVALID"),
  );
  assert.deepEqual(machine.fs.paths(), before);
  const made = await cloneSession({ from, store });
  await assertAsRead(machine, made);
});
