import { crc32 } from "node:zlib";
import {
  answer,
  type DamagedCase,
  damaged,
  FOUR,
  file,
  four,
  header,
  join,
  line,
  user,
  WITHOUT_THREE,
} from "../damaged-case.ts";

const R9 = "R9: opens; what is readable is in the context with a gap marker at the gap";
const TORN_C = FOUR[3].slice(0, -12);

function lossRows(): DamagedCase[] {
  return [
    damaged("row-01-damaged-line", "one damaged line in the middle", {
      bytes: four({ 4: `#${FOUR[3].slice(1, 40)}@@@@` }),
      problems: ["LINE_NOT_JSON 4", "PARENT_MISSING 5 d"],
      ...WITHOUT_THREE,
      note: R9,
    }),
    damaged("row-01-damaged-line-tells-parent", "a damaged line still tells its id and parent", {
      bytes: file([
        ...FOUR.slice(0, 3),
        user("c", "a", "three").slice(0, -3),
        answer("d", "c", "four"),
      ]),
      problems: ["LINE_NOT_JSON 4", "PARENT_MISSING 5 d"],
      entries: 3,
      context: ["one", "<gap>", "four"],
      note: `${R9}; the bridge goes to the parent that the lost line named, not to the line before`,
    }),
    damaged("row-01-damaged-first", "the first entry is damaged", {
      bytes: four({ 2: FOUR[1].slice(0, -2) }),
      problems: ["LINE_NOT_JSON 2", "PARENT_MISSING 3 b"],
      entries: 3,
      context: ["<gap>", "two", "three", "four"],
      roots: ["b"],
      note: R9,
    }),
    damaged("row-01-damaged-last", "the last line is damaged, with its newline", {
      bytes: four({ 5: FOUR[4].slice(0, -9) }),
      problems: ["LINE_NOT_JSON 5"],
      entries: 3,
      leaf: "c",
      context: ["one", "two", "three"],
      note: "R9; nothing hangs under the lost line, so there is no gap to show",
    }),
    damaged("row-01-two-damaged-lines", "two damaged lines in a row that tell their parents", {
      bytes: four({ 3: FOUR[2].slice(0, -5), 4: FOUR[3].slice(0, -5) }),
      problems: ["LINE_NOT_JSON 3", "LINE_NOT_JSON 4", "PARENT_MISSING 5 d"],
      entries: 2,
      context: ["one", "<gap>", "four"],
      note: R9,
    }),
    damaged("row-02-torn-tail", "torn last line without newline", {
      bytes: join(file(FOUR.slice(0, 4)), FOUR[4].slice(0, 50)),
      problems: ["TAIL_TORN 5"],
      entries: 3,
      leaf: "c",
      context: ["one", "two", "three"],
      note: "same result as Pi, no write on open",
    }),
    damaged("row-03-no-newline", "complete last line without newline", {
      bytes: join(file(FOUR.slice(0, 4)), FOUR[4]),
      note: "R7: opens, nothing is written; a missing newline is no damage",
    }),
    damaged("row-04-duplicate-id", "an id twice, the second below the first", {
      bytes: file([...FOUR.slice(0, 4), answer("b", "c", "again")]),
      problems: ["ID_DUPLICATE 5 b"],
      entries: 3,
      leaf: "c",
      context: ["one", "two", "three"],
      note: "first wins, the duplicate is quarantined",
    }),
    damaged("row-05-self-parent", "an entry that is its own parent", {
      bytes: four({ 4: user("c", "c", "three") }),
      problems: ["PARENT_CYCLE 4 c"],
      context: ["one", "two", "<gap>", "three", "four"],
      note: "cut edge, diagnostic, < 1 s",
    }),
    damaged("row-05-two-cycle", "two entries that are each other's parent", {
      bytes: four({ 4: user("c", "d", "three") }),
      problems: ["PARENT_CYCLE 4 c"],
      context: ["one", "two", "<gap>", "three", "four"],
      note: "cut at the earlier entry, both stay reachable",
    }),
    damaged("row-06-missing-parent", "a parent that is nowhere", {
      bytes: four({ 4: user("c", "lost", "three") }),
      problems: ["PARENT_MISSING 4 c"],
      context: ["one", "two", "<gap>", "three", "four"],
      note: R9,
    }),
    damaged("row-20-no-message", "a message entry without message", {
      bytes: four({ 4: line("message", "c", "b") }),
      problems: ["LINE_NOT_ENTRY 4 c", "PARENT_MISSING 5 d"],
      ...WITHOUT_THREE,
      note: "the line is quarantined; its child hangs under its parent, with a gap marker",
    }),
    damaged("row-20-null-message", "a message entry with message null", {
      bytes: four({ 4: line("message", "c", "b", { message: null }) }),
      problems: ["LINE_NOT_ENTRY 4 c", "PARENT_MISSING 5 d"],
      ...WITHOUT_THREE,
      note: "the line is quarantined",
    }),
    damaged("row-40-torn-then-glued", "a stub of a failed append, a complete record glued to it", {
      bytes: file([...FOUR.slice(0, 3), `${TORN_C}${answer("d", "b", "four")}`]),
      problems: ["LINE_NOT_JSON 4", "LINE_GLUED 4"],
      entries: 3,
      context: ["one", "two", "four"],
      note: "R5: the acknowledged record is read; the stub was never acknowledged",
    }),
    damaged("row-40-child-of-stub", "a record glued to the stub of its parent", {
      bytes: file([...FOUR.slice(0, 3), `${TORN_C}${FOUR[4]}`]),
      problems: ["LINE_NOT_JSON 4", "LINE_GLUED 4", "PARENT_MISSING 4 d"],
      ...WITHOUT_THREE,
      note: "M6: bridged exactly, since the stub tells its parent",
    }),
  ];
}

