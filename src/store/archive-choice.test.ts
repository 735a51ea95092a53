import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_FOLD } from "../tree/fold.ts";
import { chooseForArchive } from "./archive-choice.ts";
import type { SessionSummary } from "./store.ts";

const NOW = Date.parse("2026-06-30T00:00:00.000Z");
const DAY = 86_400_000;

function row(id: string, days: number | null, more: Partial<SessionSummary> = {}): SessionSummary {
  const modified = days === null ? "" : new Date(NOW - days * DAY).toISOString();
  const counts = { entries: 1, messages: 1, branches: 1, bytes: 1, usage: EMPTY_FOLD.usage };
  const texts = { agent: "pi", cwd: "/p", name: null, title: null, leaf: null };
  const facets = { labels: [], diverged: false };
  return {
    id,
    path: `/r/${id}.jsonl`,
    ...texts,
    ...counts,
    ...facets,
    created: "",
    modified,
    ...more,
  };
}

test("only sessions that are cold by their content are chosen; named, newest, undated ones stay (F017)", () => {
  const sessions = [
    row("new", 1),
    row("edge", 30),
    row("young", 29.9),
    row("old", 400),
    row("named", 400, { name: "n" }),
    row("undated", null),
    row("packed", 500, { path: "/r/packed.jsonl.zst", cwd: "/q" }),
    row("only", 500, { cwd: "/q" }),
    row("future", -5),
    row("memory", 90, { path: null }),
  ];
  const rule = { now: NOW, olderThanMs: 30 * DAY, named: "keep" } as const;
  const choices = chooseForArchive(sessions, rule).map(({ session, exempt }) => [
    session.id,
    exempt,
  ]);
  assert.deepEqual(Object.fromEntries(choices), {
    new: "recent",
    edge: null,
    young: "recent",
    old: null,
    named: "named",
    undated: "age-unknown",
    packed: "archived",
    only: "newest",
    future: "recent",
    memory: null,
  });
  const taken = chooseForArchive(sessions, { ...rule, named: "take" });
  assert.equal(taken.find(({ session }) => session.id === "named")?.exempt, null);
});
