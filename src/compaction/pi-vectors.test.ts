/** Compactions on the golden vectors of Pi 1.6.0: sessions with everything that Pi writes, odd things too. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { goldenVectors, Loaded } from "../../test/builders/golden-vectors.ts";
import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { projectRaw } from "../projection/raw.ts";
import { newFixture } from "../session/testing/session-fixture.ts";
import { compact } from "./compact.ts";
import { isRefusal } from "./refusal.ts";
import { told } from "./testing/compaction-fixture.ts";

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("a compaction on every vector: Pi's projection of it is ours wherever it was before", async (t) => {
  const counts = { vectors: 0, withCompaction: 0, written: 0, refused: 0, equal: 0 };
  for (const vector of goldenVectors()) {
    const loaded = new Loaded(vector.lines);
    const path = loaded.rawPath("(last)");
    const entries = path.map(
      (entry, at): Entry => ({ ...entry, parentId: path[at - 1]?.id ?? null }),
    );
    const { session } = await newFixture(entries).catch(() => ({ session: null }));
    if (session === null) continue;
    counts.vectors++;
    if (entries.some((entry) => isEntry(entry, "compaction"))) counts.withCompaction++;
    const before = await session.context();
    const wasEqual = isSame(before.messages, (await session.context({ raw: true })).messages);
    const outcome = await compact(session, {
      reason: "manual",
      summariser: told(),
      keep: { messages: 2 },
    });
    if (isRefusal(outcome)) {
      counts.refused++;
      continue;
    }
    counts.written++;
    const after = await session.context();
    const written = await session.store.getAll(session.tree.path(session.leaf).map(({ id }) => id));
    const raw = projectRaw(plain(written) as readonly Entry[]);
    if (!wasEqual) continue;
    counts.equal++;
    assert.deepEqual(plain(raw.messages), plain(after.messages), vector.name);
  }
  t.diagnostic(JSON.stringify(counts));
  for (const count of Object.values(counts)) assert.ok(count > 5, JSON.stringify(counts));
});

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
