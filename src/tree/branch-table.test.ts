import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { branchRow, draw, entry, marker, SESSION, treeOf } from "../../test/builders/draft-tree.ts";
import { SessionTree } from "./session-tree.ts";

/** `id=head` for branches, `head^` for tips; `!` = archived. */
function shown(tree: SessionTree): string {
  return tree
    .branches()
    .map((branch) => {
      if (branch.kind === "tip") return `${branch.head}^`;
      return `${branch.name ?? branch.id}=${branch.head}${branch.archived ? "!" : ""}`;
    })
    .join(" ");
}

const leafEntry = (id: string, parentId: string | null, targetId: unknown) =>
  entry(id, parentId, { type: "leaf", targetId });

describe("branches", () => {
  it("are main alone at first, also in an empty session", () => {
    assert.equal(shown(new SessionTree(SESSION)), "main=null");
    assert.equal(shown(draw("a b<a")), "main=b");
    assert.deepEqual(draw("a b<a").branch("main"), {
      id: "main",
      kind: "branch",
      name: "main",
      head: "b",
      archived: false,
      entries: 2,
    });
  });

  it("begin at a starting marker and have their last entry in file order as head", () => {
    const tree = treeOf([
      entry("a", null),
      entry("b", "a"),
      marker("s", "a", { start: true }),
      entry("c", "s"),
      marker("back", "b"),
      entry("d", "back"),
    ]);
    assert.equal(shown(tree), "main=d s=c");
    assert.equal(tree.head("s"), "c");
    assert.equal(tree.head("main"), "d");
    assert.equal(tree.head("nobody"), null);
    assert.equal(tree.branch("nobody"), undefined);
    assert.equal(tree.branch("s")?.entries, 1);
    assert.equal(tree.leaf(), "d");
  });

  it("take their last entry in file order as head also where siblings differ in depth", () => {
    const tree = draw("a b<a c<b x<a");
    assert.equal(shown(tree), "main=x c^");
  });

  it("are hidden while they hold nothing and have no name, unless the leaf is there", () => {
    const started = [entry("a", null), entry("b", "a"), marker("s", "a", { start: true })];
    assert.equal(shown(treeOf(started)), "main=b s=s");
    const undone = [...started, marker("back", "b")];
    assert.equal(shown(treeOf(undone)), "main=back");
    const named = [...undone, branchRow("n", "back", { branch: "s", name: "plan B" })];
    assert.equal(shown(treeOf(named)), "main=n plan B=s");
    const cleared = [...named, branchRow("o", "n", { branch: "s", name: null })];
    assert.equal(shown(treeOf(cleared)), "main=o");
  });

  it("are named, renamed and archived by the latest row, wherever it hangs", () => {
    const tree = treeOf([
      entry("a", null),
      marker("s", "a", { start: true }),
      entry("b", "s"),
      branchRow("n1", "b", { branch: "s", name: "one" }),
      branchRow("n2", "n1", { branch: "s", name: "two" }),
      branchRow("n3", "n2", { branch: "s", archived: true }),
      branchRow("n4", "n3", { branch: "main", name: "trunk" }),
    ]);
    assert.equal(shown(tree), "trunk=a two=n4!");
    assert.equal(tree.branch("two")?.id, "s");
    assert.equal(tree.branch("one"), undefined);
    assert.equal(tree.branch("trunk")?.id, "main");
    assert.equal(tree.branch("main")?.name, "trunk");
    tree.add(branchRow("n5", "n4", { branch: "s", archived: false, name: "" }));
    assert.equal(shown(tree), "trunk=a s=n5");
  });

  it("of one name are found as the one that got it last", () => {
    const start = [
      entry("a", null),
      marker("s", "a", { start: true }),
      marker("t", "a", { start: true }),
    ];
    const tree = treeOf([
      ...start,
      branchRow("n1", "t", { branch: "s", name: "x" }),
      branchRow("n2", "n1", { branch: "t", name: "y" }),
      branchRow("n3", "n2", { branch: "s", name: "y" }),
    ]);
    assert.equal(tree.branch("y")?.id, "s");
    tree.add(branchRow("n4", "n3", { branch: "ghost", name: "y" }));
    assert.equal(tree.branch("y")?.id, "s");
  });

  it("are not touched by rows of another session or of a wrong shape", () => {
    const tree = treeOf([
      entry("a", null),
      branchRow("n1", "a", { branch: "main", name: "x", session: "another" }),
      branchRow("n2", "n1", { branch: 5, name: "x" }),
      branchRow("n3", "n2", { branch: "main", name: 5, archived: "yes" }),
    ]);
    assert.equal(shown(tree), "main=n3");
    assert.equal(tree.branch("main")?.archived, false);
  });
});

