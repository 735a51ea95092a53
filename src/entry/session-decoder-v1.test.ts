import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLines, type ReadFile, readFile } from "../../test/builders/read-lines.ts";
import { SessionDecoder } from "./session-decoder.ts";

const TIME = "2026-01-01T00:00:01.000Z";
const HEADER = { type: "session", version: 3, id: "s1", timestamp: TIME, cwd: "/p" };

const read = (content: string): ReadFile & { decoder: SessionDecoder } => {
  const decoder = new SessionDecoder();
  return { ...readFile(decoder, content), decoder };
};

const V1 = { type: "session", id: "s1", timestamp: TIME, cwd: "/p", provider: "p" };
const old = (content: string): object => ({
  type: "message",
  timestamp: TIME,
  message: { role: "user", content },
});

test("v1: ids by number, a straight chain, the kept index becomes an id (row 35)", () => {
  const compaction = {
    type: "compaction",
    timestamp: TIME,
    summary: "s",
    firstKeptEntryIndex: 2,
    tokensBefore: 1,
  };
  const content = jsonLines(V1, old("1"), old("2"), compaction, old("4"));
  const { entries, decoder, codes } = read(content);
  assert.deepEqual(
    entries.map((one) => [one.id, one.parentId]),
    [
      ["00000001", null],
      ["00000002", "00000001"],
      ["00000003", "00000002"],
      ["00000004", "00000003"],
    ],
  );
  assert.equal((entries[2] as { firstKeptEntryId?: string }).firstKeptEntryId, "00000002");
  assert.deepEqual([decoder.version, codes, decoder.header?.provider], [1, [], "p"]);
  assert.deepEqual(read(content).entries, entries);
});

test("v1: a damaged, overlong or glued line keeps the numbers of the others", () => {
  const lines = [V1, old("1"), old("2"), old("3")].map((one) => JSON.stringify(one));
  const [header, one, two, three] = lines as [string, string, string, string];
  const damaged = read(`${header}\n\n${one}\nrubbish\n${three}\n`);
  assert.deepEqual(damaged.ids, ["00000001", "00000003"]);
  const [lost] = damaged.lost;
  assert.deepEqual([lost?.id, lost?.parentId], ["00000002", "00000001"]);
  assert.deepEqual(read(`${header}\n${one}${two}\n${three}\n`).ids, [
    "00000001",
    "00000002",
    "00000003",
  ]);

  const decoder = new SessionDecoder();
  readFile(decoder, `${header}\n${one}\n`);
  decoder.push({ bytes: null, line: 3, byteStart: 0, byteEnd: 1, terminated: true });
  assert.deepEqual(readFile(decoder, `${three}\n`).ids, ["00000003"]);
});

test("v1 with a torn header keeps its entries (row 22)", () => {
  const { decoder, entries, lost } = read(
    `{"type":"session","id":"s\n${jsonLines(old("1"), old("2"))}`,
  );
  assert.deepEqual([decoder.header, lost[0]?.id], [null, null]);
  assert.deepEqual(
    entries.map((one) => [one.id, one.parentId]),
    [
      ["00000001", null],
      ["00000002", "00000001"],
    ],
  );
});

test("v1 and v2: the role hookMessage becomes custom", () => {
  const hook = { ...old("x"), message: { role: "hookMessage", content: "x" } };
  for (const version of [1, 2]) {
    const { entries } = read(
      jsonLines({ ...HEADER, version }, { ...hook, id: "h", parentId: null }),
    );
    assert.equal((entries[0] as { message: { role: string } }).message.role, "custom");
  }
  const v3 = read(jsonLines(HEADER, { ...hook, id: "h", parentId: null }));
  assert.equal((v3.entries[0] as { message: { role: string } }).message.role, "hookMessage");
});
