import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { BranchlineError } from "../src/errors.ts";
import { checkSession } from "../src/session/fsck.ts";
import { Session } from "../src/session/session.ts";
import { createJsonlStore } from "../src/store/jsonl/jsonl-store.ts";
import { contextTexts } from "./damaged-texts.ts";
import { answer, FOUR, file, four, join as joined, user } from "./golden/damaged/damaged-case.ts";

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "damaged-big-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a file gives: codes with lines, entries, texts of the context cut to 20 characters. */
async function read(
  path: string,
): Promise<{ problems: string[]; entries: number; leaf: string | null; texts: string[] }> {
  await using store = createJsonlStore({ root: folder });
  const session = await Session.attach(await store.openFile(path));
  const { problems } = await checkSession(session.store);
  const { messages } = await session.context();
  return {
    problems: problems.map(({ code, line }) => `${code} ${line}`),
    entries: session.tree.size,
    leaf: session.leaf,
    texts: contextTexts(messages).map((text) => text.slice(0, 20)),
  };
}

async function readBytes(content: Buffer): ReturnType<typeof read> {
  const path = join(folder, "big.jsonl");
  writeFileSync(path, content);
  return await read(path);
}

const WHOLE = { problems: [], entries: 4, leaf: "d", texts: ["one", "two", "three", "four"] };
const LOST = { entries: 3, leaf: "d", texts: ["one", "two", "<gap>", "four"] };

describe("big damaged files (P7, R13)", () => {
  it("a line of 64 MB is read in linear time (row 27)", { timeout: 20_000 }, async () => {
    const text = "x".repeat(64 * 1024 * 1024);
    const found = await readBytes(four({ 4: user("c", "b", text) }));
    assert.deepEqual(found, { ...WHOLE, texts: ["one", "two", "x".repeat(20), "four"] });
  });

  it("a line of 600 MB is skipped with its range, opened and listed (rows 28, 29)", {
    timeout: 30_000,
  }, async () => {
    const path = join(folder, "giant.jsonl");
    const start = file(FOUR.slice(0, 3));
    const end = start.length + 600 * 1024 * 1024;
    const handle = openSync(path, "w");
    writeSync(handle, start, 0, start.length, 0);
    const rest = joined("\n", FOUR[4], "\n");
    writeSync(handle, rest, 0, rest.length, end);
    closeSync(handle);
    assert.deepEqual(await read(path), {
      ...LOST,
      problems: ["LINE_TOO_LONG 4", "PARENT_MISSING 5"],
    });
    await using store = createJsonlStore({ root: folder });
    await using session = await store.openFile(path);
    const [problem] = session.problems;
    assert.deepEqual([problem?.byteStart, problem?.byteEnd], [start.length, end]);
    const rows: number[] = [];
    for await (const { path: each, entries } of store.list()) if (each === path) rows.push(entries);
    assert.deepEqual(rows, [3]);
    rmSync(path);
  });

  it("nesting of 5,000,000 levels is capped (row 31)", { timeout: 20_000 }, async () => {
    const deep = `${"[".repeat(5_000_000)}${"]".repeat(5_000_000)}`;
    const found = await readBytes(four({ 4: FOUR[3].replace('"three"', deep) }));
    assert.deepEqual(found, { ...LOST, problems: ["LINE_TOO_DEEP 4", "PARENT_MISSING 5"] });
  });

  it("nesting of 5,000,000 levels that never ends is no JSON (row 31)", {
    timeout: 20_000,
  }, async () => {
    const deep = '{"a":['.repeat(2_500_000);
    const found = await readBytes(four({ 4: FOUR[3].replace('"three"', deep) }));
    assert.deepEqual(found, { ...LOST, problems: ["LINE_NOT_JSON 4", "PARENT_MISSING 5"] });
  });

  it("a chain of 100,000 entries opens with its whole context (row 30)", {
    timeout: 20_000,
  }, async () => {
    const size = 100_000;
    const lines = Array.from({ length: size }, (_, i) =>
      user(`e${i}`, i === 0 ? null : `e${i - 1}`, "x"),
    );
    const found = await readBytes(file([FOUR[0], ...lines]));
    assert.equal(found.entries, size);
    assert.equal(found.texts.length, size);
    assert.deepEqual(found.problems, []);
  });

  it("50,000 damaged lines and the gaps they leave are each listed", {
    timeout: 20_000,
  }, async () => {
    const size = 50_000;
    const lines = Array.from({ length: size }, (_, i) => [
      user(`e${2 * i}`, i === 0 ? null : `e${2 * i - 1}`, "x"),
      `${answer(`e${2 * i + 1}`, `e${2 * i}`, "x").slice(0, -4)}`,
    ]);
    const found = await readBytes(file([FOUR[0], ...lines.flat()]));
    assert.equal(found.entries, size);
    assert.equal(found.problems.length, 2 * size - 1);
    assert.equal(found.texts.length, 2 * size - 1);
  });

  it("an object with 100,000 members, an id of 1 MB, a record behind 1 MB of noise", async () => {
    const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i]));
    const wide = four({ 4: JSON.stringify({ ...JSON.parse(FOUR[3]), keys }) });
    assert.deepEqual(await readBytes(wide), WHOLE);
    const long = four({ 4: user("c".repeat(1024 * 1024), "b", "three") });
    assert.deepEqual(await readBytes(long), {
      ...LOST,
      problems: ["LINE_NOT_ENTRY 4", "PARENT_MISSING 5"],
    });
    const noise = four({ 4: `${'{"type":"'.repeat(8)}${"#".repeat(1024 * 1024)}${FOUR[3]}` });
    assert.deepEqual(await readBytes(noise), {
      ...WHOLE,
      problems: ["LINE_NOT_JSON 4", "LINE_GLUED 4"],
    });
  });

  it("characters of several bytes survive every border between two reads of 1 MiB", async () => {
    const size = 1024 * 1024;
    const before = file(FOUR.slice(0, 3)).length + FOUR[3].indexOf("three");
    for (const shift of [-4, -3, -2, -1, 0, 1]) {
      const text = `${"x".repeat(size - before + shift)}👩${"y".repeat(10)}`;
      const path = join(folder, "border.jsonl");
      writeFileSync(path, four({ 4: user("c", "b", text) }));
      await using store = createJsonlStore({ root: folder });
      await using session = await store.openFile(path);
      assert.deepEqual(session.problems, []);
      const entry = (await session.mustGet("c")) as unknown as { message: { content: string } };
      assert.equal(entry.message.content, text);
    }
  });
});

describe("a file cut at every byte", () => {
  it("gives every complete record, reports a torn rest, and is never written", {
    timeout: 60_000,
  }, async () => {
    const whole = file([FOUR[0], FOUR[1], FOUR[2]]);
    const headerEnd = FOUR[0].length;
    const ends = [headerEnd + 1 + FOUR[1].length, whole.length - 1];
    const path = join(folder, "cut.jsonl");
    await using store = createJsonlStore({ root: folder });
    for (let length = 0; length <= whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      const opening = store.openFile(path);
      if (length < headerEnd) {
        await assert.rejects(opening, (error) => BranchlineError.is(error, "SESSION_INVALID"));
        continue;
      }
      await using session = await opening;
      const complete = ends.filter((end) => length >= end).length;
      assert.equal(session.tree.size, complete, `cut at ${length}`);
      const isWhole = [headerEnd, ...ends].some((end) => length === end || length === end + 1);
      const codes = session.problems.map(({ code }) => code);
      assert.deepEqual(codes, isWhole ? [] : ["TAIL_TORN"], `cut at ${length}`);
    }
  });
});
