import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { V4Decoder } from "../../src/entry/v4-decoder.ts";
import { SessionTree } from "../../src/tree/session-tree.ts";
import { bytesOf, jsonLines, type ReadFile, readFile } from "../builders/read-lines.ts";

const HEADER = { v: 4, kind: "header", id: "s1", storageVersion: 1, createdAt: 1000, cwd: "/p" };
type Members = Readonly<Record<string, unknown>>;
type Result = ReadFile & { readonly decoder: V4Decoder; readonly tree: SessionTree };

function read(content: string | Uint8Array): Result {
  const decoder = new V4Decoder();
  const file = readFile(decoder, content);
  const tree = new SessionTree(decoder.header?.id ?? "");
  for (const entry of file.entries) tree.add(entry);
  return { ...file, decoder, tree };
}

let seq = 0;
const write = (members: object): Members => ({ ...members, seq: ++seq });
function entry(id: string, parentId: string | null, members: object = {}): Members {
  const message = { role: "user", content: id, timestamp: 5 };
  return write({
    kind: "entry",
    id,
    parentId,
    type: "message",
    message,
    timestamp: 2000,
    ...members,
  });
}
const value = (namespace: string, key: string, data: unknown): Members =>
  write({ kind: "value", op: "set", namespace, key, value: data });
const tip = (lane: string, id: unknown): Members => value("pi.branch.tip", lane, id);
const gone = (namespace: string, key: string): Members =>
  write({ kind: "value", op: "delete", namespace, key });
const file = (...lines: readonly unknown[]): string => jsonLines(HEADER, ...lines);
const byId = (result: Result, id: string): Members =>
  result.entries.find((one) => one.id === id) as unknown as Members;
const path = (result: Result, id: string | null): readonly string[] =>
  result.tree
    .path(id)
    .filter((at) => at.type === "message")
    .map((at) => at.id);
const types = (result: Result): readonly string[] => result.entries.map((one) => one.type);

test("the header becomes one of v3 and the session is read-only", () => {
  const { decoder, entries, codes } = read(
    jsonLines({ ...HEADER, nextSeq: 5, parentSessionId: "p" }),
  );
  const header = {
    type: "session",
    version: 3,
    id: "s1",
    timestamp: "1970-01-01T00:00:01.000Z",
    cwd: "/p",
  };
  assert.deepEqual(decoder.header, {
    ...header,
    storageVersion: 1,
    nextSeq: 5,
    parentSessionId: "p",
    parentSession: "p",
  });
  assert.deepEqual(
    [decoder.version, decoder.newer, decoder.lastIsOurs, decoder.hasKnownEntry],
    [4, true, false, false],
  );
  assert.deepEqual([entries, codes], [[], []]);
  const legacy = read(
    jsonLines({ ...HEADER, legacyParentSessionPath: "/x", parentSessionId: "p" }),
  );
  assert.equal(legacy.decoder.header?.parentSession, "/x");
});

test("odd headers are reported, never refused", () => {
  const odd = read(
    jsonLines({ ...HEADER, id: "../x", cwd: 5, createdAt: "x", storageVersion: 2 }, HEADER),
  );
  assert.deepEqual(odd.codes, ["HEADER_INVALID", "VERSION_NEWER", "HEADER_DUPLICATE"]);
  assert.deepEqual([odd.decoder.header?.cwd, odd.decoder.header?.timestamp], ["", ""]);
  assert.equal(read(jsonLines(entry("a", null))).decoder.header, null);
});

test("entries keep id, parent, message and further members; times become ISO", () => {
  const result = read(
    file(entry("a", null, { terminate: true }), [entry("b", "a", { parentId: 5, timestamp: "x" })]),
  );
  assert.deepEqual(byId(result, "a"), {
    id: "a",
    parentId: null,
    type: "message",
    message: { role: "user", content: "a", timestamp: 5 },
    timestamp: "1970-01-01T00:00:02.000Z",
    terminate: true,
  });
  assert.deepEqual([byId(result, "b").parentId, byId(result, "b").timestamp], [null, ""]);
  assert.equal(result.decoder.hasKnownEntry, true);
});

