import assert from "node:assert/strict";
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Entry } from "../../entry/entry.ts";
import { encodeEntry } from "../../entry/line-encode.ts";
import { BranchlineError } from "../../errors.ts";
import { systemClock } from "../../io/clock.ts";
import type { FileHandle, FileSystem } from "../../io/file-system.ts";
import { createNodeFileSystem } from "../../io/node-file-system.ts";
import { project } from "../../projection/context.ts";
import { applyRepair, planRepair } from "./repair.ts";
import { planActions } from "./repair-plan.ts";
import { SessionFile } from "./session-file.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "branchline-repair-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const HEADER =
  '{"type":"session","version":3,"id":"s1","timestamp":"2026-10-30T09:00:00.000Z","cwd":"/p"}';

function user(id: string, parentId: string | null, text = id): string {
  const message = { role: "user", content: text };
  return JSON.stringify({
    type: "message",
    id,
    parentId,
    timestamp: "2026-10-30T09:00:01.000Z",
    message,
  });
}

async function sessionOf(...lines: readonly (string | Buffer)[]): Promise<string> {
  const path = join(folder, "2026_s1.jsonl");
  const parts = lines.map((line) => Buffer.concat([Buffer.from(line), Buffer.from("\n")]));
  await writeFile(path, Buffer.concat(parts));
  return path;
}

async function read(path: string): Promise<SessionFile> {
  const session = await SessionFile.open(createNodeFileSystem(), path, { mode: "read" });
  await session.file.close();
  return session;
}

async function pathIds(path: string): Promise<readonly string[]> {
  const { tree } = await read(path);
  return tree.path(tree.leaf()).map((at) => at.id);
}

async function sideFiles(): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => /before-repair|quarantine/.test(name));
}

describe("planRepair", () => {
  test("a clean file needs nothing, and planning writes nothing", async () => {
    const path = await sessionOf(HEADER, user("a", null));
    const before = await stat(path);
    const plan = await planRepair(path);
    assert.deepEqual(plan, { file: path, actions: [], changes: false });
    assert.equal((await stat(path)).mtimeMs, before.mtimeMs);
    const result = await applyRepair(path);
    assert.equal(result.original, null);
    assert.deepEqual(await sideFiles(), []);
  });

  test("a file that is not there is SESSION_UNKNOWN", async () => {
    for (const attempt of [planRepair, applyRepair]) {
      await assert.rejects(attempt(join(folder, "nope.jsonl")), (error) =>
        BranchlineError.is(error, "SESSION_UNKNOWN"),
      );
    }
  });

  test("names line, bytes and what it would do", async () => {
    const path = await sessionOf(HEADER, user("a", null), "garbage", user("b", "lost"));
    const { actions } = await planRepair(path);
    assert.deepEqual(
      actions.map(({ kind, code, line }) => ({ kind, code, line })),
      [
        { kind: "quarantine", code: "LINE_NOT_JSON", line: 3 },
        { kind: "bridge-gap", code: "PARENT_MISSING", line: 4 },
      ],
    );
  });
});

