import { encodeEntry, encodeHeader } from "../../../../src/entry/line-encode.ts";
import {
  answer,
  call,
  type DamagedCase,
  damaged,
  FOUR,
  file,
  header,
  join,
  line,
  result,
  user,
} from "../damaged-case.ts";

/** Lines of ours: check sums, groups, markers; old versions; pairs of calls and results. */
export function ownLineCases(): DamagedCase[] {
  const own = (customType: string, data: object) => ({
    type: "custom",
    customType,
    data: { session: "damaged", ...data },
  });
  const stamped = (id: string, parentId: string | null, members: object, stamp = {}) =>
    Buffer.from(
      encodeEntry(
        { id, parentId, timestamp: "2026-01-02T03:04:05.000Z", ...members } as never,
        stamp,
      ),
    ).subarray(0, -1);
  const ours = Buffer.from(
    encodeHeader(JSON.parse(header({ branchline: { format: 1 } }))),
  ).subarray(0, -1);
  const say = (text: string) => ({ type: "message", message: { role: "user", content: text } });
  const group = (i: number, n: number) => ({ commit: { id: "g", i, n } });
  return [
    damaged("row-25-first-kept-missing", "a compaction that keeps from an entry that is nowhere", {
      bytes: file([
        ...FOUR.slice(0, 4),
        line("compaction", "k", "c", {
          summary: "so far",
          firstKeptEntryId: "gone",
          tokensBefore: 9,
        }),
        answer("d", "k", "four"),
      ]),
      problems: ["FIRST_KEPT_MISSING 5 k"],
      entries: 5,
      context: ["so far", "<gap>", "one", "two", "three", "four"],
      note: "the tail of the branch is kept, with a diagnostic (M8)",
    }),
    damaged("row-35-v1", "a v1 file", {
      bytes: file([
        JSON.stringify({
          type: "session",
          id: "damaged",
          timestamp: "2026-01-02T03:04:05.000Z",
          cwd: "/project",
        }),
        ...FOUR.slice(1).map((text) =>
          JSON.stringify({ ...JSON.parse(text), id: undefined, parentId: undefined }),
        ),
      ]),
      leaf: "00000004",
      roots: ["00000001"],
      note: "ids follow from the line numbers, the same in every process; no write on open",
    }),
    damaged("row-35-v1-damaged", "a v1 file with a damaged line", {
      bytes: file([
        JSON.stringify({
          type: "session",
          id: "damaged",
          timestamp: "2026-01-02T03:04:05.000Z",
          cwd: "/project",
        }),
        ...FOUR.slice(1, 4)
          .map((text) =>
            JSON.stringify({ ...JSON.parse(text), id: undefined, parentId: undefined }),
          )
          .with(1, "{oops"),
      ]),
      problems: ["LINE_NOT_JSON 3", "PARENT_MISSING 4 00000003"],
      entries: 2,
      leaf: "00000003",
      context: ["one", "<gap>", "three"],
      roots: ["00000001"],
      note: "lines keep their numbers, so ids do not shift",
    }),
    damaged("row-37-leaf-marker", "a move to an earlier entry, then exit", {
      bytes: file([
        ours,
        stamped("a", null, say("one")),
        stamped("b", "a", say("two")),
        stamped("m", "a", own("branchline.leaf", { start: true })),
      ]),
      entries: 3,
      leaf: "m",
      context: ["one"],
      note: "R11: the move is an entry and outlives the process (M1)",
    }),
    damaged("crc-wrong", "a line of ours that was changed afterwards", {
      bytes: file([
        ours,
        stamped("a", null, say("one")),
        Buffer.from(stamped("b", "a", say("two")).toString().replace("two", "TWO")),
      ]),
      problems: ["CRC_MISMATCH 3 b"],
      entries: 2,
      leaf: "b",
      context: ["one", "TWO"],
      note: "a wrong check sum never hides a readable entry; it is reported",
    }),
    damaged(
      "crc-member-damaged",
      "a line of ours with a bit flipped in the name of the check sum",
      {
        bytes: file([
          ours,
          stamped("a", null, say("one")),
          Buffer.from(stamped("b", "a", say("two")).toString().replace('"crc"', '"brc"')),
        ]),
        problems: ["CRC_MISMATCH 3 b"],
        entries: 2,
        leaf: "b",
        context: ["one", "two"],
        note: "the value still fits, so the line is known as ours",
      },
    ),
    damaged("group-incomplete-at-end", "a commit of three of which two lines are there", {
      bytes: file([
        ours,
        stamped("a", null, say("one")),
        stamped("b", "a", say("two"), group(1, 3)),
        stamped("c", "b", say("three"), group(2, 3)),
      ]),
      problems: ["COMMIT_INCOMPLETE 3-4 b"],
      entries: 1,
      leaf: "a",
      context: ["one"],
      note: "P2: all or none",
    }),
    damaged("group-torn-at-end", "a commit of two whose second line is torn", {
      bytes: join(
        file([ours, stamped("a", null, say("one")), stamped("b", "a", say("two"), group(1, 2))]),
        stamped("c", "b", say("three"), group(2, 2)).subarray(0, 70),
      ),
      problems: ["TAIL_TORN 4", "COMMIT_INCOMPLETE 3 b"],
      entries: 1,
      leaf: "a",
      context: ["one"],
      note: "P2: all or none",
    }),
    damaged("group-incomplete-in-middle", "a commit without its end, other lines behind it", {
      bytes: file([
        ours,
        stamped("a", null, say("one")),
        stamped("b", "a", say("two"), group(1, 2)),
        user("c", "b", "three"),
      ]),
      problems: ["COMMIT_INCOMPLETE 3 b"],
      entries: 3,
      leaf: "c",
      context: ["one", "two", "three"],
      note: "lines of others hang under it, so it counts",
    }),
    damaged("group-without-start", "a commit whose first line is missing", {
      bytes: file([
        ours,
        stamped("a", null, say("one")),
        stamped("c", "a", say("three"), group(2, 2)),
      ]),
      problems: ["COMMIT_INCOMPLETE 3 c"],
      entries: 2,
      leaf: "c",
      context: ["one", "three"],
      note: "what is readable is shown",
    }),
    damaged("pair-result-without-call", "a tool result whose call was lost", {
      bytes: file([
        ...FOUR.slice(0, 2),
        answer("b", "a", [call("t1")]).slice(0, -9),
        result("c", "b", "t1"),
        answer("d", "c", "four"),
      ]),
      problems: ["LINE_NOT_JSON 3", "PARENT_MISSING 4 c", "TOOL_RESULT_ORPHAN 4 c"],
      entries: 3,
      context: ["one", "<gap>", "four"],
      note: "P9: a result without its call is left out",
    }),
    damaged("pair-call-without-result", "a call whose result was lost", {
      bytes: file([
        ...FOUR.slice(0, 2),
        answer("b", "a", [call("t1")]),
        result("c", "b", "t1").slice(0, -9),
        answer("d", "c", "four"),
      ]),
      problems: ["LINE_NOT_JSON 4", "PARENT_MISSING 5 d"],
      entries: 3,
      context: ["one", "<call t1>", "<no result t1>", "<gap>", "four"],
      note: "P9: a missing result is completed and marked",
    }),
  ];
}