test("two named branches, each going on where it stood; the leaf is who wrote last", () => {
  const result = read(
    file(
      tip("main", null),
      [entry("a", null), tip("main", "a")],
      tip("alt", "a"),
      [entry("x", "a"), tip("alt", "x")],
      value("pi.entry.label", "a", "mark"),
      [entry("y", "x"), tip("alt", "y")],
      [entry("b", "a"), tip("main", "b")],
    ),
  );
  const branches = result.tree.branches();
  assert.deepEqual(
    branches.map((branch) => branch.name),
    ["main", "alt"],
  );
  assert.deepEqual(path(result, result.tree.head(result.tree.branch("alt")?.id ?? "")), [
    "a",
    "x",
    "y",
  ]);
  assert.deepEqual(path(result, result.tree.leaf()), ["a", "b"]);
  assert.equal(result.tree.leaf(), "b");
  assert.equal(result.tree.labels().get("a")?.label, "mark");
  assert.deepEqual(result.codes, []);
});

test("a lane that starts together with its entries starts above them", () => {
  const result = read(
    file(
      [entry("a", null), tip("main", "a")],
      [entry("x", "a"), entry("y", "x"), tip("alt", "y")],
      [entry("b", "a"), tip("main", "b")],
    ),
  );
  const alt = result.tree.branch("alt");
  assert.deepEqual([result.tree.branchOf("x"), result.tree.branchOf("y")], [alt?.id, alt?.id]);
  assert.deepEqual(path(result, "y"), ["a", "x", "y"]);
  assert.equal(result.tree.branchOf("b"), "main");
});

test("two lanes in one line each get their entries; parents in a circle end", () => {
  const start = [[entry("a", null), tip("main", "a")], tip("alt", "a")];
  const both = [
    entry("b", "a"),
    entry("c", "b"),
    tip("main", "c"),
    entry("x", "a"),
    tip("alt", "a"),
  ];
  const result = read(file(...start, both));
  assert.deepEqual(path(result, "c"), ["a", "b", "c"]);
  const circle = read(file([entry("a", "b"), entry("b", "a"), tip("main", "a")]));
  assert.deepEqual(new Set(circle.ids.slice(0, 2)), new Set(["a", "b"]));
});

test("the first lane is our main, under its own name", () => {
  const result = read(file([entry("a", null), tip("work", "a")]));
  assert.deepEqual(
    result.tree.branches().map((branch) => [branch.id, branch.name]),
    [["main", "work"]],
  );
});

test("a tip that moves elsewhere starts a branch of its own", () => {
  const start = [
    [entry("a", null), tip("main", "a")],
    [entry("b", "a"), tip("main", "b")],
  ];
  const result = read(file(...start, tip("main", "a"), [entry("c", "a"), tip("main", "c")]));
  assert.deepEqual(path(result, result.tree.leaf()), ["a", "c"]);
  assert.notEqual(result.tree.branchOf("c"), "main");

  const alt = read(
    file(...start, tip("alt", "b"), tip("alt", "a"), [entry("c", "a"), tip("alt", "c")]),
  );
  assert.equal(alt.tree.branch("alt")?.id, alt.tree.branchOf("c"));
  const reset = read(file(...start, tip("main", null)));
  assert.deepEqual(path(reset, reset.tree.leaf()), []);
});

test("a lane that goes is archived; tips that name nothing are reported", () => {
  const result = read(
    file(
      [entry("a", null), tip("main", "a")],
      tip("alt", "a"),
      gone("pi.branch.tip", "alt"),
      tip("main", "zz"),
    ),
  );
  assert.equal(result.tree.branch("alt")?.archived, true);
  assert.deepEqual([result.codes, result.decoder.problems[0]?.entryId], [["TARGET_MISSING"], "zz"]);
  const odd = read(file(tip("main", 5), gone("pi.branch.tip", "none")));
  assert.deepEqual(types(odd), ["custom", "custom"]);
});

