import assert from "node:assert/strict";
import { test } from "node:test";
import { type DiffPiece, diffLines, diffWords } from "./text-diff.ts";

const side = (pieces: readonly DiffPiece[], without: DiffPiece["kind"]): string =>
  pieces
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join("");

test("words that changed are found, in English and in Chinese", () => {
  assert.deepEqual(diffWords("use plan A now", "use plan B now"), [
    { kind: "same", text: "use plan " },
    { kind: "removed", text: "A" },
    { kind: "added", text: "B" },
    { kind: "same", text: " now" },
  ]);
  assert.deepEqual(
    diffWords("方案甲好", "方案乙好").map(({ kind }) => kind),
    ["same", "removed", "added", "same"],
  );
});

test("both texts can be read back from any comparison (seed 11)", () => {
  let seed = 11;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  const words = (): string =>
    Array.from({ length: random(30) }, () => "abcd"[random(4)] ?? "").join(
      random(2) === 0 ? " " : "\n",
    );
  for (let round = 0; round < 300; round++) {
    const left = words();
    const right = words();
    for (const diff of [diffLines, diffWords]) {
      const pieces = diff(left, right);
      assert.equal(side(pieces, "added"), left);
      assert.equal(side(pieces, "removed"), right);
    }
  }
});

test("texts that have nothing in common end soon", () => {
  const left = Array.from({ length: 5000 }, (_, at) => `left ${at}\n`).join("");
  const right = Array.from({ length: 5000 }, (_, at) => `right ${at}\n`).join("");
  const since = performance.now();
  assert.equal(side(diffLines(left, right), "added"), left);
  assert.ok(performance.now() - since < 1000);
});
