import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesOf, jsonLines, type ReadFile, readFile } from "../../test/builders/read-lines.ts";
import type { Entry, SessionHeader } from "./entry.ts";
import { type CommitMark, encodeEntry, encodeHeader } from "./line-encode.ts";
import { commitOf, readEntryLine, SessionDecoder, UNREADABLE_PARENT } from "./session-decoder.ts";

const HEADER: SessionHeader = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/p",
};
const TIME = "2026-01-01T00:00:01.000Z";

function message(id: string, parentId: string | null): Entry {
  return { type: "message", id, parentId, timestamp: TIME, message: { role: "user", content: id } };
}

const [A, B, C] = [message("a", null), message("b", "a"), message("c", "b")];

const read = (content: string | Uint8Array): ReadFile & { decoder: SessionDecoder } => {
  const decoder = new SessionDecoder();
  return { ...readFile(decoder, content), decoder };
};
const concat = (...pieces: readonly (string | Uint8Array)[]): Uint8Array =>
  Buffer.concat(pieces.map(bytesOf));
const mark = (entry: Entry, i: number, more: Partial<CommitMark> = {}): Uint8Array =>
  encodeEntry(entry, { key: "k", commit: { id: "g", i, n: 3, ...more } });

test("a file of ours reads back: header, entries, keys, places", () => {
  const lines = [encodeHeader(HEADER), encodeEntry(A, { key: "k" }), encodeEntry(B)];
  const { decoder, entries, decoded, codes, tail } = read(concat(...lines));
  assert.deepEqual(decoder.header, HEADER);
  assert.deepEqual([entries, codes], [[A, B], []]);
  assert.deepEqual(
    decoded.map((one) => [one.key, one.commit, one.ours]),
    [
      ["k", null, true],
      [null, null, true],
    ],
  );
  const [header, first] = lines as [Uint8Array, Uint8Array];
  const byteEnd = header.length + first.length - 1;
  assert.deepEqual(decoded[0]?.place, { line: 2, byteStart: header.length, byteEnd });
  assert.deepEqual(tail, { incompleteGroup: null, torn: null, unterminated: false });
  assert.deepEqual(
    [decoder.version, decoder.newer, decoder.hasKnownEntry, decoder.lastIsOurs],
    [3, false, true, true],
  );
});

test("before any line there is nothing", () => {
  const { decoder, entries, codes, tail } = read("");
  assert.deepEqual(
    [entries, codes, decoder.header, decoder.version, decoder.newer],
    [[], [], null, 3, false],
  );
  assert.deepEqual([decoder.hasKnownEntry, decoder.lastIsOurs], [false, false]);
  assert.deepEqual(tail, { incompleteGroup: null, torn: null, unterminated: false });
});

test("lastIsOurs follows the last complete line, readable or not", () => {
  const ours = concat(encodeHeader(HEADER), encodeEntry(A));
  assert.equal(read(ours).decoder.lastIsOurs, true);
  assert.equal(read(concat(ours, jsonLines(B))).decoder.lastIsOurs, false);
  assert.equal(read(concat(ours, "rubbish\n")).decoder.lastIsOurs, false);
  assert.equal(read(concat(ours, "\n")).decoder.lastIsOurs, true);
  assert.equal(read(concat(ours, '{"type":"message","id":"b')).decoder.lastIsOurs, true);
});

test("headers of other versions (reliability.md §3 rows 24, 51)", () => {
  const version = (value: unknown): readonly unknown[] => {
    const { decoder, codes, ids } = read(jsonLines({ ...HEADER, version: value }, A));
    assert.deepEqual(ids, ["a"]);
    return [decoder.version, decoder.newer, codes];
  };
  assert.deepEqual(version(undefined), [1, false, []]);
  assert.deepEqual(version(2), [2, false, []]);
  assert.deepEqual(version(0), [1, false, ["HEADER_INVALID"]]);
  assert.deepEqual(version(null), [1, false, ["HEADER_INVALID"]]);
  assert.deepEqual(version("3"), [3, false, ["HEADER_INVALID"]]);
  assert.deepEqual(version(4), [3, true, ["VERSION_NEWER"]]);
  assert.deepEqual(version(99), [3, true, ["VERSION_NEWER"]]);
  const { decoder, codes } = read(jsonLines({ ...HEADER, id: "../../etc/passwd" }, A));
  assert.match(decoder.header?.id ?? "", /^invalid-/);
  assert.deepEqual(codes, ["HEADER_INVALID"]);
});

