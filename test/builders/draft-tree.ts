import type { Entry } from "../../src/entry/entry.ts";
import { BRANCH_TYPE, LEAF_TYPE, UNCOMPACT_TYPE } from "../../src/entry/own-state.ts";
import { SessionTree } from "../../src/tree/session-tree.ts";

/** The session id of the trees that tests draw. */
export const SESSION = "drawn";

/** An entry of any shape; the members given last win. */
export function entry(
  id: string,
  parentId: string | null,
  members: Readonly<Record<string, unknown>> = {},
): Entry {
  const timestamp = "2026-01-01T00:00:00.000Z";
  return { type: "message", id, parentId, timestamp, ...body(members) };
}

function body(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isMessage = members.type === undefined || members.type === "message";
  return isMessage ? { message: { role: "user", content: "text" }, ...members } : members;
}

/** A leaf marker of ours; `data` overrides. */
export function marker(id: string, parentId: string | null, data: object = {}): Entry {
  return own({ id, parentId }, LEAF_TYPE, data);
}

/** A row of the table of branch names. */
export function branchRow(id: string, parentId: string | null, data: object): Entry {
  return own({ id, parentId }, BRANCH_TYPE, data);
}

/** An uncompact mark. */
export function uncompact(id: string, parentId: string | null, data: object): Entry {
  return own({ id, parentId }, UNCOMPACT_TYPE, data);
}

function own(
  at: { readonly id: string; readonly parentId: string | null },
  customType: string,
  data: object,
): Entry {
  const members = { type: "custom", customType, data: { session: SESSION, ...data } };
  return entry(at.id, at.parentId, members);
}

/** A tree of these entries in file order. */
export function treeOf(entries: Iterable<Entry>): SessionTree {
  const tree = new SessionTree(SESSION);
  for (const next of entries) tree.add(next);
  return tree;
}

/** A tree of messages, drawn as `child<parent` words: `a b<a c<?gone`. No `<` = a root. */
export function draw(words: string): SessionTree {
  return treeOf(drawn(words));
}

/** The entries behind {@link draw}. */
export function drawn(words: string): readonly Entry[] {
  return words.split(" ").map((word) => {
    const [id, parent] = word.split("<") as [string, string | undefined];
    return entry(id, parent ?? null);
  });
}

/** A path as one word: `a/b/c`, a gap before an entry as `~`. */
export function pathOf(tree: SessionTree, id: string | null): string {
  return tree
    .path(id)
    .map((at) => `${at.gap === null ? "" : "~"}${at.id}`)
    .join("/");
}
