import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { branchRow, draw, drawn, entry, marker, SESSION } from "../../test/builders/draft-tree.ts";
import { DraftBase } from "../../test/builders/tree-base.ts";
import type { Entry } from "../entry/entry.ts";
import { SessionTree } from "./session-tree.ts";
import type { TreeEntry } from "./tree-entry.ts";

/** What a line is made of; numbers pick from what came before. */
interface Row {
  readonly kind: string;
  /** The parent: 0 = root, else one of the earlier entries; the latest is the likeliest. */
  readonly up: number;
  readonly pick: number;
}

const KINDS = [
  "message",
  "message",
  "message",
  "start",
  "marker",
  "leaf",
  "label",
  "name",
  "named",
];
const ROWS: fc.Arbitrary<readonly Row[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), up: fc.nat(40), pick: fc.nat(40) }),
  { maxLength: 30 },
);

function body({ kind, pick }: Row, earlier: readonly string[]): Record<string, unknown> {
  const target = earlier[pick % (earlier.length + 1)] ?? null;
  const session = pick % 7 === 0 ? "another" : SESSION;
  const own = (name: string, data: object) => ({
    type: "custom",
    customType: `branchline.${name}`,
    data: { session, ...data },
  });
  switch (kind) {
    case "start":
      return own("leaf", { start: true });
    case "marker":
      return own("leaf", {});
    case "leaf":
      return { type: "leaf", targetId: target };
    case "label":
      return {
        type: "label",
        targetId: target ?? "x",
        label: pick % 3 === 0 ? "" : `l${pick % 4}`,
      };
    case "name":
      return { type: "session_info", name: pick % 4 === 0 ? " " : `n${pick}` };
    case "named": {
      const branch = earlier.findLast((id) => id.startsWith("start")) ?? "main";
      return own(
        "branch",
        [
          { branch, name: `b${pick % 3}` },
          { branch, archived: pick % 2 === 0 },
        ][pick % 2] ?? {},
      );
    }
    default:
      return {};
  }
}

/** A sound session: every parent before its child. */
function sound(rows: readonly Row[]): readonly Entry[] {
  const ids: string[] = [];
  return rows.map((row, index) => {
    const id = `${row.kind}${index}`;
    const back = row.up > 30 ? ids.length : row.up % (ids.length + 1);
    const parentId = back === 0 ? null : (ids[ids.length - (row.up > 30 ? 1 : back)] ?? null);
    const made = entry(id, parentId, body(row, ids));
    ids.push(id);
    return made;
  });
}

/** Everything of an entry but its parent, which is lazy in a base. */
function shape(at: TreeEntry | undefined | null): unknown {
  if (at === undefined || at === null) return at;
  const { id, storedParentId, gap, type, role, customType, targetId } = at;
  const { timestamp, isMove, ordinal, fold, parent } = at;
  const seen = { id, storedParentId, gap, type, role, customType, targetId, timestamp };
  return { ...seen, isMove, ordinal, fold, parent: parent?.id ?? null };
}

function answers(tree: SessionTree): unknown {
  const ids: (string | null)[] = [...tree.entries()].map(({ id }) => id);
  ids.push(null, "nobody");
  const branches = tree.branches();
  const ask = (id: string | null) => ({
    get: id === null ? null : shape(tree.get(id)),
    has: id !== null && tree.has(id),
    children: tree.children(id).map(shape),
    path: tree.path(id).map(shape),
    rawPath: tree.rawPath(id).map(shape),
    position: tree.position(id),
    branchOf: tree.branchOf(id),
    common: ids.map((other) => shape(tree.commonAncestor(id, other))),
  });
  return {
    size: tree.size,
    at: [-1, ...ids.keys()].map((ordinal) => shape(tree.at(ordinal))),
    entries: [...tree.entries()].map(shape),
    ids: ids.map(ask),
    leaf: tree.leaf(),
    branches,
    found: branches.map(({ id, name }) => [
      tree.branch(id),
      tree.branch(name ?? ""),
      tree.head(id),
    ]),
    labels: [...tree.labels()],
    name: tree.name(),
    custom: [0, 3, 20].map((from) => [
      tree.customOrdinals(["branchline.leaf"], from, tree.size),
      tree.customOrdinals(["branchline.branch", "branchline.leaf"], from, 9),
      tree.customOrdinals([], 0, from),
    ]),
    prefix: ["m", "message1", "x", ""].map((text) => [
      tree.withPrefix(text, 3),
      tree.withPrefix(text, 99),
    ]),
  };
}

