import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BranchlineError, type ErrorCode } from "../errors.ts";
import { crc32 } from "./crc32.ts";
import type { Entry } from "./entry.ts";
import { decodeLine } from "./line-decode.ts";
import { encodeEntry, encodeHeader, encodeMembers, MAX_ENTRY_BYTES } from "./line-encode.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const ENTRY: Entry = { type: "custom", id: "a", parentId: null, timestamp: "t", customType: "c" };
const throws = (run: () => unknown, code: ErrorCode): void =>
  assert.throws(run, (error) => BranchlineError.is(error, code));

test("a line has Pi's members first, then key, commit, crc, then one newline", () => {
  const line = encodeEntry(ENTRY, { key: "k", commit: { id: "g", i: 1, n: 2 } });
  const json = text(line);
  assert.equal(json.endsWith('"}\n'), true);
  assert.equal(json.indexOf("\n"), json.length - 1);
  const names = Object.keys(JSON.parse(json));
  assert.deepEqual(names, [...Object.keys(ENTRY), "key", "commit", "crc"]);
  assert.deepEqual(Object.keys(JSON.parse(text(encodeEntry(ENTRY)))), [
    ...Object.keys(ENTRY),
    "crc",
  ]);
});

test("crc is the CRC-32 of every byte before the member, the comma included", () => {
  const header = { type: "session", version: 3, id: "é中😀", timestamp: "", cwd: "" } as const;
  for (const line of [encodeEntry({ ...ENTRY, data: "é中😀" }), encodeHeader(header)]) {
    const at = text(line).lastIndexOf('"crc"');
    const before = new TextEncoder().encode(text(line).slice(0, at));
    assert.equal(before.at(-1), 0x2c);
    assert.equal(JSON.parse(text(line)).crc, crc32(before));
  }
});

test("an entry is too large only above the limit, counted in bytes with its newline (R13)", () => {
  const { length } = encodeEntry({ ...ENTRY, data: "é" });
  assert.equal(encodeEntry({ ...ENTRY, data: "é" }, {}, length).length, length);
  throws(() => encodeEntry({ ...ENTRY, data: "é" }, {}, length - 1), "ENTRY_TOO_LARGE");
  throws(() => encodeEntry({ ...ENTRY, data: "x".repeat(MAX_ENTRY_BYTES) }), "ENTRY_TOO_LARGE");
});

test("members that are JSON text already give the same line, too large ones are refused", () => {
  for (const stamp of [{}, { key: "k" }, { commit: { id: "g", i: 1, n: 2 } }])
    assert.deepEqual(encodeMembers(ENTRY, ',"customType":"c"', stamp), encodeEntry(ENTRY, stamp));
  const members = `,"data":"${"x".repeat(MAX_ENTRY_BYTES)}"`;
  throws(() => encodeMembers(ENTRY, members, {}), "ENTRY_TOO_LARGE");
});

function nested(depth: number): unknown {
  let data: unknown = 1;
  for (let level = 0; level < depth; level++) data = [data];
  return data;
}

test("1,000 levels can be written, more cannot (reliability.md §3 row 31)", () => {
  assert.equal(decodeLine(encodeEntry({ ...ENTRY, data: nested(999) })).findings.length, 0);
  for (const depth of [1000, 10_000, 100_000])
    throws(() => encodeEntry({ ...ENTRY, data: nested(depth) }), "ENTRY_INVALID");
});

test("what JSON cannot hold is refused", () => {
  const circle: Record<string, unknown> = {};
  circle.left = circle;
  circle.right = circle;
  throws(() => encodeEntry({ ...ENTRY, data: circle }), "ENTRY_INVALID");
  throws(() => encodeEntry({ ...ENTRY, data: 1n }), "ENTRY_INVALID");
  for (const form of ["text", undefined, {}])
    throws(() => encodeEntry({ ...ENTRY, toJSON: () => form } as Entry), "ENTRY_INVALID");
});