test("a second header is reported, a changed one still stands", () => {
  const again = read(jsonLines(HEADER, A, { ...HEADER, id: "s2" }, B));
  assert.deepEqual(
    [again.decoder.header?.id, again.ids, again.codes],
    ["s1", ["a", "b"], ["HEADER_DUPLICATE"]],
  );
  const changed = new TextDecoder().decode(encodeHeader(HEADER)).replace("/p", "/q");
  const { decoder, codes } = read(changed);
  assert.deepEqual([decoder.header?.cwd, codes], ["/q", ["CRC_MISMATCH"]]);
});

test("a torn header leaves the entries readable (row 22)", () => {
  const { decoder, ids, codes, lost } = read(`{"type":"session","ver\n${jsonLines(A, B)}`);
  assert.deepEqual(
    [decoder.header, decoder.hasKnownEntry, ids, lost.length],
    [null, true, ["a", "b"], 1],
  );
  assert.deepEqual(codes, ["LINE_NOT_JSON"]);
  assert.equal(read(jsonLines({ ...HEADER, id: 5 }, A)).decoder.header, null);
});

test("other JSON lines are no session", () => {
  const { decoder, ids } = read(
    jsonLines({ a: 1 }, { type: "user", id: "x" }, { type: "message", id: "y", message: 1 }),
  );
  assert.deepEqual([decoder.hasKnownEntry, ids], [false, ["x"]]);
  assert.equal(
    read(jsonLines({ type: "label", id: "x", parentId: null })).decoder.hasKnownEntry,
    false,
  );
});

test("a damaged line is lost and tells what it can (row 1, rows 18 to 20)", () => {
  const broken = '{"type":"message","id":"b","parentId":"a","mess';
  const empty = { type: "message", id: "e", parentId: "a" };
  const { ids, lost, codes } = read(
    `${jsonLines(HEADER, A)}${broken}\n${jsonLines(C, empty, {}, 42)}`,
  );
  assert.deepEqual(ids, ["a", "c"]);
  assert.deepEqual(
    lost.map(({ id, parentId }) => [id, parentId]),
    [
      ["b", "a"],
      ["e", "a"],
      [null, undefined],
      [null, undefined],
    ],
  );
  assert.deepEqual(codes, ["LINE_NOT_JSON", "LINE_NOT_ENTRY", "LINE_NOT_ENTRY", "LINE_NOT_ENTRY"]);
});

test("problems name the exact place and entry", () => {
  const { decoder } = read(jsonLines(HEADER, { ...A, message: null }));
  const byteStart = jsonLines(HEADER).length;
  const [problem] = decoder.problems;
  assert.deepEqual(
    { ...problem, message: "" },
    {
      code: "LINE_NOT_ENTRY",
      line: 2,
      byteStart,
      byteEnd: byteStart + JSON.stringify({ ...A, message: null }).length,
      entryId: "a",
      message: "",
    },
  );
});

test("a line beyond the reader's limit is lost with its range (rows 27 to 29)", () => {
  const decoder = new SessionDecoder();
  const at = { line: 1, byteStart: 0, byteEnd: 600_000_000 };
  const out = decoder.push({ ...at, bytes: null, terminated: true });
  assert.deepEqual(out, [{ kind: "lost", id: null, parentId: undefined, place: at }]);
  assert.equal(decoder.problems[0]?.code, "LINE_TOO_LONG");
  const { tail } = decoder.finish({ ...at, bytes: null, terminated: false });
  assert.deepEqual(tail, { incompleteGroup: null, torn: at, unterminated: false });
});

test("parents and times of wrong types: bridged, or read as what they mean", () => {
  for (const parentId of [undefined, 5, {}, true]) {
    const { entries, codes } = read(jsonLines(HEADER, { ...A, parentId }));
    assert.deepEqual([entries[0]?.parentId, codes], [UNREADABLE_PARENT, []]);
  }
  const time = (timestamp: unknown): unknown =>
    read(jsonLines(HEADER, { ...A, timestamp })).entries[0]?.timestamp;
  assert.equal(time(1795984938426), "2026-11-29T20:42:18.426Z");
  assert.deepEqual([time(null), time(undefined), time({})], ["", "", ""]);
});

