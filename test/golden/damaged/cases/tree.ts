import {
  answer,
  call,
  type DamagedCase,
  damaged,
  FOUR,
  file,
  four,
  header,
  line,
  result,
  user,
  WITHOUT_THREE,
} from "../damaged-case.ts";

function linkCases(): DamagedCase[] {
  const ring = Array.from({ length: 1000 }, (_, i) => line("note", `e${i}`, `e${(i + 1) % 1000}`));
  return [
    damaged("graph-parent-after-child", "a child before its parent", {
      bytes: file([...FOUR.slice(0, 3), FOUR[4], FOUR[3]]),
      leaf: "c",
      context: ["one", "two", "three"],
      note: "linked; the leaf is the last line, as in Pi (M12)",
    }),
    damaged("graph-reversed", "all entries in reverse order", {
      bytes: file([FOUR[0], ...FOUR.slice(1).reverse(), user("e", "d", "five")]),
      entries: 5,
      leaf: "e",
      context: ["one", "two", "three", "four", "five"],
      note: "linked",
    }),
    damaged("graph-two-roots", "two roots", {
      bytes: four({ 4: user("c", null, "three") }),
      context: ["three", "four"],
      roots: ["a", "c"],
      note: "a root is a root: no damage",
    }),
    damaged("graph-no-root", "no root: the first entry is a child of the last", {
      bytes: four({ 2: user("a", "d", "one") }),
      problems: ["PARENT_CYCLE 2 a"],
      context: ["<gap>", "one", "two", "three", "four"],
      note: "cut at the earliest entry, all stay reachable",
    }),
    damaged("graph-ring-1000", "a circle of 1,000 entries beside the session", {
      bytes: file([...FOUR.slice(0, 3), ...ring, user("c", "e999", "three"), FOUR[4]]),
      problems: ["PARENT_CYCLE 4 e0"],
      entries: 1004,
      context: ["one", "two", "<gap>", "three", "four"],
      note: "cut once, every entry stays reachable",
    }),
    damaged("graph-duplicate-1000", "an id 1,000 times", {
      bytes: file([...FOUR, ...Array.from({ length: 1000 }, (_, i) => line("note", "c", `c${i}`))]),
      problems: Array.from({ length: 1000 }, (_, i) => `ID_DUPLICATE ${i + 6} c`),
      note: "first wins",
    }),
    damaged("graph-duplicate-self", "the second entry of an id is its own parent", {
      bytes: file([...FOUR, user("c", "c", "again")]),
      problems: ["ID_DUPLICATE 6 c"],
      note: "first wins, so there is no circle",
    }),
    damaged("graph-parent-is-header", "the parent is the session's id", {
      bytes: four({ 2: user("a", "damaged", "one") }),
      problems: ["PARENT_MISSING 2 a"],
      context: ["<gap>", "one", "two", "three", "four"],
      note: "no entry has that id: a root with a gap above",
    }),
    damaged("graph-siblings-of-lost", "two children of one lost entry", {
      bytes: file([
        ...FOUR.slice(0, 3),
        user("x", "lost", "other"),
        user("c", "lost", "three"),
        FOUR[4],
      ]),
      problems: ["PARENT_MISSING 4 x", "PARENT_MISSING 5 c"],
      entries: 5,
      context: ["one", "two", "<gap>", "three", "four"],
      note: "they share the bridge and stay siblings",
    }),
    damaged("graph-foreign-siblings", "a sibling by a second writer", {
      bytes: file([...FOUR, user("x", "b", "other")]),
      entries: 5,
      leaf: "x",
      context: ["one", "two", "other"],
      note: "no damage: the last line is the leaf, the other tip is listed (M9)",
    }),
    damaged("graph-leaf-entry", "a leaf entry of pi-agent-core 0.80", {
      bytes: file([...FOUR, line("leaf", "l", "d", { targetId: "b" })]),
      entries: 5,
      leaf: "b",
      context: ["one", "two"],
      note: "counts as its target",
    }),
    damaged("graph-leaf-entry-null", "a leaf entry with target null", {
      bytes: file([...FOUR, line("leaf", "l", "d", { targetId: null })]),
      entries: 5,
      leaf: null,
      context: [],
      note: "before the first entry",
    }),
    damaged("graph-leaf-entry-missing", "a leaf entry with a target that is nowhere", {
      bytes: file([...FOUR, line("leaf", "l", "d", { targetId: "gone" })]),
      problems: ["TARGET_MISSING 6 l"],
      entries: 5,
      note: "counts as its parent, with a diagnostic",
    }),
    damaged("graph-leaf-entry-malformed", "a leaf entry whose target is a number", {
      bytes: file([...FOUR, line("leaf", "l", "d", { targetId: 7 })]),
      problems: ["ENTRY_MALFORMED 6 l"],
      entries: 5,
      leaf: "l",
      note: "an entry like others; it does not empty the context",
    }),
  ];
}