test("name and labels: set, changed, deleted; also before any lane", () => {
  const result = read(
    file(
      entry("a", null),
      value("pi.session.name", "", "One"),
      value("pi.session.name", "", "Two"),
      value("pi.entry.label", "a", "l"),
      entry("b", "a"),
    ),
  );
  assert.equal(result.tree.name(), "Two");
  assert.equal(result.tree.labels().get("a")?.label, "l");
  assert.deepEqual(path(result, "b"), ["a", "b"]);
  const after = read(
    file(
      entry("a", null),
      value("pi.session.name", "", "One"),
      gone("pi.session.name", ""),
      value("pi.entry.label", "a", "l"),
      gone("pi.entry.label", "a"),
    ),
  );
  assert.deepEqual([after.tree.name(), after.tree.labels().size], [null, 0]);
  const odd = read(file(value("pi.session.name", "", 5), value("pi.entry.label", "a", {})));
  assert.deepEqual(types(odd), ["custom", "custom"]);
});

test("the settings of a lane stand on its path, each only when it changes", () => {
  const model = { provider: "p", modelId: "m" };
  const config = (lane: string, more: object = {}): Members =>
    value("pi.lane.config", lane, {
      model,
      thinkingLevel: "low",
      activeToolNames: ["read"],
      ...more,
    });
  const result = read(
    file(
      [entry("a", null), tip("main", "a")],
      config("main"),
      config("main"),
      config("main", { thinkingLevel: "high" }),
      tip("alt", "a"),
      config("alt", { model: { ...model, modelId: "other" } }),
      [entry("b", "a"), tip("main", "b")],
    ),
  );
  const settings = types(result).filter((type) => type.endsWith("_change"));
  assert.equal(settings.length, 4 + 3);
  const { fold } = result.tree.get("b") ?? assert.fail();
  assert.deepEqual([fold.model, fold.thinkingLevel, fold.activeTools], [model, "high", ["read"]]);
  const alt = result.tree.get(result.tree.head(result.tree.branch("alt")?.id ?? "") ?? "");
  assert.equal(alt?.fold.model?.modelId, "other");

  const early = read(file(config("main"), entry("a", null)));
  assert.equal(early.tree.get("a")?.fold.thinkingLevel, "low");
  const odd = { model: { provider: 1 }, thinkingLevel: 1, activeToolNames: [1] };
  assert.deepEqual(
    types(
      read(file(value("pi.lane.config", "m", odd), value("pi.lane.config", "m", { model: 1 }))),
    ),
    [],
  );
  assert.deepEqual(types(read(file(value("pi.lane.config", "m", 5)))), ["custom"]);
});

const USAGE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
const usage = (members: object): Members =>
  write({ kind: "usage", id: "u", usage: USAGE, ...members });

test("usage goes into its entry, stands alone, or is kept where it repeats", () => {
  const compaction = entry("c", "a", { type: "compaction", summary: "s", message: undefined });
  const result = read(
    file(
      [entry("a", null), usage({ entryId: "a" })],
      [compaction, usage({ entryId: "c" })],
      usage({ entryId: "a" }),
      usage({ entryId: "c" }),
      usage({}),
      usage({ entryId: "zz", adjustment: true, details: { source: "x" } }),
      usage({ adjustment: true, details: { source: "v3-import" } }),
      usage({ usage: 5 }),
      [entry("d", "c"), usage({ entryId: "d", usage: null })],
    ),
  );
  assert.deepEqual((byId(result, "a").message as Members).usage, USAGE);
  assert.deepEqual(byId(result, "c").usage, USAGE);
  const alone = result.entries.filter((one) => one.type === "usage") as unknown as Members[];
  assert.deepEqual(
    alone.map(({ kind, entryId, details }) => [kind, entryId, details]),
    [
      ["request", undefined, undefined],
      ["adjustment", "zz", { source: "x" }],
    ],
  );
  const kept = result.entries.filter((one) => one.type === "custom") as unknown as Members[];
  assert.equal(kept.length, 5);
  assert.equal(
    kept.every((one) => one.customType === "pi.v4.usage"),
    true,
  );
});

