import assert from "node:assert/strict";
import { appendFileSync, mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import type { SqliteIndex } from "../../src/index/sqlite/sqlite-index.ts";
import { IndexMachine } from "./index-machine.ts";
import { randomSession } from "./random-session.ts";
import { assertSameSession } from "./same-answers.ts";

const machine = new IndexMachine();
let index: SqliteIndex;

before(() => {
  mkdirSync(machine.root);
  index = machine.index();
});
after(async () => {
  await index.close();
  machine.remove();
});

const line = (value: object): string => `${JSON.stringify({ timestamp: "", ...value })}\n`;
const header = (id: string): string => line({ type: "session", version: 3, id, cwd: "/w" });
const entry = (id: string, parentId: string | null): string =>
  line({ type: "custom", customType: "x", id, parentId });
const marker = (id: string, parentId: string, session: string): string => {
  const data = { session, start: true };
  return line({ type: "custom", customType: "branchline.leaf", data, id, parentId });
};
const label = (id: string, parentId: string, text: string | undefined): string =>
  line({ type: "label", id, parentId, targetId: "a", label: text });

test("what diverges later is noticed beside what the index knows already, marked branches are not", async () => {
  const path = machine.write("later", header("later") + entry("a", null) + entry("b", "a"));
  const steps: readonly (readonly [string, boolean])[] = [
    ["", false],
    [marker("m", "a", "later"), false],
    [marker("n", "a", "later") + entry("c", "b"), false],
    [entry("d", "m"), false],
    [entry("e", "n") + marker("o", "a", "later"), false],
    [entry("f", "m"), true],
    [entry("g", "f"), true],
  ];
  for (const [more, expected] of steps) {
    appendFileSync(path, more);
    const session = (await index.session(path)) ?? assert.fail();
    assert.equal(session.summary.diverged, expected);
    await assertSameSession(session, path);
  }
  const root = machine.write("root", header("root") + entry("a", null) + entry("b", null));
  assert.equal((await index.session(root))?.summary.diverged, true);
});

test("lists and counts by label and by divergence, as of the labels in force", async () => {
  const start = header("l") + entry("a", null) + label("b", "a", "x%");
  const path = machine.write("labelled", start);
  await index.session(path);
  const ids = (options: Parameters<SqliteIndex["list"]>[0]): readonly string[] => {
    const rows = index.list(options).map(({ id }) => id);
    assert.equal(index.count(options), rows.length);
    assert.deepEqual(
      [...index.list({ ...options, limit: 9 }).map(({ id }) => id)].sort(),
      [...rows].sort(),
    );
    return rows;
  };
  assert.deepEqual(ids({ label: "x%" }), ["l"]);
  assert.deepEqual(ids({ label: "x" }), []);
  assert.deepEqual(ids({ label: "x%", diverged: true }), []);
  assert.deepEqual([...ids({ diverged: true })].sort(), ["later", "root"]);
  appendFileSync(path, label("c", "b", undefined));
  await index.session(path);
  assert.deepEqual(ids({ label: "x%" }), []);
});

test("drawn sessions have both kinds, and the index says the same as the file at each length", async () => {
  const seen = new Set<boolean>();
  for (let seed = 1; seed <= 12; seed++) {
    const { lines } = randomSession(seed, 40);
    const path = machine.write(`drawn-${seed}`, "");
    for (const [place, text] of lines.entries()) {
      appendFileSync(path, text);
      if (place % 5 !== 0 && place !== lines.length - 1) continue;
      const session = await index.session(path);
      if (session === null) continue;
      seen.add(session.summary.diverged);
      await assertSameSession(session, path);
    }
  }
  assert.deepEqual([...seen].sort(), [false, true]);
});