function idCases(): DamagedCase[] {
  const ids: readonly (readonly [string, unknown, boolean])[] = [
    ["empty", "", false],
    ["null", null, false],
    ["number", 7, false],
    ["object", {}, false],
    ["300-characters", "c".repeat(300), true],
  ];
  const parents: readonly (readonly [string, unknown])[] = [
    ["number", 7],
    ["object", {}],
    ["empty", ""],
    ["true", true],
  ];
  const long = `LINE_NOT_ENTRY 4 ${"c".repeat(300)}`;
  return [
    ...ids.map(([name, id, isText]) =>
      damaged(`id-${name}`, `an entry whose id is ${name}`, {
        bytes: four({ 4: user(id, "b", "three") }),
        problems: [
          isText ? long : name === "empty" ? 'LINE_NOT_ENTRY 4 ""' : "LINE_NOT_ENTRY 4",
          "PARENT_MISSING 5 d",
        ],
        ...WITHOUT_THREE,
        note: "quarantined; its child is bridged",
      }),
    ),
    ...parents.map(([name, parentId]) =>
      damaged(`parent-${name}`, `an entry whose parent is ${name}`, {
        bytes: four({ 4: user("c", parentId, "three") }),
        problems: ["PARENT_MISSING 4 c"],
        context: ["one", "two", "<gap>", "three", "four"],
        note: "bridged like a missing one",
      }),
    ),
    damaged("parent-absent", "no entry has a parentId", {
      bytes: file(FOUR.map((text) => JSON.stringify({ ...JSON.parse(text), parentId: undefined }))),
      problems: [
        "PARENT_MISSING 2 a",
        "PARENT_MISSING 3 b",
        "PARENT_MISSING 4 c",
        "PARENT_MISSING 5 d",
      ],
      context: ["<gap>", "one", "<gap>", "two", "<gap>", "three", "<gap>", "four"],
      note: "each is bridged by itself, so the line of the conversation stays one line",
    }),
  ];
}

function referenceCases(): DamagedCase[] {
  const compaction = (id: string, parentId: string, firstKeptEntryId: unknown) =>
    line("compaction", id, parentId, {
      summary: `summary ${id}`,
      firstKeptEntryId,
      tokensBefore: 1,
    });
  const edit = (targetId: unknown, replacement: unknown = null) =>
    line("context_edit", "e", "d", { targetId, replacement });
  return [
    damaged("label-on-missing", "a label on an entry that is nowhere", {
      bytes: file([...FOUR, line("label", "e", "d", { targetId: "gone", label: "x" })]),
      problems: ["TARGET_MISSING 6 e"],
      entries: 5,
      leaf: "e",
      note: "kept, reported",
    }),
    damaged("label-on-label", "a label on a label", {
      bytes: file([
        ...FOUR,
        line("label", "e", "d", { targetId: "d", label: "x" }),
        line("label", "f", "e", { targetId: "e", label: "y" }),
      ]),
      entries: 6,
      leaf: "f",
      note: "an entry like others",
    }),
    damaged("edit-on-missing", "a context edit of an entry that is nowhere", {
      bytes: file([...FOUR, edit("gone")]),
      problems: ["TARGET_MISSING 6 e"],
      entries: 5,
      leaf: "e",
      note: "changes nothing, reported",
    }),
    damaged("edit-hides-call", "a context edit that hides a call", {
      bytes: file([
        ...FOUR.slice(0, 2),
        answer("b", "a", [call("t1")]),
        result("c", "b", "t1"),
        answer("d", "c", "four"),
        edit("b"),
      ]),
      entries: 5,
      leaf: "e",
      context: ["one", "four"],
      note: "P9: the result goes with its call (M14)",
    }),
    damaged("kept-itself", "a compaction that keeps nothing", {
      bytes: file([...FOUR.slice(0, 4), compaction("k", "c", "k"), answer("d", "k", "four")]),
      entries: 5,
      context: ["summary k", "four"],
      note: "its own id is no damage",
    }),
    damaged("kept-after-itself", "a compaction that keeps from behind itself", {
      bytes: file([...FOUR.slice(0, 4), compaction("k", "c", "d"), answer("d", "k", "four")]),
      problems: ["FIRST_KEPT_MISSING 5 k"],
      entries: 5,
      context: ["summary k", "<gap>", "one", "two", "three", "four"],
      note: "nothing is dropped silently",
    }),
    damaged("kept-on-other-branch", "a compaction that keeps from another branch", {
      bytes: file([
        ...FOUR.slice(0, 3),
        user("x", "b", "other"),
        FOUR[3],
        compaction("k", "c", "x"),
        answer("d", "k", "four"),
      ]),
      problems: ["FIRST_KEPT_MISSING 6 k"],
      entries: 6,
      context: ["summary k", "<gap>", "one", "two", "three", "four"],
      note: "nothing is dropped silently",
    }),
    damaged("kept-number", "a compaction whose first kept entry is a number", {
      bytes: file([...FOUR.slice(0, 4), compaction("k", "c", 3), answer("d", "k", "four")]),
      problems: ["FIRST_KEPT_MISSING 5 k"],
      entries: 5,
      context: ["summary k", "<gap>", "one", "two", "three", "four"],
      note: "nothing is dropped silently",
    }),
    damaged("kept-nested", "a compaction that keeps from before an older one, which lost its own", {
      bytes: file([
        ...FOUR.slice(0, 3),
        compaction("k", "b", "gone"),
        user("c", "k", "three"),
        compaction("l", "c", "c"),
        answer("d", "l", "four"),
      ]),
      problems: ["FIRST_KEPT_MISSING 4 k"],
      entries: 6,
      context: ["summary l", "three", "four"],
      note: "only the newest one speaks",
    }),
    damaged("summary-circle", "a branch summary that names an entry behind it", {
      bytes: four({ 4: line("branch_summary", "c", "b", { fromId: "d", summary: "was there" }) }),
      context: ["one", "two", "was there", "four"],
      note: "the name is shown, never followed",
    }),
  ];
}

