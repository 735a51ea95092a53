import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { entry, treeOf } from "../../test/builders/draft-tree.ts";
import { SessionTree } from "./session-tree.ts";

/** A line of a small session: an entry or a lost one. Ids are drawn from few, so that they collide. */
interface Row {
  readonly id: string;
  readonly parentId: string | null;
  readonly lost: boolean;
}

const ID = fc.constantFrom(..."abcdefghij");
const ROWS: fc.Arbitrary<Row[]> = fc.array(
  fc.record({
    id: ID,
    parentId: fc.oneof(ID, fc.constant(null), fc.constant("")),
    lost: fc.boolean(),
  }),
  { maxLength: 12 },
);

type Edge = { readonly above: string | null; readonly gap: "missing-parent" | "cycle" | null };

/**
 * The rules of the linker once more, written from their description and without any cleverness: for
 * every entry the whole way up is walked again.
 */
class Model {
  readonly order: string[] = [];
  readonly stored = new Map<string, string | null>();
  readonly lost = new Map<string, string | null>();

  constructor(rows: readonly Row[]) {
    for (const { id, parentId, lost } of rows) {
      if (lost && !this.lost.has(id)) this.lost.set(id, parentId);
      if (lost || this.stored.has(id)) continue;
      this.stored.set(id, parentId);
      this.order.push(id);
    }
  }

  /** One stored step up: an entry, null (root), or the missing id where nothing is told. */
  step(id: string): { up: string | null } | { missing: string } {
    const parent = this.stored.get(id) as string | null;
    if (parent === null || this.stored.has(parent)) return { up: parent };
    if (parent === "") return { missing: `\u0000${id}` };
    const seen = new Set<string>();
    for (let at = parent; !seen.has(at); ) {
      seen.add(at);
      const told = this.lost.get(at);
      if (told === undefined) break;
      if (told === null || this.stored.has(told)) return { up: told };
      at = told;
    }
    return { missing: parent };
  }

  /** Where the stored links of an entry end: "root", "missing x", or the members of a circle. */
  end(id: string): string {
    const way = [id];
    for (;;) {
      const step = this.step(way.at(-1) as string);
      if ("missing" in step) return `missing ${step.missing}`;
      if (step.up === null) return "root";
      const at = way.indexOf(step.up);
      if (at >= 0) return `circle ${way.slice(at).sort().join("")}`;
      way.push(step.up);
    }
  }

  edge(id: string): Edge {
    const step = this.step(id);
    const stored = this.stored.get(id) as string | null;
    const end = this.end(id);
    const first = this.order.findIndex((each) => this.end(each) === end);
    const nearest = this.order[first - 1] ?? null;
    if ("missing" in step) return { above: nearest, gap: "missing-parent" };
    const members = end.startsWith("circle ") ? end.slice(7) : "";
    const earliest = this.order.find((each) => members.includes(each));
    if (id === earliest) return { above: nearest, gap: "cycle" };
    const isBridged = stored !== null && stored !== step.up;
    return { above: step.up, gap: isBridged ? "missing-parent" : null };
  }
}

function edges(tree: SessionTree): Record<string, Edge> {
  const found: Record<string, Edge> = {};
  for (const at of tree.entries()) {
    found[at.id] = { above: at.parent?.id ?? null, gap: at.gap?.reason ?? null };
  }
  return found;
}

function load(rows: readonly Row[]): SessionTree {
  const tree = new SessionTree("s");
  for (const row of rows) take(tree, row);
  return tree;
}

function take(tree: SessionTree, row: Row): void {
  if (row.lost) tree.addLost(row);
  else tree.add(entry(row.id, row.parentId));
}

describe("linker against a naive model", () => {
  it("gives every entry the parent and the gap of the model", () => {
    fc.assert(
      fc.property(ROWS, (rows) => {
        const model = new Model(rows);
        const tree = load(rows);
        const wanted = Object.fromEntries(model.order.map((id) => [id, model.edge(id)]));
        assert.deepEqual(edges(tree), wanted);
      }),
      { numRuns: 5000 },
    );
  });

  it("keeps every readable entry below a root, children and depth in step with parents", () => {
    fc.assert(
      fc.property(ROWS, (rows) => {
        const tree = load(rows);
        const reached: string[] = [];
        const waiting: (string | null)[] = [null];
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          const children = tree.children(id);
          const ordinals = children.map((at) => at.ordinal);
          assert.deepEqual(
            ordinals,
            [...ordinals].sort((a, b) => a - b),
          );
          for (const child of children) {
            assert.equal(child.fold.depth, (child.parent?.fold.depth ?? 0) + 1);
            reached.push(child.id);
            waiting.push(child.id);
          }
        }
        assert.equal(reached.length, tree.size);
      }),
      { numRuns: 2000 },
    );
  });

  it("gives the same answers whenever it is asked in between (late parents, late losses)", () => {
    fc.assert(
      fc.property(ROWS, fc.infiniteStream(fc.nat(3)), (rows, choices) => {
        const tree = new SessionTree("s");
        for (const row of rows) {
          take(tree, row);
          const choice = choices.next().value;
          if (choice === 1) tree.leaf();
          if (choice === 2) {
            if (tree.add(entry("z", "a"))) tree.rollback(1);
            else tree.branches();
          }
          if (choice === 3 && tree.add(entry("y", "b"))) {
            tree.path("y");
            tree.rollback(1);
          }
        }
        const whole = load(rows);
        assert.deepEqual(edges(tree), edges(whole));
        assert.deepEqual(tree.branches(), whole.branches());
        assert.equal(tree.leaf(), whole.leaf());
      }),
      { numRuns: 3000 },
    );
  });
});

describe("common ancestor against a naive model", () => {
  it("is the last entry that both paths begin with", () => {
    const parents = fc.array(fc.nat(), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(parents, fc.nat(), fc.nat(), (choices, one, other) => {
        const entries = choices.map((choice, index) => {
          const parent = choice % (index + 1);
          return entry(`e${index}`, parent === index ? null : `e${parent}`);
        });
        const tree = treeOf(entries);
        const ids = [one, other].map((choice) => `e${choice % entries.length}`) as [string, string];
        const [left, right] = ids.map((id) => tree.path(id).map((at) => at.id)) as [
          string[],
          string[],
        ];
        const shared = left.filter((id, index) => right[index] === id).at(-1) ?? null;
        assert.equal(tree.commonAncestor(...ids)?.id ?? null, shared);
      }),
      { numRuns: 2000 },
    );
  });
});
