import {
  answer,
  type DamagedCase,
  damaged,
  FOUR,
  file,
  four,
  join,
  line,
  user,
  WITHOUT_THREE,
} from "../damaged-case.ts";

const KEPT = "P7: what is readable is read";

/** Ends of files. */
export function tailCases(): DamagedCase[] {
  const blank = "a blank rest holds nothing, so nothing is torn";
  return [
    damaged("tail-crlf", "the last line alone ends in CRLF", {
      bytes: join(four().subarray(0, -1), "\r\n"),
      note: KEPT,
    }),
    damaged("tail-cr", "the last line ends in CR", {
      bytes: join(four().subarray(0, -1), "\r"),
      note: KEPT,
    }),
    damaged("tail-lf-cr", "LF CR at the end", {
      bytes: join(four(), "\r"),
      note: blank,
    }),
    damaged("tail-two-lf", "an empty last line", { bytes: join(four(), "\n"), note: KEPT }),
    damaged("tail-blank-lines", "blank lines between entries", {
      bytes: file([FOUR[0], "", ...FOUR.slice(1, 3), "  \t", "", ...FOUR.slice(3)]),
      note: KEPT,
    }),
    damaged("tail-spaces", "4 KB of spaces at the end", {
      bytes: join(four(), " ".repeat(4096)),
      note: blank,
    }),
    damaged("tail-nul-1", "one NUL at the end", {
      bytes: join(four(), Buffer.alloc(1)),
      problems: ["TAIL_TORN 6"],
      note: "R8",
    }),
    damaged("tail-nul-511", "511 NUL at the end", {
      bytes: join(four(), Buffer.alloc(511)),
      problems: ["TAIL_TORN 6"],
      note: "R8",
    }),
    damaged("tail-nul-line", "NUL bytes with a newline behind them", {
      bytes: join(four(), Buffer.alloc(64), "\n"),
      problems: ["LINE_NUL 6"],
      note: "R8",
    }),
    damaged("tail-nul-then-lines", "NUL bytes, then valid lines", {
      bytes: join(file(FOUR.slice(0, 3)), Buffer.alloc(300), file(FOUR.slice(3))),
      problems: ["LINE_NUL 4"],
      note: KEPT,
    }),
    damaged("tail-nul-after-record", "NUL bytes right behind the last record", {
      bytes: join(four().subarray(0, -1), Buffer.alloc(100)),
      problems: ["LINE_NUL 5"],
      note: KEPT,
    }),
    damaged("tail-two-records-one-line", "two complete records on one line", {
      bytes: file([...FOUR.slice(0, 3), `${FOUR[3]}${FOUR[4]}`]),
      problems: ["LINE_GLUED 4"],
      note: KEPT,
    }),
    damaged("tail-glued-without-newline", "two complete records on the last line, no newline", {
      bytes: join(file(FOUR.slice(0, 3)), FOUR[3], FOUR[4]),
      problems: ["LINE_GLUED 4"],
      note: KEPT,
    }),
    damaged("tail-record-then-stub", "a complete record, then the stub of the next, no newline", {
      bytes: join(file(FOUR.slice(0, 3)), FOUR[3], FOUR[4].slice(0, 60)),
      problems: ["LINE_NOT_JSON 4", "LINE_GLUED 4"],
      entries: 3,
      leaf: "c",
      context: ["one", "two", "three"],
      note: "a complete record is never lost with what is torn behind it",
    }),
    damaged("tail-same-record-twice", "the last record twice", {
      bytes: file([...FOUR, FOUR[4]]),
      problems: ["ID_DUPLICATE 6 d"],
      note: "first wins",
    }),
    damaged("tail-other-content", "the last record again with other content", {
      bytes: file([...FOUR, answer("d", "c", "FOUR")]),
      problems: ["ID_DUPLICATE 6 d"],
      note: "first wins",
    }),
    damaged("tail-header-only", "a header and nothing else", {
      bytes: file([FOUR[0]]),
      entries: 0,
      leaf: null,
      context: [],
      roots: [],
      note: "an empty session",
    }),
    damaged("tail-header-without-newline", "a header without its newline", {
      bytes: Buffer.from(FOUR[0]),
      entries: 0,
      leaf: null,
      context: [],
      roots: [],
      note: "an empty session",
    }),
    ...(["", "\n\n\n"] as const).map((text, index) =>
      damaged(`tail-nothing-${index + 1}`, index === 0 ? "an empty file" : "newlines alone", {
        bytes: Buffer.from(text),
        entries: 0,
        leaf: null,
        context: [],
        roots: [],
        error: "SESSION_INVALID",
        note: "no session; a typed refusal",
      }),
    ),
  ];
}