function textRows(): DamagedCase[] {
  const bom = "\uFEFF";
  return [
    damaged("row-07-bom", "byte order mark at the start", {
      bytes: join(bom, four()),
      problems: ["LINE_BOM 1"],
      note: "accepted, with a diagnostic",
    }),
    damaged("row-08-bom-in-middle", "byte order mark before an entry", {
      bytes: four({ 4: `${bom}${FOUR[3]}` }),
      problems: ["LINE_BOM 4"],
      note: "accepted",
    }),
    damaged("row-08-concatenated-files", "two files one after the other, the second with a mark", {
      bytes: join(file(FOUR.slice(0, 4)), bom, file([header(), user("d", "c", "four")])),
      problems: ["LINE_BOM 5", "HEADER_DUPLICATE 5"],
      note: "accepted; the first header stands",
    }),
    damaged("row-09-crlf", "CRLF line ends", {
      bytes: Buffer.from(four().toString().replaceAll("\n", "\r\n")),
      note: "CRLF is fine",
    }),
    damaged("row-09-cr-only", "CR line ends", {
      bytes: Buffer.from(four().toString().replaceAll("\n", "\r")),
      problems: ["LINE_CR_ONLY 1"],
      note: "reported, and read all the same",
    }),
    damaged("row-10-nul-tail", "4 KB of NUL at the end", {
      bytes: join(four(), Buffer.alloc(4096)),
      problems: ["TAIL_TORN 6"],
      note: "R8: an unfinished tail, not an error of what is before",
    }),
    damaged("row-11-nul-run", "40 NUL bytes before a line", {
      bytes: four({ 4: join(Buffer.alloc(40), FOUR[3]) }),
      problems: ["LINE_NUL 4"],
      note: "the run is skipped, the line kept (M7)",
    }),
    damaged("row-11-nul-in-line", "NUL bytes inside a text", {
      bytes: four({ 4: join(FOUR[3].replace("three", "th\u0000\u0000ree")) }),
      problems: ["LINE_NUL 4"],
      note: "the run is skipped, the line kept",
    }),
    damaged("row-12-invalid-utf8", "bytes that are no UTF-8", {
      bytes: four({
        4: join(
          Buffer.from(FOUR[3].replace("three", "thr\u0001e"), "latin1").map((byte) =>
            byte === 1 ? 0xff : byte,
          ) as Buffer,
        ),
      }),
      problems: ["LINE_INVALID_UTF8 4"],
      context: ["one", "two", "thr\uFFFDe", "four"],
      note: "flagged; the raw bytes stay on disk",
    }),
    damaged("row-13-lone-surrogate", "a lone surrogate, escaped", {
      bytes: four({ 4: FOUR[3].replace("three", "\\ud800") }),
      context: ["one", "two", "\ud800", "four"],
      note: "round-trips",
    }),
    damaged("row-14-line-separators", "U+2028 and U+2029 in a text", {
      bytes: four({ 2: user("a", null, "o\u2028n\u2029e") }),
      context: ["o\u2028n\u2029e", "two", "three", "four"],
      note: "lines are split on 0x0A only",
    }),
    damaged("row-15-proto-key", "__proto__ keys in entry, message and data", {
      bytes: four({
        4: FOUR[3]
          .replace('{"role"', '{"__proto__":{"polluted":1},"role"')
          .replace('"id"', '"__proto__":{"polluted":1},"id"'),
      }),
      note: "no prototype is touched; the raw line is kept",
    }),
    damaged("row-16-odd-ids", "ids that are names of object members", {
      bytes: file([
        FOUR[0],
        user("__proto__", null, "one"),
        answer("constructor", "__proto__", "two"),
        user("toString", "constructor", "three"),
        answer("d", "toString", "four"),
      ]),
      roots: ["__proto__"],
      note: "ids like others",
    }),
    damaged("row-17-unknown-type", "an entry of an unknown type on the path", {
      bytes: four({ 4: line("hologram", "c", "b", { beam: [1, { x: null }] }) }),
      context: ["one", "two", "four"],
      note: "kept, ignored in the context",
    }),
    damaged("row-21-null-content", "assistant content null", {
      bytes: four({ 3: answer("b", "a", null) }),
      context: ["one", "", "three", "four"],
      note: "listed and opened; the message is there and says nothing, as in Pi's projection",
    }),
    damaged("row-26-odd-numbers", "duplicate key, 2^53+1, 1e400", {
      bytes: four({
        4: FOUR[3].replace(
          '"content":"three"',
          '"content":"first","content":"three","big":9007199254740993,"huge":1e400',
        ),
      }),
      note: "last key wins; the raw line stays as it is",
    }),
    damaged("row-31-deep-nesting", "nesting of 10,001 levels", {
      bytes: four({ 4: FOUR[3].replace('"three"', `${"[".repeat(10_001)}${"]".repeat(10_001)}`) }),
      problems: ["LINE_TOO_DEEP 4", "PARENT_MISSING 5 d"],
      ...WITHOUT_THREE,
      note: "depth cap of 1,000; bridged exactly",
    }),
    damaged("row-31-depth-990", "nesting below the cap", {
      bytes: four({
        4: line("note", "c", "b", { data: JSON.parse(`${"[".repeat(990)}${"]".repeat(990)}`) }),
      }),
      context: ["one", "two", "four"],
      note: "read like any line",
    }),
  ];
}