describe("applyRepair", () => {
  test("a damaged line goes to the quarantine, the gap stays visible (row 1, F042)", async () => {
    const path = await sessionOf(
      HEADER,
      user("a", null),
      "garbage",
      user("b", "lost"),
      user("c", "b"),
    );
    const before = await readFile(path);
    const result = await applyRepair(path);
    assert.deepEqual(await readFile(result.original ?? ""), before);
    const [line] = (await readFile(result.quarantine ?? "", "utf8")).trim().split("\n");
    const kept = JSON.parse(line ?? "") as { readonly base64: string };
    assert.equal(Buffer.from(kept.base64, "base64").toString(), "garbage");
    assert.deepEqual(await pathIds(path), ["a", "lost", "b", "c"]);
    assert.deepEqual(planActions(await read(path)), []);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  test("side files are named by the time; every touched line stands there with its place", async () => {
    const rewritten = `\uFEFF${user("b", "a")}`;
    const path = await sessionOf(HEADER, user("a", null), rewritten, "garbage", user("c", "lost"));
    const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 67) };
    const before = await readFile(path);
    const { original, quarantine } = await applyRepair(path, { clock });
    assert.equal(original, `${path}.before-repair-2026-01-02T03-04-05-067Z`);
    assert.equal(quarantine, `${path}.quarantine-2026-01-02T03-04-05-067Z`);
    const kept = (await readFile(quarantine, "utf8")).trimEnd().split("\n");
    const at = (code: string, line: number, text: string): unknown => {
      const byteStart = before.indexOf(text);
      const bytes = Buffer.from(text);
      const byteEnd = byteStart + bytes.length;
      return { code, line, byteStart, byteEnd, base64: bytes.toString("base64") };
    };
    assert.deepEqual(
      kept.map((line) => JSON.parse(line)),
      [at("LINE_BOM", 3, rewritten), at("LINE_NOT_JSON", 4, "garbage")],
    );
    // The gap before it is bridged, the line itself stays.
    assert.ok((await readFile(path, "utf8")).endsWith(`\n${user("c", "lost")}\n`));
    for (const name of [original, quarantine, path])
      assert.equal((await stat(name)).mode & 0o777, 0o600);
  });

  test("the lines between rewritten ones keep their bytes", async () => {
    const odd = (id: string, parentId: string | null): string =>
      user(id, parentId).replace('"type":"message",', ' "type": "message",');
    const bom = (id: string, parentId: string): string => `\uFEFF${user(id, parentId)}`;
    const path = await sessionOf(
      HEADER,
      odd("a", null),
      bom("b", "a"),
      odd("c", "b"),
      odd("d", "c"),
      bom("e", "d"),
      bom("f", "e"),
      odd("g", "f"),
      user("h", "g") + user("i", "h"),
      odd("j", "i"),
    );
    await applyRepair(path);
    const lines = (await readFile(path, "utf8")).split("\n");
    const at = [1, 3, 4, 7, 10];
    assert.deepEqual(
      at.map((line) => lines[line]),
      [odd("a", null), odd("c", "b"), odd("d", "c"), odd("g", "f"), odd("j", "i")],
    );
    for (const line of [2, 5, 6, 8, 9]) assert.match(lines[line] ?? "", /,"crc":"[0-9a-f]{8}"}$/);
  });

  test("a lost parent with an id that nobody may have gets another one", async () => {
    for (const missing of ["x".repeat(300), "x".repeat(257), ""]) {
      const path = await sessionOf(HEADER, user("a", null), user("b", missing));
      await applyRepair(path);
      const { tree } = await read(path);
      const placeholder = tree.path("b").at(-2);
      assert.equal(placeholder?.customType, "branchline.gap");
      assert.match(placeholder?.id ?? "", /^[0-9a-f]{20}$/);
    }
    const longest = "x".repeat(256);
    const path = await sessionOf(HEADER, user("a", null), user("b", longest));
    await applyRepair(path);
    assert.equal((await read(path)).tree.path("b").at(-2)?.id, longest);
  });

  test("a file that changes meanwhile is not replaced", async () => {
    const path = await sessionOf(HEADER, user("a", null), "garbage");
    const real = createNodeFileSystem();
    const changing: FileSystem = {
      ...bound(real),
      open: async (name, mode) => {
        if (mode === "create" && /\/\.2026_s1\.jsonl\.[0-9a-f]+\.tmp$/.test(name))
          await appendFile(path, `${user("z", "a")}\n`);
        return await real.open(name, mode);
      },
    };
    await assert.rejects(applyRepair(path, { fileSystem: changing }), (error) =>
      BranchlineError.is(error, "FILE_REPLACED"),
    );
    assert.ok((await readFile(path, "utf8")).endsWith(`garbage\n${user("z", "a")}\n`));
  });

  test("lines that were right keep their bytes", async () => {
    const path = await sessionOf(HEADER, user("a", null), "garbage", user("b", "a"));
    await applyRepair(path);
    const lines = (await readFile(path, "utf8")).split("\n");
    assert.equal(lines[1], user("a", null));
    assert.equal(lines[2], user("b", "a"));
  });

  test("glued records become lines, a record behind a torn one is kept (M6, F003)", async () => {
    const torn = user("x", "a").slice(0, 90);
    const path = await sessionOf(HEADER, user("a", null) + user("b", "a"), torn + user("c", "b"));
    await applyRepair(path);
    assert.deepEqual(await pathIds(path), ["a", "b", "c"]);
    assert.deepEqual(planActions(await read(path)), []);
  });

  test("the second entry of an id leaves, the first stands (M4)", async () => {
    const path = await sessionOf(HEADER, user("a", null), user("a", null, "again"), user("b", "a"));
    const { quarantine } = await applyRepair(path);
    assert.match(await readFile(quarantine ?? "", "utf8"), /ID_DUPLICATE/);
    assert.deepEqual(await pathIds(path), ["a", "b"]);
  });

  test("a circle is opened with a placeholder (M3)", async () => {
    const path = await sessionOf(HEADER, user("a", null), user("b", "c"), user("c", "b"));
    await applyRepair(path);
    const { tree } = await read(path);
    assert.deepEqual(planActions(await read(path)), []);
    assert.equal(tree.path("c").length, 4);
    assert.equal(tree.path("c")[1]?.customType, "branchline.gap");
  });

  test("a parent that is no text gets a placeholder of its own", async () => {
    const odd = user("b", null).replace('"parentId":null', '"parentId":7');
    const path = await sessionOf(HEADER, user("a", null), odd);
    await applyRepair(path);
    const { tree } = await read(path);
    assert.deepEqual(
      tree.path("b").map((at) => at.type),
      ["message", "custom", "message"],
    );
  });

  test("the same file is repaired to the same bytes; an id that is taken is passed over", async () => {
    const odd = user("b", null).replace('"parentId":null', '"parentId":7');
    const path = await sessionOf(HEADER, user("a", null), odd);
    await applyRepair(path);
    const first = await readFile(path, "utf8");
    const [, made = ""] = await pathIds(path);
    await sessionOf(HEADER, user("a", null), odd);
    await applyRepair(path);
    assert.equal(await readFile(path, "utf8"), first);
    await sessionOf(HEADER, user(made, null), odd);
    await applyRepair(path);
    const [taken, placeholder, behind] = await pathIds(path);
    assert.deepEqual([taken, behind], [made, "b"]);
    assert.notEqual(placeholder, made);
  });

  test("a lost header is written anew and the session can be written again (row 22)", async () => {
    const path = await sessionOf('{"type":"session","vers', user("a", null));
    await applyRepair(path);
    const session = await read(path);
    assert.equal(session.readOnly, null);
    assert.equal(session.header.id, "s1");
  });

  test("a torn tail, NULs, a byte order mark and wrong bytes are cleaned", async () => {
    const wrong = Buffer.concat([
      Buffer.from(user("d", "c").slice(0, -3)),
      Buffer.of(0xff),
      Buffer.from('"}}'),
    ]);
    const nul = Buffer.concat([Buffer.alloc(40), Buffer.from(user("b", "a"))]);
    const path = await sessionOf(HEADER, user("a", null), nul, `\uFEFF${user("c", "b")}`, wrong);
    await writeFile(path, Buffer.concat([await readFile(path), Buffer.from('{"type":"mess')]));
    await applyRepair(path);
    assert.deepEqual(await pathIds(path), ["a", "b", "c", "d"]);
    assert.deepEqual(planActions(await read(path)), []);
  });

  test("an older version is written as the present one", async () => {
    const entry =
      '{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x"}}';
    const path = await sessionOf(HEADER.replace('"version":3,', ""), entry, "garbage", entry);
    await applyRepair(path);
    const session = await read(path);
    assert.equal(session.version, 3);
    assert.deepEqual(planActions(session), []);
    assert.equal(session.tree.size, 3);
  });

  test("what would have to be invented is left and said", async () => {
    const odd = '{"type":"label","id":"l","parentId":"a","timestamp":"","label":"x"}';
    const path = await sessionOf(HEADER, user("a", null), odd);
    const result = await applyRepair(path);
    assert.deepEqual(
      result.actions.map(({ kind }) => kind),
      ["leave"],
    );
    assert.equal(result.original, null);
  });

  test("what is left beside what is mended does not stop the repair", async () => {
    const odd = '{"type":"label","id":"l","parentId":"a","timestamp":"","label":"x"}';
    const path = await sessionOf(HEADER, user("a", null), odd, "garbage");
    const { original } = await applyRepair(path);
    assert.notEqual(original, null);
    assert.deepEqual(
      planActions(await read(path)).map(({ kind, code }) => `${kind} ${code}`),
      ["leave ENTRY_MALFORMED"],
    );
  });

  test("a newer format is not touched", async () => {
    const path = await sessionOf(
      HEADER.replace('"version":3', '"version":9'),
      "garbage",
      user("a", null),
    );
    const before = await readFile(path);
    await assert.rejects(applyRepair(path), (error) => {
      assert.ok(BranchlineError.is(error, "SESSION_READ_ONLY"));
      assert.match(error.fields.reason, /newer/);
      assert.ok(error.message.includes(error.fields.reason));
      return error.place?.file === path;
    });
    assert.deepEqual(await readFile(path), before);
  });

  test("an archived session is not touched", async () => {
    const path = `${await sessionOf(HEADER, user("a", null), "garbage")}.zst`;
    await writeFile(path, "archived");
    await assert.rejects(applyRepair(path), (error) => {
      assert.ok(BranchlineError.is(error, "SESSION_READ_ONLY"));
      assert.match(error.fields.reason, /archive/);
      return true;
    });
    assert.equal(await readFile(path, "utf8"), "archived");
  });

  test("the file itself is opened for reading only, and what is opened is closed", async () => {
    const path = await sessionOf(HEADER, user("a", null), "garbage");
    const real = createNodeFileSystem();
    let open = 0;
    const watching: FileSystem = {
      ...bound(real),
      open: async (name, mode) => {
        assert.ok(mode === "read" || mode === "create", `${name} for ${mode}`);
        const handle = await real.open(name, mode);
        open++;
        const close = (): Promise<void> => {
          open--;
          return handle.close();
        };
        return { ...boundHandle(handle), close };
      },
    };
    await planRepair(path, { fileSystem: watching });
    assert.equal(open, 0);
    await applyRepair(path, { fileSystem: watching });
    assert.equal(open, 0);
  });

  test("a repair that would come out damaged changes nothing", async () => {
    const path = await sessionOf(HEADER, user("a", null), "garbage", user("b", "a"));
    const before = await readFile(path);
    const real = createNodeFileSystem();
    const spoiling: FileSystem = {
      ...bound(real),
      open: async (name, mode) => {
        const handle = await real.open(name, mode);
        if (!/\/\.2026_s1\.jsonl\.[0-9a-f]+\.tmp$/.test(name)) return handle;
        const write = async (bytes: Uint8Array): Promise<number> => {
          await handle.write(bytes);
          await handle.write(Buffer.from("spoilt\n"));
          return bytes.length;
        };
        return { ...boundHandle(handle), write };
      },
    };
    await assert.rejects(applyRepair(path, { fileSystem: spoiling }), (error) => {
      assert.ok(BranchlineError.is(error, "LOG_DAMAGED"));
      assert.ok(error.fields.problems > 0);
      return error.place?.file === path;
    });
    assert.deepEqual(await readFile(path), before);
  });

  test("all children of one lost parent share its placeholder; an incomplete group leaves", async () => {
    const draft = JSON.parse(user("g1", "c"));
    const group = Buffer.from(encodeEntry(draft, { commit: { id: "x", i: 1, n: 2 } })).subarray(
      0,
      -1,
    );
    const path = await sessionOf(
      HEADER,
      user("a", null),
      user("b", "lost"),
      user("c", "lost"),
      group,
    );
    const { actions } = await applyRepair(path);
    assert.ok(
      actions.some(({ code, kind }) => code === "COMMIT_INCOMPLETE" && kind === "quarantine"),
    );
    const { tree } = await read(path);
    assert.deepEqual(
      tree.children("lost").map((at) => at.id),
      ["b", "c"],
    );
    assert.equal(tree.has("g1"), false);
  });

  test("a repair that would lose an entry changes nothing", async () => {
    const path = await sessionOf(HEADER, user("a", null), "garbage", user("b", "a"));
    const before = await readFile(path);
    const real = createNodeFileSystem();
    // A file system that swallows a line: what is read back is not what was meant.
    const fileSystem: FileSystem = {
      ...bound(real),
      open: async (name, mode) => {
        const handle = await real.open(name, mode);
        if (
          mode !== "create" ||
          !name.includes(".2026_s1.jsonl.") ||
          /before-repair|quarantine/.test(name)
        )
          return handle;
        const write = async (bytes: Uint8Array): Promise<number> => {
          if (!Buffer.from(bytes).includes('"id":"b"')) await handle.write(bytes);
          return bytes.length;
        };
        return { ...boundHandle(handle), write };
      },
    };
    await assert.rejects(applyRepair(path, { fileSystem }), (error) =>
      BranchlineError.is(error, "LOG_DAMAGED"),
    );
    assert.deepEqual(await readFile(path), before);
  });
});

