import assert from "node:assert/strict";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";

/** Where acknowledged entries are looked for. */
export interface Acknowledged {
  readonly root: string;
  readonly session: string;
  readonly acks: readonly string[];
}

/**
 * P1 and P4 on a real disk: every acknowledged entry is readable and on the path, in order; and the next
 * append works and lasts. Gives the number of entries on the path.
 */
export async function checkAcknowledged(claim: Acknowledged): Promise<number> {
  const { root, session: id, acks } = claim;
  await using store = createJsonlStore({ root });
  const session = await store.open(id);
  const path = session.tree.path(session.tree.leaf()).map((at) => at.id);
  const places = new Map(path.map((entry, place) => [entry, place]));
  const found = acks.map((ack) => places.get(ack));
  const lost = acks.filter((_ack, index) => found[index] === undefined);
  assert.deepEqual(lost, [], `${lost.length} of ${acks.length} acknowledged entries are lost`);
  assert.deepEqual(
    found,
    [...found].sort((a, b) => (a ?? 0) - (b ?? 0)),
    "their order has changed",
  );
  const request = { entries: [{ type: "custom", customType: "check" }] };
  const [entry] = (await session.commit(request)).entries;
  await session.close();
  const again = await store.open(id);
  assert.equal(again.tree.leaf(), entry?.id, "what is written after it does not last");
  assert.deepEqual(again.problems, [], "damage is left");
  await again.close();
  return path.length;
}