describe("tips of foreign writers (M9)", () => {
  it("are left out of the rows of branches", () => {
    const tree = draw("a b<a c<a d<b");
    assert.deepEqual(
      tree.branchRows().map(({ id, head }) => [id, head]),
      [["main", "d"]],
    );
  });

  it("are listed by id, with no name and no entries of their own", () => {
    const tree = draw("a b<a c<a d<b");
    assert.deepEqual(tree.branches()[1], {
      id: "c",
      kind: "tip",
      name: null,
      head: "c",
      archived: false,
      entries: 0,
    });
  });

  it("are not made by what hangs alone inside a hidden branch", () => {
    const tree = treeOf([
      entry("a", null),
      marker("s", "a", { start: true }),
      marker("m", "s"),
      marker("n", "s"),
      marker("back", "a"),
    ]);
    assert.equal(shown(tree), "main=back");
  });
});

describe("leaf entries of pi-agent-core 0.80", () => {
  it("count as their target, which is then the head", () => {
    const tree = treeOf([
      entry("a", null),
      entry("b", "a"),
      entry("c", "b"),
      leafEntry("l", "c", "a"),
    ]);
    assert.equal(tree.leaf(), "a");
    assert.equal(tree.head("main"), "a");
    assert.equal(shown(tree), "main=a c^");
    assert.equal(tree.branch("main")?.entries, 3);
    tree.add(entry("d", "a"));
    assert.equal(tree.leaf(), "d");
    assert.equal(shown(tree), "main=d c^");
  });

  it("with target null stand before the first entry", () => {
    const tree = treeOf([entry("a", null), leafEntry("l", "a", null)]);
    assert.equal(tree.leaf(), null);
    assert.equal(tree.head("main"), null);
    assert.equal(shown(tree), "main=null a^");
  });

  it("with a missing target count as their parent, without one as the start", () => {
    assert.equal(treeOf([entry("a", null), leafEntry("l", "a", "gone")]).leaf(), "a");
    assert.equal(treeOf([leafEntry("l", null, "gone")]).leaf(), null);
  });

  it("of a wrong shape are entries like others, not a move to the start", () => {
    const tree = treeOf([entry("a", null), leafEntry("l", "a", 5)]);
    assert.equal(tree.leaf(), "l");
    assert.equal(shown(tree), "main=l");
  });

  it("moves to another branch of ours", () => {
    const tree = treeOf([
      entry("a", null),
      marker("s", "a", { start: true }),
      entry("b", "s"),
      entry("c", "a"),
      leafEntry("l", "c", "b"),
    ]);
    assert.equal(tree.leaf(), "b");
    assert.equal(tree.head("s"), "b");
    assert.equal(tree.head("main"), "c");
  });

  it("make no tip of an entry that goes on below them, as Pi does it", () => {
    const tree = treeOf([
      entry("a", null),
      entry("b", "a"),
      leafEntry("l", "b", "a"),
      leafEntry("m", "l", "a"),
      entry("c", "m"),
      entry("d", "a"),
    ]);
    assert.equal(shown(tree), "main=d c^");
  });
});