test("malformed entries of known types stay in the tree and are reported", () => {
  const odd = { type: "label", id: "l", parentId: "a", timestamp: TIME, targetId: 5 };
  const { entries, codes, decoder } = read(jsonLines(HEADER, odd));
  assert.deepEqual(
    [entries, codes, decoder.problems[0]?.entryId],
    [[odd], ["ENTRY_MALFORMED"], "l"],
  );
});

test("unknown types, roles and members come through exactly (row 17)", () => {
  const odd = {
    type: "future",
    id: "f",
    parentId: null,
    timestamp: TIME,
    deep: { a: [1, null] },
    key: "own",
    commit: 5,
  };
  assert.deepEqual(read(jsonLines(HEADER, odd)).entries, [odd]);
});

test("a group comes out when its last line is there (P2)", () => {
  const decoder = new SessionDecoder();
  const push = (bytes: Uint8Array): readonly string[] =>
    decoder
      .push({ bytes: bytes.subarray(0, -1), line: 1, byteStart: 0, byteEnd: 1, terminated: true })
      .map((one) => (one.kind === "entry" ? one.entry.id : "lost"));
  assert.deepEqual(
    [push(mark(A, 1)), push(mark(B, 2)), push(mark(C, 3))],
    [[], [], ["a", "b", "c"]],
  );
  assert.deepEqual(decoder.problems, []);
});

test("an incomplete group at the end does not count (F001)", () => {
  const start = concat(encodeHeader(HEADER), encodeEntry(A));
  for (const end of ["", '{"type":"message","id":"z"']) {
    const { ids, tail, codes } = read(concat(start, mark(B, 1), mark(C, 2), end));
    assert.deepEqual(ids, ["a"]);
    assert.equal(tail.incompleteGroup?.byteStart, start.length);
    assert.equal(tail.incompleteGroup?.line, 3);
    assert.deepEqual(codes, [...(end === "" ? [] : ["TAIL_TORN"]), "COMMIT_INCOMPLETE"]);
    assert.equal(tail.torn === null, end === "");
  }
  const unterminated = read(concat(start, mark(B, 1), mark(C, 2).subarray(0, -1)));
  assert.deepEqual([unterminated.ids, unterminated.tail.unterminated], [["a"], false]);
  assert.equal(unterminated.tail.incompleteGroup?.byteStart, start.length);
});

test("whoever reads on starts again at the first line of the incomplete group", () => {
  const decoder = new SessionDecoder();
  readFile(decoder, concat(encodeHeader(HEADER), mark(A, 1)));
  assert.deepEqual(readFile(decoder, concat(mark(A, 1), mark(B, 2), mark(C, 3))).ids, [
    "a",
    "b",
    "c",
  ]);
});

test("an incomplete group with other lines behind it counts and is reported", () => {
  const followers: readonly (readonly [string | Uint8Array, readonly string[]])[] = [
    [jsonLines(message("x", "b")), ["x"]],
    [encodeEntry(message("x", "b")), ["x"]],
    ["rubbish\n", []],
    [jsonLines(HEADER), []],
    [mark(message("x", "b"), 1, { id: "h", n: 1 }), ["x"]],
    [mark(message("x", "b"), 3, { id: "h" }), ["x"]],
    [mark(message("x", "b"), 3, { n: 4 }), ["x"]],
    [mark(message("x", "b"), 2), ["x"]],
  ];
  for (const [follower, more] of followers) {
    const { ids, codes, tail } = read(
      concat(encodeHeader(HEADER), mark(A, 1), mark(B, 2), follower),
    );
    assert.deepEqual(ids, ["a", "b", ...more]);
    assert.equal(codes.includes("COMMIT_INCOMPLETE"), true);
    assert.equal(tail.incompleteGroup, null);
  }
});

