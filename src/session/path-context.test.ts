import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CountingSource } from "../../test/builders/counting-source.ts";
import { goldenVectors, Loaded } from "../../test/builders/golden-vectors.ts";
import { buildPath, craftedStep, PATH_SESSION } from "../../test/builders/random-path.ts";
import type { Entry } from "../entry/entry.ts";
import { project } from "../projection/context.ts";
import { contextAt, type PathSource, pathSteps } from "./path-context.ts";
import { calling, compaction, raw, result, user } from "./testing/session-fixture.ts";

async function assertWhole(source: PathSource, at: string | null): Promise<void> {
  const whole = project(await pathSteps(source, at), source.id);
  const context = await contextAt(source, at);
  assert.deepEqual(context, whole);
  assert.equal(JSON.stringify(context), JSON.stringify(whole));
}

test("P8: the context of the tail is that of the whole path, at every entry of random paths", async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 0x7fffffff);
  console.log(`seed ${seed}`);
  await fc.assert(
    fc.asyncProperty(fc.array(craftedStep, { maxLength: 25 }), async (made) => {
      const entries = buildPath(made).map(({ entry, gap }, index) =>
        gap === null ? entry : { ...entry, parentId: `lost${index}` },
      );
      const source = new CountingSource(PATH_SESSION, entries);
      for (const { id } of entries) await assertWhole(source, id);
    }),
    { seed, numRuns: 600 },
  );
});

test("P8: the context of the tail is that of the whole path on all golden vectors", async (t) => {
  let queries = 0;
  for (const { lines, queries: asked } of goldenVectors()) {
    const loaded = new Loaded(lines);
    const { tree } = loaded;
    const getAll = async (ids: readonly string[]): Promise<readonly Entry[]> =>
      ids.map((id) => loaded.get(id) as Entry);
    const source = { id: tree.session, tree, getAll };
    for (const { leafId } of asked) {
      await assertWhole(source, loaded.at(leafId));
      queries++;
    }
  }
  t.diagnostic(`${queries} contexts`);
});

/** A chain of messages; `own` takes the place of some of them. */
function chain(length: number, own: Readonly<Record<number, Parameters<typeof raw>[2]>>): Entry[] {
  return Array.from({ length }, (_, index) =>
    raw(`e${index}`, index === 0 ? null : `e${index - 1}`, own[index] ?? user(`u${index}`)),
  );
}

test("a context reads from the first kept entry on, however long the path is", async () => {
  const source = new CountingSource("s1", chain(5000, { 4900: compaction("e4890") }));
  const { entries } = await contextAt(source, "e4999");
  assert.equal(entries.length, 110);
  assert.equal(source.read, 110);
});

test("a compaction that keeps nothing is the first entry that is read", async () => {
  const source = new CountingSource("s1", chain(500, { 400: compaction("e400") }));
  await contextAt(source, "e499");
  assert.equal(source.read, 100);
});

test("M15: a call above what is kept is looked for step by step, not from the root", async () => {
  const own = { 4700: calling("c"), 4895: result("c"), 4900: compaction("e4890") };
  const source = new CountingSource("s1", chain(5000, own));
  const { entries } = await contextAt(source, "e4999");
  assert.equal(entries[1], "e4700");
  assert.equal(source.read, 440);
  await assertWhole(source, "e4999");
});

test("row 25, M8: a first kept entry that is not there costs the whole path and drops nothing", async () => {
  const source = new CountingSource("s1", chain(50, { 40: compaction("gone") }));
  await contextAt(source, "e49");
  assert.equal(source.read, 50);
  await assertWhole(source, "e49");
  await assertWhole(source, null);
});
