import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** What each demo has to show, and with what it is started. */
const DEMOS: readonly {
  readonly file: string;
  readonly args?: readonly string[];
  readonly shows: readonly RegExp[];
}[] = [
  {
    file: "01-loop",
    shows: [
      /agent_start[\s\S]*turn_start[\s\S]*message_end +user [\s\S]*agent_end[\s\S]*settled/,
      /outcome +done/,
    ],
  },
  {
    file: "02-tools",
    shows: [
      /toolCall +→ read_file/,
      /tool_start +read_file/,
      /tool_result +缓存方案 A/,
      /rewrite/,
      /blocked/,
      /FILE_UNSAFE/,
    ],
  },
  {
    file: "03-tree",
    shows: [
      /entry_3 <- entry_2 \| user: 方案 A[\s\S]*leaf B context[\s\S]*entry_5 <- entry_2/,
      /current leaf: entry_6\nroot: entry_1/,
    ],
  },
  {
    file: "04-compaction",
    shows: [
      /tokensBefore +654/,
      /lost: identifier +CACHE_4711/,
      /compactionSummary/,
      /found .*CACHE_4711/,
    ],
  },
  { file: "05-openai-compatible", shows: [/OPENAI_COMPATIBLE_BASE_URL[\s\S]*AUTH_HEADER/] },
  {
    file: "06-kill-during-write",
    shows: [/acknowledged +2\d\d/, /acknowledged and lost +0/, /next append +[0-9a-f]{20}/],
  },
  {
    file: "07-two-writers",
    shows: [/entries +400/, /on one path +400/, /diverged at 0badcafe/, /tip +/],
  },
  {
    file: "08-large-session",
    args: ["4"],
    shows: [/10,000 entries, 4 MB/, /entries in the tree +10001/, /messages in context +2/],
  },
  { file: "09-chinese-search", shows: [/树 +1 +【树】/, /方案 +1 .*left branch/, /没有的词 +0/] },
  {
    file: "10-undo-redo",
    shows: [/undo move +缓存怎么做？ \| 方案 A/, /redo edit +方案 B/, /taken back/],
  },
  {
    file: "12-context-diff",
    shows: [
      /- user +方案 A[\s\S]*\+ user +方案 B/,
      /from the cache +\d+ tokens/,
      /equal again +true/,
    ],
  },
];

for (const { file, args = [], shows } of DEMOS) {
  test(`demo ${file} shows what it says`, () => {
    const program = path.join(ROOT, "examples/demos", `${file}.ts`);
    const flags = ["--conditions=source", "--disable-warning=ExperimentalWarning"];
    const { PATH = "", HOME = "" } = process.env;
    const done = spawnSync(process.execPath, [...flags, program, ...args], {
      encoding: "utf8",
      env: { PATH, HOME, NO_COLOR: "1" },
    });
    assert.equal(done.status, 0, done.stdout + done.stderr);
    assert.equal(done.stderr, "");
    for (const pattern of shows) assert.match(done.stdout, pattern);
  });
}

test("each demo has its script, and uses nothing but what the package exports", () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
  for (const { file } of DEMOS) {
    assert.ok(scripts[`demo:${file.slice(0, 2)}`]?.endsWith(`examples/demos/${file}.ts`), file);
  }
  for (const name of globSync("examples/demos/*.ts", { cwd: ROOT })) {
    const text = readFileSync(path.join(ROOT, name), "utf8");
    for (const [, from = ""] of text.matchAll(/ from "([^"]+)"/g)) {
      assert.match(from, /^(?:node:\w+|branchline(?:\/[\w-]+)*|\.\/(?:print|folders)\.ts)$/, name);
    }
  }
});
