import assert from "node:assert/strict";
import type { IndexedSession } from "../../src/index/session-index.ts";
import { SessionFile } from "../../src/store/jsonl/session-file.ts";
import { summarize } from "../../src/store/summary.ts";
import type { CompactionLink, Fold, UncompactLink } from "../../src/tree/fold.ts";
import { SessionTree } from "../../src/tree/session-tree.ts";
import type { TreeBase } from "../../src/tree/tree-base.ts";
import type { TreeEntry } from "../../src/tree/tree-entry.ts";
import { fileSystem } from "./index-machine.ts";

function chain<T extends CompactionLink | UncompactLink>(link: T | null): readonly object[] {
  const all: object[] = [];
  for (let at: CompactionLink | UncompactLink | null = link; at !== null; at = at.previous) {
    all.push(
      "id" in at
        ? { id: at.id, kept: at.firstKeptEntryId }
        : { compaction: at.compaction, off: at.off },
    );
  }
  return all;
}

function plainFold(fold: Fold): object {
  const { depth, branch, model, thinkingLevel, activeTools, system, messages, usage } = fold;
  const { compactions, uncompacted } = fold;
  const links = [chain(compactions), chain(uncompacted)];
  return { depth, branch, model, thinkingLevel, activeTools, system, messages, usage, links };
}

/** Everything a tree entry says, its parent by id. */
export function plainEntry(at: TreeEntry | null | undefined): object | null {
  if (at === null || at === undefined) return null;
  const { id, storedParentId, gap, type, role, customType, targetId, timestamp } = at;
  const base = { id, storedParentId, gap, type, role, customType, targetId, timestamp };
  const { isMove, ordinal, parent, fold } = at;
  return { ...base, isMove, ordinal, parent: parent?.id ?? null, fold: plainFold(fold) };
}

/** A base says of every entry what the tree in memory says. */
export function assertSameBase(base: TreeBase, tree: SessionTree): void {
  assert.equal(base.size, tree.size);
  const onBase = new SessionTree(tree.session, base);
  for (let ordinal = 0; ordinal < tree.size; ordinal++) {
    const at = tree.at(ordinal) as TreeEntry;
    assert.deepEqual(plainEntry(base.at(ordinal)), plainEntry(at));
    assert.equal(base.get(at.id)?.ordinal, ordinal);
    const ids = (all: readonly TreeEntry[]): readonly string[] => all.map(({ id }) => id);
    assert.deepEqual(ids(base.children(at.id)), ids(tree.children(at.id)));
    const other = tree.at((ordinal * 7 + 3) % tree.size) as TreeEntry;
    assert.equal(
      base.commonAncestor(at.id, other.id)?.id ?? null,
      tree.commonAncestor(at.id, other.id)?.id ?? null,
    );
    assert.deepEqual(base.withPrefix(at.id, 9).slice(0, 1), [at.id]);
  }
  assert.equal(base.get("no such id"), undefined);
  assert.equal(base.at(tree.size), undefined);
  assert.deepEqual(base.children("no such id"), []);
  assert.deepEqual(
    base.children(null).map(({ id }) => id),
    tree.children(null).map(({ id }) => id),
  );
  assert.deepEqual(onBase.branches(), tree.branches());
  assert.deepEqual([...onBase.labels()], [...tree.labels()]);
  assert.equal(onBase.name(), tree.name());
  assert.equal(onBase.leaf(), tree.leaf());
  assert.deepEqual(
    onBase.path(onBase.leaf()).map(({ id }) => id),
    tree.path(tree.leaf()).map(({ id }) => id),
  );
}

/** What the index knows is what reading the whole file shows. True where the session is sound. */
export async function assertSameSession(indexed: IndexedSession, path: string): Promise<boolean> {
  const file = await SessionFile.open(fileSystem, path, { mode: "read" });
  await file.file.close();
  const { header, tree } = file;
  const bytes = file.file.size;
  const expected = summarize({ header, tree, entries: file.since(0), file: path, bytes });
  assert.deepEqual(indexed.summary, expected);
  assert.deepEqual(indexed.header, header);
  for (const { id } of tree.entries()) assert.deepEqual(indexed.placeOf(id), file.placeOf(id));
  assert.equal(indexed.sound, indexed.base !== null);
  if (indexed.base === null) return false;
  assert.deepEqual(
    file.problems.filter(({ code }) => code !== "TAIL_TORN" && code !== "COMMIT_INCOMPLETE"),
    [],
  );
  assertSameBase(indexed.base, tree);
  for (const key of ["k1", "k2", "k3", "k4", "k5"])
    assert.deepEqual(indexed.idsOfKey(key), file.idsOfKey(key));
  return true;
}