/** The third message with these bytes in place of its text. */
function withText(bytes: readonly number[]): Buffer {
  const [before, after] = FOUR[3].split("three") as [string, string];
  return four({ 4: join(before, Buffer.from(bytes), after) });
}

/** Bytes and characters. */
export function encodingCases(): DamagedCase[] {
  const invalid = (name: string, bytes: readonly number[], shown: string) =>
    damaged(`utf8-${name}`, `${name} UTF-8 sequence`, {
      bytes: withText(bytes),
      problems: ["LINE_INVALID_UTF8 4"],
      context: ["one", "two", shown, "four"],
      note: "flagged; the raw bytes stay on disk",
    });
  const text = (name: string, title: string, content: string) =>
    damaged(`text-${name}`, title, {
      bytes: four({ 4: user("c", "b", content) }),
      context: ["one", "two", content, "four"],
      note: "content, kept exactly",
    });
  return [
    damaged("bom-every-line", "a byte order mark before every line", {
      bytes: file(FOUR.map((each) => `\uFEFF${each}`)),
      problems: [1, 2, 3, 4, 5].map((at) => `LINE_BOM ${at}`),
      note: "accepted",
    }),
    damaged("utf16-file", "a file in UTF-16 with its mark", {
      bytes: Buffer.from(`\uFEFF${four()}`, "utf16le"),
      problems: [
        ...["LINE_INVALID_UTF8 1", "LINE_NUL 1", "LINE_NOT_JSON 1", "LINE_GLUED 1"],
        ...[2, 3, 4, 5].map((at) => `LINE_NUL ${at}`),
        "TAIL_TORN 6",
      ],
      note: "plain letters can still be read",
    }),
    invalid("overlong", [0xc0, 0xaf], "\uFFFD\uFFFD"),
    invalid("truncated", [0xe4, 0xb8], "\uFFFD"),
    invalid("surrogate", [0xed, 0xa0, 0x80], "\uFFFD\uFFFD\uFFFD"),
    invalid("stray-continuation", [0x80], "\uFFFD"),
    invalid("beyond-range", [0xf5, 0x80, 0x80, 0x80], "\uFFFD\uFFFD\uFFFD\uFFFD"),
    text("nul-escaped", "an escaped NUL", "a\u0000b"),
    text("vt-ff-escaped", "escaped VT and FF", "a\u000b\u000cb"),
    text("nel", "U+0085", "a\u0085b"),
    text("rtl-zero-width", "right-to-left and zero-width characters", "\u202eabc\u200b\u2066x"),
    text("nfd", "a decomposed character", "e\u0301 \u00e9"),
    text("chinese-emoji", "Chinese and an emoji of several code points", "方案 A 👩‍👩‍👧‍👦"),
    text("escape-sequences", "terminal escapes", "\u001b]52;c;YQ==\u0007\u001b[2J"),
    text("record-in-text", "a text that looks like a record", FOUR[4]),
    text("newline-escaped", "escaped newlines and a quoted brace", 'a\n{"type":"message"}\r\n}{'),
    damaged("raw-control-characters", "raw VT and FF inside a string", {
      bytes: withText([0x0b, 0x0c]),
      problems: ["LINE_NOT_JSON 4", "PARENT_MISSING 5 d"],
      ...WITHOUT_THREE,
      note: "no JSON; bridged exactly",
    }),
    damaged("raw-newline-in-string", "a raw newline inside a string", {
      bytes: four({ 4: FOUR[3].replace("three", "th\nree") }),
      problems: ["LINE_NOT_JSON 4", "LINE_NOT_JSON 5", "PARENT_MISSING 6 d"],
      ...WITHOUT_THREE,
      note: "no JSON; bridged exactly",
    }),
  ];
}