test("an entry that states its usage itself keeps it", () => {
  const own = { role: "user", content: "", usage: { input: 9 } };
  const result = read(file([entry("a", null, { message: own }), usage({ entryId: "a" })]));
  assert.deepEqual(byId(result, "a").message, own);
  assert.deepEqual(types(result), ["message", "custom"]);
});

function compacted(tail: unknown, details?: unknown): Members {
  const system = { role: "system", content: "S" };
  const lines = [
    entry("s", null, { message: system }),
    entry("a", "s"),
    entry("x", "a", { type: "custom", customType: "e", message: undefined }),
    entry("b", "x", { type: "branch_summary", summary: "B", fromId: "f", message: undefined }),
    entry("s2", "b", { message: system }),
    entry("c", "s2"),
    entry("z", "c", {
      type: "compaction",
      summary: "Z",
      retainedTail: tail,
      details,
      message: undefined,
    }),
  ];
  return byId(read(file(...lines)), "z");
}

test("a retained tail becomes the first kept entry where its messages stand above", () => {
  const [a, c] = ["a", "c"].map((content) => ({ role: "user", content, timestamp: 99 }));
  const b = { role: "branchSummary", summary: "B", fromId: "f", timestamp: 1 };
  const system = { role: "system", content: "S" };
  assert.equal(compacted([c]).firstKeptEntryId, "c");
  assert.equal(compacted([b, c]).firstKeptEntryId, "b");
  assert.equal(compacted([a, b, c]).firstKeptEntryId, "a");
  assert.equal(compacted([b, system, c]).firstKeptEntryId, "b");
  assert.equal(compacted([c], { d: 1 }).details !== undefined, true);
  assert.equal("retainedTail" in compacted([c]), false);
});

test("a tail that stands nowhere keeps nothing and stays in the details", () => {
  for (const none of [[], undefined, "x"]) {
    const compaction = compacted(none);
    assert.deepEqual([compaction.firstKeptEntryId, compaction.details], ["z", undefined]);
  }
  const c = { role: "user", content: "c" };
  const a = { role: "user", content: "a" };
  const tails = [
    [{ role: "user", content: "q" }],
    [c, c],
    [{}, a, { role: "branchSummary", summary: "B", fromId: "f" }, c],
    [5],
  ];
  for (const tail of tails) {
    assert.equal(compacted(tail).firstKeptEntryId, "z");
    assert.deepEqual(compacted(tail, { d: 1 }).details, { d: 1, retainedTail: tail });
    assert.deepEqual(compacted(tail, "text").details, { details: "text", retainedTail: tail });
    assert.deepEqual(compacted(tail).details, { retainedTail: tail });
  }
});

test("what has no meaning here is kept as custom entries with its data", () => {
  const others = [
    value("pi.lane.state", "main", { inbox: [] }),
    write({ kind: "list", op: "append", namespace: "n", key: "k", value: 1 }),
    write({ kind: "future", x: 1 }),
    write({ kind: "value", op: "set", namespace: 5 }),
    write({ kind: "value", op: "odd", namespace: "n", key: "k" }),
  ];
  const result = read(file(...others));
  const kept = result.entries as unknown as Members[];
  assert.deepEqual(
    kept.map((one) => one.customType),
    ["pi.v4.value", "pi.v4.list", "pi.v4.other", "pi.v4.value", "pi.v4.value"],
  );
  assert.deepEqual(
    kept.map((one) => one.data),
    others,
  );
  assert.deepEqual(read(file(...others)).ids, result.ids);
  assert.equal(new Set(result.ids).size, 5);
});

