import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CountingFileSystem } from "../../../test/builders/counting-file-system.ts";
import type { Entry } from "../../entry/entry.ts";
import { encodeEntry, encodeHeader } from "../../entry/line-encode.ts";
import { AppendFile } from "../../io/append-file.ts";
import { MemoryFileSystem } from "../../io/testing/memory-file-system.ts";
import { READING_LIMITS, type ReadingLimits } from "./environment.ts";
import { type FileTail, readTail } from "./tail-reader.ts";
import { piHeader, piLine } from "./testing/memory-fixture.ts";

const PATH = "/s.jsonl";

interface Read {
  readonly tail: FileTail | null;
  readonly bytesRead: number;
}

async function read(
  lines: readonly (string | Uint8Array)[],
  limits: Partial<ReadingLimits> = {},
): Promise<Read> {
  const memory = new MemoryFileSystem();
  memory.place(PATH, "file", Buffer.concat(lines.map((line) => Buffer.from(line))));
  const counting = new CountingFileSystem(memory);
  const file = await AppendFile.open(counting.fileSystem, PATH, { mode: "read" });
  const { value, work } = await counting.during(() =>
    readTail(file, { ...READING_LIMITS, ...limits }),
  );
  await file.close();
  return { tail: value, bytesRead: work.bytesRead };
}