test("blank lines do not part a group, a damaged line in it hides nobody (P7)", () => {
  assert.deepEqual(
    read(concat(encodeHeader(HEADER), mark(A, 1), "\n", mark(B, 2), mark(C, 3))).codes,
    [],
  );
  const changed = new TextDecoder().decode(mark(B, 2)).replace('"content":"b"', '"content":"X"');
  const { ids, codes } = read(concat(encodeHeader(HEADER), mark(A, 1), changed, mark(C, 3)));
  assert.deepEqual(ids, ["a", "b", "c"]);
  assert.deepEqual(codes, ["CRC_MISMATCH", "COMMIT_INCOMPLETE", "COMMIT_INCOMPLETE"]);
});

test("commit marks of wrong shapes are none", () => {
  const odd = [{ i: 0 }, { i: 4 }, { i: 1.5 }, { n: 0.5 }, { id: 5 as never }];
  for (const more of odd) {
    const { ids, decoded } = read(concat(encodeHeader(HEADER), mark(A, 1, more)));
    assert.deepEqual([ids, decoded[0]?.commit], [["a"], null]);
  }
  const none = encodeEntry(A, { commit: "x" as never });
  assert.equal(read(concat(encodeHeader(HEADER), none)).decoded[0]?.commit, null);
});

test("the tail: complete without newline, torn, blank, NULs (rows 2, 3, 10)", () => {
  const start = jsonLines(HEADER, A);
  const complete = read(start + JSON.stringify(B));
  assert.deepEqual(
    [complete.ids, complete.tail, complete.codes],
    [["a", "b"], { incompleteGroup: null, torn: null, unterminated: true }, []],
  );
  const rests: readonly (readonly [string, readonly string[]])[] = [
    ['{"type":"message","id":"b"', ["TAIL_TORN"]],
    ["42", ["TAIL_TORN"]],
    ["\u0000".repeat(4096), ["TAIL_TORN"]],
    [" ".repeat(4096), []],
  ];
  for (const [rest, codes] of rests) {
    const result = read(start + rest);
    assert.deepEqual([result.ids, result.codes], [["a"], codes]);
    const torn = { line: 3, byteStart: start.length, byteEnd: start.length + rest.length };
    assert.deepEqual(result.tail, { incompleteGroup: null, torn, unterminated: false });
  }
});

test("a complete record on an unfinished line counts, whatever else stands there (F003)", () => {
  const start = jsonLines(HEADER, A);
  for (const rest of [
    `${JSON.stringify(B)}J`,
    `{"type":"mess${JSON.stringify(B)}`,
    `${JSON.stringify(B)}{"type":"m`,
  ]) {
    const { ids, tail, lost } = read(start + rest);
    assert.deepEqual([ids, tail.unterminated, tail.torn, lost.length], [["a", "b"], true, null, 1]);
  }
});

test("torn and complete glued: our record keeps its key (M6, F003)", () => {
  const glued = concat(
    encodeHeader(HEADER),
    '{"type":"message","id":"t","parentId":null,"me',
    encodeEntry(A, { key: "k" }),
  );
  const { all, decoded, decoder } = read(glued);
  assert.deepEqual(
    all.map((one) => one.kind),
    ["lost", "entry"],
  );
  assert.deepEqual([decoded[0]?.entry, decoded[0]?.key, decoded[0]?.ours], [A, "k", true]);
  assert.equal(decoder.lastIsOurs, true);
});

test("a file of CR alone is one line with all its records (row 9)", () => {
  const { ids, codes, decoder } = read(jsonLines(HEADER, A, B).replaceAll("\n", "\r"));
  assert.deepEqual([decoder.header?.id, ids, codes], ["s1", ["a", "b"], ["LINE_CR_ONLY"]]);
});

const V1 = { type: "session", id: "s1", timestamp: TIME, cwd: "/p" };
const OLD = { type: "message", timestamp: TIME, message: { role: "user", content: "x" } };

const FILE = concat(
  encodeHeader(HEADER),
  encodeEntry(A),
  encodeEntry({ ...B, data: "é中😀" }),
  encodeEntry(C),
);

test("cut at every byte: a prefix, never a throw, never a change of what is left (F001, §8)", () => {
  const whole = read(FILE).entries;
  for (let length = 0; length <= FILE.length; length++) {
    const { entries, tail } = read(FILE.subarray(0, length));
    assert.deepEqual(entries, whole.slice(0, entries.length), String(length));
    const lineEnds = FILE.subarray(0, length).filter((byte) => byte === 0x0a).length;
    assert.ok(entries.length >= lineEnds - 1, String(length));
    assert.ok(tail.incompleteGroup === null, String(length));
  }
});

