import assert from "node:assert/strict";
import { test } from "node:test";
import { wishesIn } from "./offline-wish.ts";

/** Steps as `kind path text`, wishes of one step joined by ` + `. */
const outline = (text: string): readonly string[] =>
  wishesIn(text).map((step) =>
    step.map(({ kind, path, text }) => [kind, path, text].filter(Boolean).join(" ")).join(" + "),
  );

const TEXTS: readonly (readonly [string, readonly string[]])[] = [
  ["list the files", ["list"]],
  ["What files are there?", ["list"]],
  ["列出 src/ 目录", ["list src/"]],
  [
    "列出文件，然后读取 README.md，写一条笔记：今天很好",
    ["list", "read README.md", "write 今天很好"],
  ],
  ["read a.txt and docs/b.md", ["read a.txt + read docs/b.md"]],
  ["Read a.txt. Then read b.txt.", ["read a.txt", "read b.txt"]],
  ["please show notes.md", ["read notes.md"]],
  ["看看 README", ["read README.md"]],
  ["read docs/search.md", ["read docs/search.md"]],
  ["Run the tests, then read width.ts", ["test", "read width.ts"]],
  ["跑一下测试", ["test"]],
  ["打开第一个文件", ["read"]],
  ['search for "leaf" in the files', ["search leaf"]],
  ["find TODO in the files, then write a note", ["search TODO", "write"]],
  ["搜索“方案 A”", ["search 方案 A"]],
  ["查找 错误 然后 记下结果", ["search 错误", "write"]],
  [
    "write a note to notes/today.md: read the list later",
    ["write notes/today.md read the list later"],
  ],
  ["Recall what we said about the port number.", ["recall port number"]],
  ["What did we decide about caching?", ["recall caching"]],
  ["还记得缓存的密钥吗？", ["recall 缓存的密钥"]],
  ["hello, an open question: how do I write a test?", []],
  ["你好，解释一下分支", []],
  ["find out why", []],
  ["", []],
];

for (const [text, expected] of TEXTS) {
  test(`what is asked for: ${text || "(nothing)"}`, () => {
    assert.deepEqual(outline(text), expected);
  });
}

test("a request of any length has at most 8 steps and takes no time", () => {
  assert.equal(wishesIn("list the files. ".repeat(20_000)).length, 8);
  assert.equal(outline(`search for ${"a/".repeat(100_000)}`).length, 1);
  assert.equal(outline(`read ${"a".repeat(100_000)} ${"-.".repeat(50_000)}`).length, 0);
});
