import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Entry, EntryDraft } from "../../entry/entry.ts";
import { seededRandom } from "../../io/testing/seeded-random.ts";
import { planCommit } from "../commit-plan.ts";
import { prepareTexts } from "../commit-request.ts";
import { encodeCommit } from "./encoded-commit.ts";

const EMPTY = {
  has: (id: string) => id === "above",
  branch: (id: string) => ({ id }),
  head: () => "above",
  ancestors: () => [],
};

/** The lines with and without the texts of the drafts. */
function bothWays(
  drafts: readonly EntryDraft[],
  key?: string,
): { readonly reused: readonly string[]; readonly made: readonly string[] } {
  const { request, texts } = prepareTexts({ entries: drafts });
  const plan = { tree: EMPTY, now: 1, random: seededRandom(1) };
  const entries: readonly Entry[] = planCommit(request, plan);
  const given = request.entries.map((draft, index) => ({ draft, text: texts[index] as string }));
  const encode = (more: object): readonly string[] =>
    encodeCommit(entries, { key, random: seededRandom(2), ...more }).map((line) =>
      Buffer.from(line).toString("latin1"),
    );
  return { reused: encode({ drafts: given }), made: encode({}) };
}

test("a line made of the draft's own text is the line of the entry, byte for byte (P8)", () => {
  const members = fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom("id", "timestamp", "7", "__proto__")),
    fc.jsonValue(),
    { maxKeys: 5 },
  );
  const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constant("文\ud800\u2028".repeat(9000)));
  fc.assert(
    fc.property(fc.array(fc.tuple(members, texts), { minLength: 1, maxLength: 3 }), (given) => {
      const drafts = given.map(([more, text], index) => {
        const { id, timestamp, key: _key, commit: _commit, crc: _crc, ...rest } = more;
        const own = id === undefined ? {} : { id: `own-${index}` };
        const time = timestamp === undefined ? {} : { timestamp: "2020" };
        // Members before the type too, as a caller may build it.
        return index % 2 === 0
          ? { type: "future", ...rest, ...own, ...time, text }
          : { ...rest, ...own, ...time, text, type: "future" };
      });
      for (const key of [undefined, 'a "key"']) {
        const { reused, made } = bothWays(drafts, key);
        assert.deepEqual(reused, made);
      }
    }),
  );
});

test("a draft of a type alone has no members to take over", () => {
  const { reused, made } = bothWays([{ type: "future" }]);
  assert.deepEqual(reused, made);
});