test("every flipped bit of our lines is reported and hides no other line (P7, §8)", () => {
  const lines = [
    encodeHeader(HEADER),
    encodeEntry(A),
    encodeEntry(B, { key: "k" }),
    encodeEntry(C),
  ];
  const starts = lines.map((_, index) => concat(...lines.slice(0, index)).length);
  const whole = concat(...lines);
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const damaged = Uint8Array.from(whole);
    const at = bit >> 3;
    damaged[at] = (damaged[at] as number) ^ (1 << (bit & 7));
    const hit = starts.findLastIndex((start) => start <= at);
    const { entries, codes } = read(damaged);
    assert.notDeepEqual(codes, [], `bit ${bit}`);
    for (const [index, entry] of [A, B, C].entries()) {
      if (index + 1 === hit) continue;
      assert.ok(
        entries.some((one) => JSON.stringify(one) === JSON.stringify(entry)),
        `bit ${bit}`,
      );
    }
  }
});

test("entries of any shape come back from a file of any commits", () => {
  const draft = fc.record({
    type: fc.constantFrom("future", "custom"),
    data: fc.jsonValue(),
    customType: fc.string(),
  });
  const commit = fc.array(draft, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(commit, { maxLength: 6 }), (commits) => {
      const wanted: unknown[] = [];
      const lines = [encodeHeader(HEADER)];
      for (const [number, drafts] of commits.entries()) {
        for (const [index, members] of drafts.entries()) {
          const entry = {
            ...members,
            id: `e${wanted.length}`,
            parentId: null,
            timestamp: TIME,
          } as Entry;
          wanted.push(JSON.parse(JSON.stringify(entry)));
          const group = { id: `g${number}`, i: index + 1, n: drafts.length };
          lines.push(encodeEntry(entry, drafts.length > 1 ? { commit: group } : {}));
        }
      }
      const { entries, codes } = read(concat(...lines));
      assert.deepEqual([entries, codes], [wanted, []]);
    }),
  );
});

test("any bytes and any mix of lines: no throw, every entry has an id, parent and time", () => {
  const lines = [
    ...jsonLines(HEADER, V1, A, B, {}, 5, OLD).split(/(?<=\n)/),
    "\u0000",
    "\uFEFF",
    "\r",
    '{"type":"',
  ].map(bytesOf);
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 30 }),
    fc.constantFrom(...lines, mark(A, 1), mark(B, 2), mark(C, 3)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
      const { entries } = read(Buffer.concat(pieces));
      for (const { id, parentId, timestamp } of entries) {
        assert.ok(typeof id === "string" && id !== "" && typeof timestamp === "string");
        assert.ok(parentId === null || typeof parentId === "string");
      }
    }),
    { numRuns: 2000 },
  );
});

test("an incomplete group tells its extent, and whether others wrote in or behind it", () => {
  const start = concat(encodeHeader(HEADER), encodeEntry(A));
  const [first, second] = [mark(B, 1), mark(C, 2)];
  const from = start.length;
  const extent = (...pieces: readonly (string | Uint8Array)[]): unknown =>
    read(concat(start, ...pieces)).tail.incompleteGroup;
  const whole = { line: 3, byteStart: from, byteEnd: from + first.length + second.length - 1 };
  assert.deepEqual(extent(first, second), { ...whole, parted: false });
  assert.deepEqual(extent(first, second.subarray(0, -1)), { ...whole, parted: false });
  assert.deepEqual(extent(first, second, "\n"), { ...whole, parted: true });
  const byteEnd = whole.byteEnd + 1;
  assert.deepEqual(extent(first, "\n", second), { ...whole, byteEnd, parted: true });
  const one = { line: 3, byteStart: from, byteEnd: from + first.length - 1 };
  assert.deepEqual(extent(first), { ...one, parted: false });
  assert.deepEqual(extent(first, " \n"), { ...one, parted: true });
  const { decoder } = read(concat(start, first, second));
  const [problem] = decoder.problems;
  assert.deepEqual([problem?.byteStart, problem?.byteEnd], [whole.byteStart, whole.byteEnd]);
  assert.equal(problem?.entryId, "b");
});