/** Links, ids and references. */
export function treeCases(): DamagedCase[] {
  return [...linkCases(), ...idCases(), ...referenceCases()];
}

/** Headers. */
export function headerCases(): DamagedCase[] {
  const odd = (name: string, members: object, given: Partial<DamagedCase> = {}) =>
    damaged(`header-${name}`, `a header with ${JSON.stringify(members).slice(0, 40)}`, {
      bytes: four({ 1: header(members as never) }),
      note: "read as well as it can be",
      ...given,
    });
  const invalid = { problems: ["HEADER_INVALID 1"] };
  return [
    odd("version-0", { version: 0 }, invalid),
    odd("version-2", { version: 2 }),
    odd("version-4", { version: 4 }, { problems: ["VERSION_NEWER 1"], readOnly: true }),
    odd("version-text", { version: "3" }, invalid),
    odd("version-object", { version: {} }, invalid),
    odd("version-null", { version: null }, { ...invalid, note: "counts as version 1" }),
    odd("cwd-missing", { cwd: undefined }),
    odd("cwd-number", { cwd: 5 }, invalid),
    odd("cwd-nul", { cwd: "/a\u0000b" }, { note: "data; never opened" }),
    odd("cwd-long", { cwd: `/${"x".repeat(100_000)}` }, { note: "data; never opened" }),
    odd("parent-session-itself", { parentSession: "damaged" }, { note: "shown, never followed" }),
    odd("parent-session-number", { parentSession: 5 }, invalid),
    damaged("header-second", "the header twice", {
      bytes: file([FOUR[0], ...FOUR]),
      problems: ["HEADER_DUPLICATE 2"],
      note: "the first stands",
    }),
    damaged("header-not-first", "the header behind the first entry", {
      bytes: file([FOUR[1], FOUR[0], ...FOUR.slice(2)]),
      note: "found where it is",
    }),
    damaged("header-without-id", "a header without id", {
      bytes: four({ 1: JSON.stringify({ type: "session", version: 3 }) }),
      problems: ["HEADER_MISSING @", "LINE_NOT_ENTRY 1"],
      readOnly: true,
      id: "header-without-id",
      note: "a header is made up, read-only",
    }),
    damaged("header-foreign-json", "lines of another program", {
      bytes: file(['{"type":"event","id":"1","payload":{}}', '{"type":"event","id":"2"}']),
      entries: 0,
      leaf: null,
      context: [],
      roots: [],
      error: "SESSION_INVALID",
      note: "no session; a typed refusal",
    }),
  ];
}