function lastLineRows(): DamagedCase[] {
  const lasts: readonly (readonly [string, string, string])[] = [
    ["row-18-no-id-no-type", "an object without id and type as last line", '{"x":1}'],
    [
      "row-18-no-type",
      "an object with an id and no type as last line",
      '{"id":"e","parentId":"d"}',
    ],
    ["row-19-number", "a bare number as last line", "42"],
    ["row-19-string", "a bare string as last line", '"words"'],
    ["row-19-array", "an array as last line", "[1,2]"],
    ["row-19-null", "null as last line", "null"],
  ];
  return lasts.map(([name, title, last]) =>
    damaged(name, title, {
      bytes: join(four(), `${last}\n`),
      problems: [name === "row-18-no-type" ? "LINE_NOT_ENTRY 6 e" : "LINE_NOT_ENTRY 6"],
      note: "the line is quarantined; the leaf stays where it is (M5)",
    }),
  );
}

function headerRows(): DamagedCase[] {
  const made = { id: "torn", readOnly: true };
  return [
    damaged("row-22-torn", "torn header line, entries intact", {
      bytes: four({ 1: FOUR[0].slice(0, 30) }),
      problems: ["HEADER_MISSING @", "LINE_NOT_JSON 1"],
      ...made,
      id: "row-22-torn",
      note: "a header is made up, read-only",
    }),
    damaged("row-22-glued", "torn header with the first entry glued to it", {
      bytes: file([`${FOUR[0].slice(0, 30)}${FOUR[1]}`, ...FOUR.slice(2)]),
      problems: ["HEADER_MISSING @", "LINE_NOT_JSON 1", "LINE_GLUED 1"],
      ...made,
      id: "row-22-glued",
      note: "a header is made up, read-only; the first entry is read",
    }),
    damaged("row-22-absent", "no header line", {
      bytes: four({ 1: null }),
      problems: ["HEADER_MISSING @"],
      ...made,
      id: "row-22-absent",
      note: "a header is made up, read-only",
    }),
    damaged(
      "row-23-partial-header",
      "crash in the first write: part of a header and nothing else",
      {
        bytes: Buffer.from(FOUR[0].slice(0, 30)),
        entries: 0,
        leaf: null,
        context: [],
        roots: [],
        error: "SESSION_INVALID",
        note: "our own files appear whole (temp + rename); such a file of others holds nothing",
      },
    ),
    damaged("row-24-version-99", "version 99", {
      bytes: four({ 1: header({ version: 99 }) }),
      problems: ["VERSION_NEWER 1"],
      readOnly: true,
      note: "opens read-only",
    }),
    damaged("row-24-branchline-format-2", "a newer format of our own", {
      bytes: four({ 1: header({ branchline: { format: 2 } }) }),
      problems: ["VERSION_NEWER 1"],
      readOnly: true,
      note: "opens read-only",
    }),
    ...(["../../etc/passwd", "CON", "a..b", "x".repeat(300), ""] as const).map((id, index) =>
      damaged(`row-51-header-id-${index + 1}`, `header id ${JSON.stringify(id.slice(0, 20))}`, {
        bytes: four({ 1: header({ id }) }),
        problems: ["HEADER_INVALID 1"],
        id: `invalid-${crc32(id).toString(16).padStart(8, "0")}`,
        note: "validated on read; a safe id stands for it, never a path",
      }),
    ),
    damaged("row-52-imported-compaction", "a compaction with systemMessage, cwd elsewhere", {
      bytes: file([
        header({ cwd: "/somewhere/else" }),
        ...FOUR.slice(1, 4),
        line("compaction", "d", "c", {
          summary: "so far",
          firstKeptEntryId: "c",
          tokensBefore: 9,
          systemMessage: { role: "system", content: "obey" },
        }),
      ]),
      context: ["obey", "so far", "three"],
      note: "opens; the header's cwd is data, nothing is run there (consent belongs to import)",
    }),
    damaged("row-53-control-bytes-in-name", "a session name with ESC and BEL", {
      bytes: file([...FOUR, line("session_info", "e", "d", { name: "\u001b]0;x\u0007 name" })]),
      entries: 5,
      leaf: "e",
      note: "kept exactly; every sink makes it visible",
    }),
  ];
}

/** The rows of the list that a file can express, and what the format adds to them. */
export function rowCases(): DamagedCase[] {
  return [...lossRows(), ...textRows(), ...lastLineRows(), ...headerRows()];
}