test("what ended does not part the group of whoever reads on", () => {
  const decoder = new SessionDecoder();
  readFile(decoder, concat(encodeHeader(HEADER), mark(A, 1), "\n"));
  const { tail } = readFile(decoder, mark(A, 1));
  assert.equal(tail.incompleteGroup?.parted, false);
});

test("a line that is too long is none of ours", () => {
  const decoder = new SessionDecoder();
  readFile(decoder, concat(encodeHeader(HEADER), encodeEntry(A)));
  assert.equal(decoder.lastIsOurs, true);
  decoder.push({ line: 3, byteStart: 0, byteEnd: 600_000_000, bytes: null, terminated: true });
  assert.equal(decoder.lastIsOurs, false);
});

test("a decoder that goes on in the middle of a file knows its header", () => {
  const decoder = SessionDecoder.resume(HEADER);
  assert.deepEqual([decoder.header, decoder.version, decoder.newer], [HEADER, 3, false]);
  const { ids, codes } = readFile(decoder, jsonLines(B, HEADER));
  assert.deepEqual([ids, codes], [["b"], ["HEADER_DUPLICATE"]]);
});

test("one line of a sound file is its entry; null where something else stands on it", () => {
  assert.deepEqual(readEntryLine(encodeEntry(A, { key: "k" })), A);
  assert.deepEqual(readEntryLine(bytesOf(JSON.stringify({ ...A, parentId: 5 }))), {
    ...A,
    parentId: UNREADABLE_PARENT,
  });
  const others = ["", "rubbish", "{}", JSON.stringify(HEADER), JSON.stringify(A).slice(0, -1)];
  for (const line of [...others, JSON.stringify(A).repeat(2), `${JSON.stringify(A)}x`])
    assert.equal(readEntryLine(bytesOf(line)), null, line);
});

test("the commit that a line names is read member by member", () => {
  const shape = { id: "g", i: 1, n: 2 };
  assert.deepEqual(commitOf({ ...shape, more: 1 }), shape);
  assert.deepEqual(commitOf({ ...shape, i: 2 }), { ...shape, i: 2 });
  for (const more of [{ id: 5 }, { i: "1" }, { n: "2" }, { i: 0 }, { i: 3 }, { i: 1.5 }])
    assert.equal(commitOf({ ...shape, ...more }), null);
  for (const value of [null, undefined, "g", 5]) assert.equal(commitOf(value), null);
});

test("only an unchanged line of ours is ours; what is wrong with a line names its place", () => {
  const start = encodeHeader(HEADER);
  const changed = new TextDecoder()
    .decode(encodeEntry(A))
    .replace('"content":"a"', '"content":"X"');
  const { decoded, decoder } = read(concat(start, changed, jsonLines(B), encodeEntry(C)));
  assert.deepEqual(
    decoded.map(({ ours }) => ours),
    [false, false, true],
  );
  const places = ({ problems }: SessionDecoder): unknown =>
    problems.map(({ code, line, byteStart, entryId }) => [code, line, byteStart, entryId]);
  assert.deepEqual(places(decoder), [["CRC_MISMATCH", 2, start.length, "a"]]);
  const orphan = read(concat(start, mark(B, 2)));
  assert.deepEqual(places(orphan.decoder), [["COMMIT_INCOMPLETE", 2, start.length, "b"]]);
  const numbered = read(concat(start, jsonLines({ ...A, id: 5 })));
  assert.deepEqual(places(numbered.decoder), [["LINE_NOT_ENTRY", 2, start.length, null]]);
});

test("without a header only entries as v1 wrote them make a file v1", () => {
  const { type, message: content } = A as Entry & { readonly message: unknown };
  const lostIds = (first: unknown): unknown =>
    read(`${jsonLines(first)}rubbish\n`).lost.map(({ id }) => id);
  assert.equal((lostIds({ type, message: content }) as string[]).length, 1);
  assert.notEqual((lostIds({ type, message: content }) as string[])[0], null);
  const others = [
    { type, id: "x", message: content },
    { type, parentId: "p", message: content },
    { type: "future" },
    { type: 5, message: content },
  ];
  for (const other of others)
    assert.ok(
      (lostIds(other) as unknown[]).every((id) => id === null),
      JSON.stringify(other),
    );
  assert.ok(UNREADABLE_PARENT.length > 256);
});