test("numbers of writes that do not grow are a finding, no refusal", () => {
  const result = read(
    file(
      { ...entry("a", null), seq: 5 },
      { ...entry("b", "a"), seq: 5 },
      { ...entry("c", "b"), seq: "6" },
    ),
  );
  assert.deepEqual(
    [result.ids, result.codes],
    [
      ["a", "b", "c"],
      ["SEQUENCE_BROKEN", "SEQUENCE_BROKEN"],
    ],
  );
});

test("bad lines and writes are reported with their place and hide nothing else", () => {
  const bad = [
    "rubbish",
    "5",
    '[5,{"kind":"entry"}]',
    "\u0000",
    "",
    `[${"[".repeat(2000)}${"]".repeat(2000)}]`,
  ].join("\n");
  const glued = `${JSON.stringify(entry("b", "a"))}${JSON.stringify(entry("c", "b"))}\n`;
  const result = read(`${file(entry("a", null))}${bad}\n${glued}`);
  assert.deepEqual(result.ids, ["a", "b", "c"]);
  assert.deepEqual(
    result.codes.filter((code) => code !== "SEQUENCE_BROKEN"),
    [
      "LINE_NOT_JSON",
      "LINE_NOT_ENTRY",
      "LINE_NOT_ENTRY",
      "LINE_NOT_ENTRY",
      "LINE_NUL",
      "LINE_TOO_DEEP",
      "LINE_GLUED",
    ],
  );
  assert.equal(result.lost.length, 5);
  const malformed = read(file(entry("a", null, { type: "custom" })));
  assert.deepEqual(
    [malformed.codes, malformed.decoder.hasKnownEntry],
    [["ENTRY_MALFORMED"], false],
  );
});

test("a line beyond the reader's limit is lost", () => {
  const decoder = new V4Decoder();
  const at = { line: 1, byteStart: 0, byteEnd: 9 };
  assert.equal(decoder.push({ ...at, bytes: null, terminated: true })[0]?.kind, "lost");
  assert.deepEqual(decoder.finish({ ...at, bytes: null, terminated: false }).tail.torn, at);
  assert.deepEqual(
    decoder.problems.map((problem) => problem.code),
    ["LINE_TOO_LONG", "TAIL_TORN"],
  );
});

test("the last line: whole without its newline it counts, torn it does not", () => {
  const start = file([entry("a", null), tip("main", "a")]);
  const whole = read(start + JSON.stringify([entry("b", "a"), tip("main", "b")]));
  assert.deepEqual([whole.tree.leaf(), whole.tail.unterminated, whole.codes], ["b", true, []]);
  for (const rest of ['[{"kind":"entry"', "42"]) {
    const torn = read(start + rest);
    assert.deepEqual([torn.tree.leaf(), torn.codes], ["a", ["TAIL_TORN"]]);
    assert.equal(torn.tail.torn?.byteStart, start.length);
  }
});

test("a file that grows: the leaf follows, and nothing is given twice", () => {
  const decoder = new V4Decoder();
  const leaves = (content: string): readonly string[] =>
    readFile(decoder, content)
      .entries.filter((one) => one.type === "leaf")
      .map((one) => one.parentId ?? "");
  assert.deepEqual(leaves(file([entry("a", null), tip("main", "a")])), ["a"]);
  assert.deepEqual(leaves(""), []);
});

test("cut at every byte and random bytes: no throw, a prefix of the messages", () => {
  const content = bytesOf(
    file([entry("a", null), tip("main", "a")], [entry("b", "a"), tip("main", "b")]),
  );
  for (let length = 0; length <= content.length; length++) {
    const ids = read(content.subarray(0, length)).ids.filter((id) => id.length === 1);
    assert.deepEqual(ids, ["a", "b"].slice(0, ids.length));
  }
  const lines = [
    ...file(entry("a", null), tip("m", "a"), usage({}), [1], {}).split(/(?<=\n)/),
    "\r",
    "[",
  ].map(bytesOf);
  const piece = fc.oneof(fc.uint8Array({ maxLength: 30 }), fc.constantFrom(...lines));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      read(Buffer.concat(pieces));
    }),
    { numRuns: 500 },
  );
});