const time = "2026-01-02T03:04:05.678Z";
const line = (id: string, parentId: string | null, members: object): string =>
  `${JSON.stringify({ id, parentId, timestamp: time, ...members })}\n`.replace(
    /^\{(.*?),("type":"[a-z_]+")/,
    "{$2,$1",
  );
const answer = (id: string, parentId: string): string =>
  line(id, parentId, {
    type: "message",
    message: { role: "assistant", provider: "p", model: "m" },
  });
const compaction = (id: string, parentId: string, firstKeptEntryId: string): string =>
  line(id, parentId, { type: "compaction", summary: "s", firstKeptEntryId, tokensBefore: 1 });
const level = (id: string, parentId: string | null, thinkingLevel = "high"): string =>
  line(id, parentId, { type: "thinking_level_change", thinkingLevel });
const tools = (id: string, parentId: string | null): string =>
  line(id, parentId, { type: "active_tools_change", activeToolNames: ["read"] });
const say = (id: string, parentId: string | null, text = "x"): string => piLine(id, parentId, text);
const head = piHeader("s");
const ids = (tail: FileTail | null): readonly string[] | undefined =>
  tail?.entries.map(({ id }) => id);

/** A sound session with a compaction that keeps b4. */
const SESSION = [
  head,
  tools("b1", null),
  level("b2", "b1"),
  say("b3", "b2"),
  say("b4", "b3"),
  say("x1", "b3", "another branch"),
  compaction("b5", "b4", "b4"),
  answer("b6", "b5"),
];

describe("readTail", () => {
  it("follows the path up to the first kept entry, and further for the settings", async () => {
    const { tail } = await read(SESSION);
    assert.deepEqual(ids(tail), ["b6", "b5", "b4"]);
    assert.equal(tail?.header.id, "s");
    const found = { activeTools: ["read"], thinkingLevel: "high" };
    assert.deepEqual(tail?.above, { found, unproven: [] });
  });

  it("takes the whole path where nothing cuts it", async () => {
    const { tail } = await read([head, say("a", null), say("b", "a"), say("c", "b")]);
    assert.deepEqual([ids(tail), tail?.above], [["c", "b", "a"], null]);
  });

  it("needs nothing above where the end sets everything", async () => {
    const lines = [...SESSION, level("b7", "b6"), tools("b8", "b7")];
    assert.deepEqual((await read(lines)).tail?.above, { found: {}, unproven: [] });
  });

  it("says which settings it did not look for up to the root", async () => {
    const filler = Array.from({ length: 2000 }, (_, at) =>
      say(`f${at}`, at === 0 ? "b2" : `f${at - 1}`, "x".repeat(200)),
    );
    const lines = [
      head,
      tools("b1", null),
      level("b2", "b1"),
      ...filler,
      compaction("c", "f1999", "f1999"),
      level("d", "c"),
    ];
    const { tail } = await read(lines, { settings: 1 });
    // Most likely they are as the session began.
    assert.deepEqual(tail?.above, {
      found: { model: null, activeTools: ["read"] },
      unproven: ["model", "activeTools"],
    });
    const torn = [head, tools("b1", null), say("b2", "b0"), ...lines.slice(2)];
    assert.equal((await read(torn)).tail, null, "above, b2 stands twice");
    const nothing = (await read(torn, { settings: 1 })).tail?.above?.found;
    assert.deepEqual(nothing, { model: null, activeTools: ["read"] });
    const damaged = [head, '{"type":"active_tools_change"}\n', ...lines.slice(1)];
    assert.deepEqual((await read(damaged, { settings: 1 })).tail?.above?.found, {
      model: null,
      activeTools: null,
    });
    const all = (await read(lines)).tail?.above;
    assert.deepEqual(all, { found: { model: null, activeTools: ["read"] }, unproven: [] });
  });

  it("reads the bytes of the context, however long the file is (F116, M19)", async () => {
    const filler = (count: number): string[] =>
      Array.from({ length: count }, (_, at) =>
        say(`f${at}`, at === 0 ? null : `f${at - 1}`, "x".repeat(2000)),
      );
    const end = (last: string): string[] => [
      level("l", last),
      tools("t", "l"),
      answer("a", "t"),
      compaction("c", "a", "a"),
      answer("z", "c"),
    ];
    const work: number[] = [];
    for (const count of [500, 2000, 8000]) {
      const { tail, bytesRead } = await read([head, ...filler(count), ...end(`f${count - 1}`)]);
      assert.deepEqual(ids(tail), ["z", "c", "a"]);
      work.push(bytesRead);
    }
    assert.deepEqual(new Set(work).size, 1);
    assert.ok((work[0] as number) < 200_000, `${work[0]} bytes`);
  });

  it("passes over blank lines and lines that begin in another way", async () => {
    const foreign = `${JSON.stringify({ id: "b", type: "message", parentId: "a", timestamp: time, message: { role: "user" } })}\n`;
    const { tail } = await read([head, say("a", null), "\n", foreign, " \n", say("c", "b"), "\n"]);
    assert.deepEqual(ids(tail), ["c", "b", "a"]);
  });

  it("takes a commit of which all lines are there", async () => {
    const entries = ["a", "b"].map((id, at) => {
      const members = { type: "custom", customType: "x" };
      return { id, parentId: at === 0 ? null : "a", timestamp: time, ...members } as Entry;
    });
    const lines = entries.map((entry, at) =>
      encodeEntry(entry, { commit: { id: "c", i: at + 1, n: 2 } }),
    );
    const whole = [
      encodeHeader({ type: "session", version: 3, id: "s", timestamp: time, cwd: "/" }),
      ...lines,
    ];
    assert.deepEqual(ids((await read(whole)).tail), ["b", "a"]);
    assert.equal((await read(whole.slice(0, 2))).tail, null, "its end is missing");
  });

  const torn = say("b", "a").slice(0, -10);
  const untold: Readonly<Record<string, readonly (string | Uint8Array)[]>> = {
    "an unfinished line at the end": [head, say("a", null), torn],
    "no header": [say("a", null), say("b", "a")],
    "a header of an older version": [piHeader("s", 1), say("a", null)],
    "a header with a finding": [piHeader("../s"), say("a", null)],
    "a first line without end": ["x".repeat(20_000), "\n", say("a", null)],
    "a first line that is no JSON": ["{\n", say("a", null)],
    "a header alone": [head],
    "a missing parent": [head, say("b", "a")],
    "a missing parent above the context": [head, level("b4", "gone"), compaction("c", "b4", "b4")],
    "a parent behind its child": [head, say("b", "a"), say("a", null), say("c", "b")],
    "a parent behind its child above the context": [
      head,
      say("b3", "b5"),
      say("b4", "b3"),
      compaction("b5", "b4", "b4"),
    ],
    "an id for the second time": [head, say("a", null), say("b", "a"), say("a", "b")],
    "an id for the second time on another branch": [
      head,
      say("a", null),
      say("x", "a"),
      say("x", "a"),
      say("b", "a"),
    ],
    "an old leaf move at the end": [
      head,
      say("a", null),
      line("l", "a", { type: "leaf", targetId: null }),
    ],
    "an old leaf move above the context": [
      head,
      line("l", null, { type: "leaf", targetId: null }),
      say("b4", "l"),
      compaction("c", "b4", "b4"),
    ],
    "a torn line with the next one behind it": [head, say("a", null), `${torn}${say("b", "a")}`],
    "a line that is damaged inside": [
      head,
      say("a", null),
      say("b", "a").replace("content", "con\tent"),
    ],
    "a line that has two ids": [
      head,
      say("a", null),
      say("b", "a").replace(/\}\n$/, ',"id":"c"}\n'),
    ],
    "a line that is no entry": [head, say("a", null), '{"type":"label"}\n', say("b", "a")],
    "a second header": [head, say("a", null), head, say("b", "a")],
    "no JSON": [head, say("a", null), "{\n", say("b", "a")],
    "NUL bytes": [head, say("a", null), "\0\0\n", say("b", "a")],
    "an entry without the members of its type": [
      head,
      say("a", null),
      line("b", "a", { type: "label" }),
    ],
    "a setting without its members": [
      head,
      line("b3", null, { type: "thinking_level_change" }),
      say("b4", "b3"),
      compaction("c", "b4", "b4"),
    ],
    "a mark above the compaction that it names": [
      head,
      line("m", null, {
        type: "custom",
        customType: "branchline.uncompact",
        data: { session: "s", compaction: "c" },
      }),
      say("b4", "m"),
      compaction("c", "b4", "b0"),
    ],
  };
  for (const [what, lines] of Object.entries(untold)) {
    it(`leaves to the whole reader: ${what}`, async () => {
      assert.equal((await read(lines)).tail, null);
    });
  }

  it("leaves a context that begins too far above to the whole reader", async () => {
    const filler = Array.from({ length: 2000 }, (_, at) =>
      say(`f${at}`, at === 0 ? null : `f${at - 1}`, "x".repeat(200)),
    );
    assert.equal((await read([head, ...filler], { context: 100_000 })).tail, null);
  });
});
