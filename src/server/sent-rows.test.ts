import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryDraft } from "../entry/entry.ts";
import { GAP_TYPE } from "../entry/own-state.ts";
import { estimateContextTokens } from "../projection/token-estimate.ts";
import { type ServerRig, serverRig } from "./testing/server-rig.ts";

const said = (id: string, parentId: string | null, role = "user"): EntryDraft => ({
  ...{ type: "message", id, parentId },
  message: { role, content: role === "user" ? `text of ${id}` : [{ type: "text", text: id }] },
});

const compacted = (id: string, parentId: string, firstKeptEntryId: unknown): EntryDraft => ({
  ...{ type: "compaction", id, parentId, summary: `summary ${id}`, tokensBefore: 9 },
  firstKeptEntryId: firstKeptEntryId as string,
});

const TRUNK = [
  said("s", null, "system"),
  said("a", "s"),
  said("b", "a", "assistant"),
  said("c", "b"),
];
const TAIL = (parent: string): readonly EntryDraft[] => [
  said("y", parent),
  said("z", "y", "assistant"),
];

/** Paths whose context is easily told wrongly (reliability.md §3 row 25, M8). */
const PATHS: Readonly<Record<string, readonly EntryDraft[]>> = {
  plain: [...TRUNK, ...TAIL("c")],
  kept: [...TRUNK, compacted("k", "c", "b"), ...TAIL("k")],
  "keeps nothing": [...TRUNK, compacted("k", "c", "k"), ...TAIL("k")],
  "keeps from an entry that is nowhere": [...TRUNK, compacted("k", "c", "gone"), ...TAIL("k")],
  "keeps from an entry of another branch": [
    ...[...TRUNK, said("o", "a"), compacted("k", "c", "o")],
    ...TAIL("k"),
  ],
  "keeps from an entry below it": [...TRUNK, compacted("k", "c", "y"), ...TAIL("k")],
  "an older one within what is kept": [
    ...[...TRUNK, compacted("j", "c", "b"), said("d", "j"), compacted("k", "d", "b")],
    ...TAIL("k"),
  ],
  "an older one that keeps, a newer one that keeps from nowhere": [
    ...[...TRUNK, compacted("j", "c", "c"), said("d", "j"), compacted("k", "d", "gone")],
    ...TAIL("k"),
  ],
};

function isMarker(message: object): boolean {
  return "customType" in message && message.customType === GAP_TYPE;
}

async function made(rig: ServerRig, entries: readonly EntryDraft[]): Promise<string> {
  await using store = await rig.foreign.create({ cwd: "/x" });
  for (const entry of entries) await store.commit({ entries: [entry] });
  return store.id;
}

for (const [name, entries] of Object.entries(PATHS)) {
  test(`rows, tokens and curve say what the context holds: ${name}`, async (t) => {
    const rig = await serverRig(t);
    const id = await made(rig, entries);
    const host = await rig.server.core.hosts.use(id);
    const { sources, messages } = await host.session.context();
    // The marker of a lost boundary is no entry's.
    const tokens = estimateContextTokens(messages.filter((message) => !isMarker(message)));
    const { rows } = await rig.client.path(id);
    const sent = rows.filter(({ sent }) => sent === "yes").map((row) => row.id);
    assert.deepEqual(sent.toSorted(), [...new Set(sources)].toSorted());
    assert.equal(await host.tokensAt(host.session.leaf), tokens, "tokens");
    const { points } = await rig.client.curve(id);
    assert.equal(points.at(-1)?.tokens, tokens, "curve");
  });
}

test("an uncompact mark shows in tokens and curve", async (t) => {
  const rig = await serverRig(t);
  const id = await made(rig, PATHS.kept ?? []);
  await rig.client.change(id, "uncompact");
  await rig.client.change(id, "labels", { body: { entry: "a", text: "x" } });
  const other = await rig.foreign.open(id);
  await other.commit({ entries: [said("last", other.tree.leaf())] });
  await other.close();
  const host = await rig.server.core.hosts.use(id);
  const { tokens, at } = await host.session.context();
  assert.equal(await host.tokensAt(at), tokens);
  assert.equal((await rig.client.curve(id, at ?? "")).points.at(-1)?.tokens, tokens);
});