/** JSON that is odd or none. */
export function jsonCases(): DamagedCase[] {
  const values: readonly (readonly [string, string])[] = [
    ["true", "true"],
    ["number", "42"],
    ["string", '"s"'],
    ["array", "[]"],
    ["object", "{}"],
    ["minus-zero", "-0"],
  ];
  const broken: readonly (readonly [string, string])[] = [
    ["comment", "// a comment"],
    ["trailing-comma", '{"a":1,}'],
    ["nan", '{"a":NaN}'],
    ["single-quotes", "{'a':1}"],
    ["words", "npm warn deprecated"],
    ["closing-braces", "}}}}"],
    ["open-brackets", "[".repeat(5000)],
    ["open-objects", '{"a":'.repeat(3000)],
  ];
  const between = (bad: string): Buffer => file([...FOUR.slice(0, 3), bad, ...FOUR.slice(3)]);
  const names = ["constructor", "toString", "hasOwnProperty", "toJSON", "then", "length"];
  const members = Object.fromEntries(names.map((name) => [name, { x: 1 }]));
  return [
    ...values.map(([name, text]) =>
      damaged(`json-${name}`, `a line that is the JSON value ${text}`, {
        bytes: between(text),
        problems: ["LINE_NOT_ENTRY 4"],
        note: "quarantined; nothing hangs under it",
      }),
    ),
    ...broken.map(([name, text]) =>
      damaged(`json-${name}`, `a line that is no JSON: ${text.slice(0, 20)}`, {
        bytes: between(text),
        problems: ["LINE_NOT_JSON 4"],
        note: "quarantined; nothing hangs under it",
      }),
    ),
    damaged("json-member-names", "members with names of object methods", {
      bytes: four({
        4: line("message", "c", "b", {
          ...members,
          message: { ...members, role: "user", content: "three" },
        }),
      }),
      note: "members like others",
    }),
    damaged("json-duplicate-id-member", "the member id twice in one line", {
      bytes: four({ 4: FOUR[3].replace('"id":"c"', '"id":"x","id":"c"') }),
      note: "last one wins, as in JSON.parse",
    }),
    damaged("json-space-around", "spaces around and inside a line", {
      bytes: four({
        4: `  ${JSON.stringify(JSON.parse(FOUR[3]), null, 1).replaceAll("\n", " ")}\t`,
      }),
      note: "JSON all the same",
    }),
    damaged("json-pretty-printed", "an entry printed over several lines", {
      bytes: four({ 4: '{\n"type": "message"\n}' }),
      problems: ["LINE_NOT_JSON 4", "LINE_NOT_JSON 5", "LINE_NOT_JSON 6", "PARENT_MISSING 7 d"],
      ...WITHOUT_THREE,
      note: "each line is damage of its own",
    }),
    damaged("json-text-before-record", "words of another program before a record", {
      bytes: four({ 4: `warning: ${FOUR[3]}` }),
      problems: ["LINE_NOT_JSON 4", "LINE_GLUED 4"],
      note: "the record behind them is recovered",
    }),
    damaged("json-text-behind-record", "words of another program behind a record", {
      bytes: four({ 4: `${FOUR[3]} killed` }),
      problems: ["LINE_NOT_JSON 4", "LINE_GLUED 4"],
      note: "the record before them is kept",
    }),
  ];
}
