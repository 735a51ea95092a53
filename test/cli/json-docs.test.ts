import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { loadVerbs } from "../../src/cli/verb-table.ts";
import { collectShapes } from "./json-shapes.ts";
import { makeDesk } from "./run-cli.ts";

const DOCUMENT = path.resolve(import.meta.dirname, "../../docs/cli-json.md");

/** Members whose inside belongs to the session's data and not to our shapes. */
const FREE = new Set(["messages", "entry", "fields"]);

/** Names of all members, depth first; null and empty lists say nothing about what could be in them. */
function members(value: unknown, prefix = ""): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : members(value[0], `${prefix}[]`);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = prefix === "" ? name : `${prefix}.${name}`;
    return FREE.has(name) ? [at] : [at, ...members(inner, at)];
  });
}

function documented(): Map<string, unknown> {
  const text = readFileSync(DOCUMENT, "utf8");
  const found = new Map<string, unknown>();
  for (const [, name = "", json = ""] of text.matchAll(/^```json ([\w-]+)\n([\s\S]*?)^```$/gm)) {
    found.set(name, JSON.parse(json));
  }
  return found;
}

test("docs/cli-json.md shows every shape as the verbs print it", async (t) => {
  const now = await collectShapes(makeDesk(t));
  const written = documented();
  assert.deepEqual([...written.keys()].sort(), [...now.keys()].sort());
  for (const [name, value] of now) {
    assert.deepEqual(members(written.get(name)), members(value), name);
  }
});

test("docs/cli-json.md names every verb", async () => {
  const text = readFileSync(DOCUMENT, "utf8");
  for (const verb of await loadVerbs()) {
    if (verb.hidden !== true) assert.match(text, new RegExp(`\`${verb.name}\\b`), verb.name);
  }
});
