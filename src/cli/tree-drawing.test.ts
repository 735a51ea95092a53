import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionTree } from "../tree/session-tree.ts";
import { type DrawOptions, drawTree, laneText, type TreeRow } from "./tree-drawing.ts";

function treeOf(links: readonly (readonly [string, string | null])[]): SessionTree {
  const tree = new SessionTree("s");
  for (const [id, parentId] of links) {
    tree.add({
      type: "message",
      id,
      parentId,
      timestamp: "",
      message: { role: "user", content: "" },
    });
  }
  return tree;
}

function chain(length: number): [string, string | null][] {
  return Array.from({ length }, (_, i) => [`e${i}`, i === 0 ? null : `e${i - 1}`]);
}

function draw(tree: SessionTree, options: Partial<DrawOptions> = {}): TreeRow[] {
  return drawTree(tree, { leaf: tree.leaf(), show: "forks", keeps: () => false, ...options });
}

function picture(rows: readonly TreeRow[]): string[] {
  return rows.map((row) => `${laneText(row)} ${row.kind === "run" ? row.entries : row.at.id}`);
}

test("a straight session of 10,000 entries is three rows, with all shown it stays in one lane", () => {
  const tree = treeOf(chain(10_000));
  assert.deepEqual(picture(draw(tree)), ["● e0", "┊ 9998", "● e9999"]);
  const all = draw(tree, { show: "all" });
  assert.equal(all.length, 10_000);
  assert.ok(all.every((row) => row.lane === 0));
});

test("only forks make lanes; the leaf's path goes on in its lane", () => {
  const tree = treeOf([
    ["q", null],
    ["a", "q"],
    ["A1", "a"],
    ["A2", "A1"],
    ["B1", "a"],
    ["B2", "B1"],
  ]);
  assert.deepEqual(picture(draw(tree)), ["● q", "● a", "├─○ A1", "│ ○ A2", "● B1", "● B2"]);
  assert.deepEqual(picture(draw(tree, { leaf: "A2" })), [
    "● q",
    "● a",
    "├─○ B1",
    "│ ○ B2",
    "● A1",
    "● A2",
  ]);
});

test("a fork at every entry needs two lanes, not a thousand", () => {
  const links: [string, string | null][] = chain(1000);
  for (let i = 0; i < 999; i++) links.push([`s${i}`, `e${i}`]);
  const tree = treeOf(links);
  const rows = draw(tree, { leaf: "e999" });
  assert.equal(rows.length, 1999);
  assert.equal(Math.max(...rows.map((row) => row.lane)), 1);
});

test("any tree of n entries fits into log2(n) + 1 lanes", () => {
  const seed = 20261129;
  let state = seed;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const links: [string, string | null][] = [["e0", null]];
  for (let i = 1; i < 4096; i++) links.push([`e${i}`, `e${Math.floor(random() * i)}`]);
  const rows = draw(treeOf(links), { show: "all" });
  assert.equal(rows.length, 4096, `seed ${seed}`);
  assert.ok(Math.max(...rows.map((row) => row.lane)) <= 13, `seed ${seed}`);
});

test("kept entries break a run, short runs are shown", () => {
  const tree = treeOf(chain(12));
  const rows = draw(tree, { keeps: (at) => at.id === "e4" || at.id === "e7" });
  assert.deepEqual(picture(rows), ["● e0", "┊ 3", "● e4", "● e5", "● e6", "● e7", "┊ 3", "● e11"]);
});

test("two roots stand below each other, our own state is left out unless all is asked for", () => {
  const tree = treeOf([
    ["a", null],
    ["b", null],
  ]);
  tree.add({
    type: "custom",
    id: "m",
    parentId: "b",
    timestamp: "",
    customType: "branchline.leaf",
    data: { session: "s" },
  });
  assert.deepEqual(picture(draw(tree)), ["○ a", "● b"]);
  assert.deepEqual(picture(draw(tree, { show: "all" })), ["○ a", "● b", "● m"]);
});

test("any size: a chain of 100,000 entries is drawn without recursion", () => {
  const rows = draw(treeOf(chain(100_000)));
  assert.equal(rows.length, 3);
});