test("a refusal says why, and what was thrown before it", () => {
  const reasonOf = (run: () => unknown): readonly unknown[] => {
    try {
      run();
    } catch (error) {
      assert.ok(BranchlineError.is(error, "ENTRY_INVALID"));
      return [error.fields.reason, error.cause instanceof TypeError];
    }
    return [];
  };
  assert.deepEqual(
    reasonOf(() => encodeEntry({ ...ENTRY, data: 1n })),
    ["not representable as JSON", true],
  );
  assert.deepEqual(
    reasonOf(() => encodeEntry({ ...ENTRY, toJSON: () => "text" } as Entry)),
    ["its JSON form is no object with members", false],
  );
  assert.deepEqual(
    reasonOf(() => encodeEntry({ ...ENTRY, data: nested(1000) })),
    ["nested deeper than 1,000 levels", false],
  );
  assert.deepEqual(
    reasonOf(() => encodeEntry({ ...ENTRY, crc: "x" }, { key: "k" })),
    ["its members key, commit and crc are those of a line", false],
  );
  const tooLarge = (error: unknown): boolean => {
    assert.ok(BranchlineError.is(error, "ENTRY_TOO_LARGE"));
    assert.deepEqual(error.fields, { bytes: encodeEntry(ENTRY).length, limit: 10 });
    return true;
  };
  assert.throws(() => encodeEntry(ENTRY, {}, 10), tooLarge);
});

test("texts of any length and of characters of any width are written whole", () => {
  for (const character of ["x", "é", "中", "😀"])
    for (const length of [1_000, 21_700, 21_845, 22_000, 65_536, 70_000, 200_000]) {
      const data = character.repeat(length);
      const record: ReturnType<typeof decodeLine>["parts"][number] | undefined = decodeLine(
        encodeEntry({ ...ENTRY, data }),
      ).parts[0];
      assert.equal(record?.kind === "record" && record.crc, "right", `${character} ${length}`);
      assert.ok(record?.kind === "record" && record.value.data === data);
      const members: string = `,"customType":"c","data":${JSON.stringify(data)}`;
      assert.deepEqual(encodeMembers(ENTRY, members, {}), encodeEntry({ ...ENTRY, data }));
    }
});

test("lines that share memory stay as they were made; a line that is handed out shares none", () => {
  const made = Array.from({ length: 2_000 }, (_, number) => {
    const data = String(number).repeat(number % 300);
    return { data, line: encodeMembers(ENTRY, `,"customType":"c","data":"${data}"`, {}) };
  });
  for (const { data, line } of made) {
    const own = encodeEntry({ ...ENTRY, data });
    assert.deepEqual(line, own);
    const { buffer, length } = own;
    assert.equal(buffer.byteLength, length);
    assert.ok(buffer instanceof ArrayBuffer);
    // Who got it may give it away, memory and all.
    structuredClone(own, { transfer: [buffer] });
  }
  const header = { type: "session", version: 3, id: "s", timestamp: "", cwd: "" } as const;
  const line = encodeHeader(header);
  assert.equal(line.buffer.byteLength, line.length);
});

test("lone surrogates, U+2028 and control characters survive on one line (rows 13, 14)", () => {
  const data = "\ud800 \udc00 \u2028\u2029\u0085\u0000\n\r\u000b";
  const line = encodeEntry({ ...ENTRY, data });
  assert.equal(line.indexOf(0x0a), line.length - 1);
  const [record] = decodeLine(line).parts;
  assert.equal(record?.kind === "record" && record.value.data, data);
});

test("an entry with members of its own called key, commit or crc comes back as it was", () => {
  const entries: readonly Entry[] = [
    { ...ENTRY, key: "own" },
    { ...ENTRY, commit: { id: "x", i: 1, n: 9 } },
    { ...ENTRY, crc: "deadbeef" },
    { ...ENTRY, key: 1, crc: 5 },
  ];
  for (const entry of entries) {
    const [record] = decodeLine(encodeEntry(entry)).parts;
    assert.deepEqual(record, {
      kind: "record",
      value: entry,
      crc: "none",
      key: undefined,
      commit: undefined,
    });
    throws(() => encodeEntry(entry, { key: "k" }), "ENTRY_INVALID");
    throws(() => encodeEntry(entry, { commit: { id: "g", i: 1, n: 2 } }), "ENTRY_INVALID");
  }
});

const members = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 });

test("whatever is written reads back the same, with the key and commit beside it", () => {
  fc.assert(
    fc.property(members, fc.option(fc.string(), { nil: undefined }), (more, key) => {
      const entry = { ...more, type: "future", id: "a", parentId: null, timestamp: "t" } as Entry;
      const wanted = JSON.parse(JSON.stringify(entry));
      const own = ["key", "commit", "crc"].some((name) => Object.hasOwn(entry, name));
      const stamp = key === undefined || own ? {} : { key };
      const { parts, findings } = decodeLine(encodeEntry(entry, stamp));
      assert.deepEqual(findings, []);
      const crc = own ? "none" : "right";
      const keyRead = own ? undefined : key;
      assert.deepEqual(parts, [
        { kind: "record", value: wanted, crc, key: keyRead, commit: undefined },
      ]);
    }),
  );
});