describe("every damaged file of the corpus", () => {
  const CORPUS = join(import.meta.dirname, "../../../test/golden/damaged");

  test("comes out with its entries and its context, and without structural damage", async (t) => {
    let repaired = 0;
    for (const name of (await readdir(CORPUS)).filter((file) => file.endsWith(".jsonl"))) {
      const path = join(folder, name);
      await writeFile(path, await readFile(join(CORPUS, name)));
      const before = await read(path).catch(() => null);
      if (before === null || planActions(before).some(({ code }) => code === "VERSION_NEWER"))
        continue;
      if (before.version === 4) continue;
      const { changes } = await applyRepair(path);
      const after = await read(path);
      const left = planActions(after).filter(({ kind }) => kind !== "leave");
      assert.deepEqual(left, [], name);
      for (const at of before.tree.entries()) assert.ok(after.tree.has(at.id), `${name} ${at.id}`);
      assert.deepEqual(contextTexts(after), contextTexts(before), name);
      if (changes) repaired++;
    }
    t.diagnostic(`${repaired} files repaired`);
    assert.ok(repaired > 50);
  });
});

function contextTexts(session: SessionFile): string {
  const { tree, header } = session;
  const steps = tree.path(tree.leaf()).map((at) => {
    return { entry: session.get(at.id) as Entry, gap: at.gap };
  });
  const { messages } = project(steps, header.id);
  return JSON.stringify(messages);
}

function bound(real: FileSystem): FileSystem {
  return {
    open: (...args) => real.open(...args),
    stat: (path) => real.stat(path),
    lstat: (path) => real.lstat(path),
    realpath: (path) => real.realpath(path),
    readDirectory: (path) => real.readDirectory(path),
    makeDirectory: (path) => real.makeDirectory(path),
    rename: (from, to) => real.rename(from, to),
    link: (existing, path) => real.link(existing, path),
    removeFile: (path) => real.removeFile(path),
    syncDirectory: (path) => real.syncDirectory(path),
    setTimes: (...args) => real.setTimes(...args),
    readFile: (...args) => real.readFile(...args),
  };
}

function boundHandle(real: FileHandle): FileHandle {
  return {
    read: (...args) => real.read(...args),
    write: (bytes) => real.write(bytes),
    datasync: () => real.datasync(),
    sync: () => real.sync(),
    truncate: (length) => real.truncate(length),
    stat: () => real.stat(),
    close: () => real.close(),
  };
}