describe("a tree that starts from a base", () => {
  it("answers as one that was loaded in one go (sound sessions)", () => {
    fc.assert(
      fc.property(ROWS, fc.nat(30), (rows, cut) => {
        const entries = sound(rows);
        const whole = new SessionTree(SESSION);
        for (const each of entries) whole.add(each);
        const split = cut % (entries.length + 1);
        const tree = new SessionTree(SESSION, new DraftBase(SESSION, entries.slice(0, split)));
        for (const [index, each] of entries.slice(split).entries()) {
          if (index % 3 === 1) tree.branches();
          assert.equal(tree.add(each), true);
          assert.equal(tree.add(each), false);
        }
        assert.deepEqual(answers(tree), answers(whole));
      }),
      { numRuns: 700 },
    );
  });

  it("answers so too with damage, late parents and rollbacks behind the base", () => {
    const id = fc.oneof(
      fc.constantFrom(..."abcdefgh"),
      fc.nat(12).map((n) => `message${n}`),
    );
    const line = fc.record({
      id,
      parentId: fc.oneof(id, fc.constant(null), fc.constant("")),
      how: fc.nat(5),
    });
    fc.assert(
      fc.property(ROWS, fc.array(line, { maxLength: 10 }), (rows, lines) => {
        const entries = sound(rows);
        const whole = new SessionTree(SESSION);
        for (const each of entries) whole.add(each);
        const tree = new SessionTree(SESSION, new DraftBase(SESSION, entries));
        for (const { how, ...each } of lines) {
          const step = (one: SessionTree): boolean | undefined => {
            if (how === 0) return void one.addLost(each);
            const isAdded = one.add(entry(each.id, each.parentId));
            if (how === 1) one.leaf();
            if (how === 2 && isAdded) {
              if (each.parentId === null) one.branches();
              one.rollback(1);
            }
            return isAdded;
          };
          assert.equal(step(tree), step(whole));
        }
        assert.deepEqual(answers(tree), answers(whole));
      }),
      { numRuns: 1500 },
    );
  });

  it("never takes an entry of the base away", () => {
    const tree = new SessionTree(SESSION, new DraftBase(SESSION, drawn("a b<a")));
    tree.add(entry("c", "b"));
    assert.equal(tree.leaf(), "c");
    tree.rollback(1);
    assert.equal(tree.leaf(), "b");
    assert.equal(tree.size, 2);
  });

  it("keeps branches, names and tips of the base and goes on with them", () => {
    const first = [
      ...drawn("a b<a c<a"),
      marker("s", "a", { start: true }),
      branchRow("n", "s", { branch: "s", name: "plan" }),
    ];
    const tree = new SessionTree(SESSION, new DraftBase(SESSION, first));
    tree.add(entry("d", "b"));
    tree.add(branchRow("m", "d", { branch: "s", archived: true }));
    assert.deepEqual(
      tree.branches().map((each) => [each.kind, each.name, each.head, each.archived]),
      [
        ["branch", "main", "m", false],
        ["branch", "plan", "n", true],
        ["tip", null, "c", false],
      ],
    );
    assert.deepEqual(draw("a b<a").withPrefix("", 1), ["a"]);
  });

  it("asks the base itself for entries of a custom type, where it knows", () => {
    const first = [...drawn("a"), marker("s", "a", { start: true }), ...drawn("b")];
    const base = new DraftBase(SESSION, first);
    const asked: unknown[] = [];
    const knowing = Object.assign(base, {
      customOrdinals: (...question: unknown[]) => {
        asked.push(question);
        return [1];
      },
    });
    const tree = new SessionTree(SESSION, knowing);
    tree.add(marker("t", "s", {}));
    assert.deepEqual(tree.customOrdinals(["branchline.leaf"], 0, 4), [1, 3]);
    assert.deepEqual(tree.customOrdinals(["branchline.leaf"], 3, 4), [3]);
    assert.deepEqual(tree.customOrdinals(["branchline.leaf"], 1, 2), [1]);
    assert.deepEqual(asked, [
      [["branchline.leaf"], 0, 3],
      [["branchline.leaf"], 1, 2],
    ]);
    assert.equal(base.made, 0);
  });

  it("asks for what an answer needs, not for the base's whole length", () => {
    const entries = drawn(
      ["e0", ...Array.from({ length: 999 }, (_, n) => `e${n + 1}<e${n}`)].join(" "),
    );
    const base = new DraftBase(SESSION, entries);
    const tree = new SessionTree(SESSION, base);
    tree.add(entry("x", "e999"));
    tree.add(entry("y", "e998"));
    tree.leaf();
    tree.position("x");
    tree.head("main");
    tree.branches();
    tree.commonAncestor("x", "y");
    tree.commonAncestor("e3", "x");
    tree.children("e500");
    assert.ok(base.made < 40, `${base.made} entries`);
  });
});
