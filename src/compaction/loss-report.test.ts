import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../entry/message.ts";
import { factsIn } from "./facts.ts";
import { withoutFiles } from "./file-lists.ts";
import { lossReport, MAX_LOSSES } from "./loss-report.ts";
import type { SourcedMessage } from "./summariser.ts";
import { readSummary } from "./summary-sections.ts";

const user = (entry: string, content: string): SourcedMessage => {
  return { entry, message: { role: "user", content } };
};
const output = (entry: string, text: string): SourcedMessage => {
  const content = [{ type: "text" as const, text }];
  const message = {
    role: "toolResult" as const,
    toolCallId: "c",
    toolName: "t",
    content,
    isError: true,
  };
  return { entry, message };
};
const summary = (text: string): readonly Message[] => [
  { role: "compactionSummary", summary: text, tokensBefore: 1, timestamp: 0 },
];
const found = (text: string, isSpeech = true): string[] =>
  [...factsIn(text, { isSpeech })].map(({ kind, text: what }) => `${kind}:${what}`);

test("paths are found in English and Chinese text, prose with slashes is none", () => {
  const text =
    "在docs/设计.md中，看 /etc/hosts、~/x/y.py 和 C:\\tmp\\a.txt, src/a.ts:42 ./run.sh package.json " +
    "and/or e.g. i.e. 3/4 2026/01/02 he/she word/word";
  assert.deepEqual(found(text), [
    ...["path:docs/设计.md", "path:/etc/hosts", "path:~/x/y.py", "path:C:\\tmp\\a.txt"],
    ...["path:src/a.ts", "path:./run.sh", "path:package.json"],
  ]);
});

test("identifiers: names with borders, dotted, flags, hashes, UUIDs", () => {
  const text =
    "`getLeafId` MAX_SIZE foo_bar a.bc fs.readFile --keep-recent 9fceb02 deadbeef plain Word " +
    "550e8400-e29b-41d4-a716-446655440000 调用getUserName方法";
  assert.deepEqual(found(text), [
    ...[
      "identifier:getLeafId",
      "identifier:MAX_SIZE",
      "identifier:foo_bar",
      "identifier:fs.readFile",
    ],
    ...["identifier:--keep-recent", "identifier:9fceb02"],
    ...["identifier:550e8400-e29b-41d4-a716-446655440000", "identifier:getUserName"],
  ]);
});

test("numbers with units or names, each once; bare ones only in talk", () => {
  const text =
    "took 1,024 KB in 30秒 for $12.50, port 8443, 端口是 5433, v1.2.3 #42 and 77777 or 12, 95% of 3 files";
  assert.deepEqual(found(text).sort(), [
    ...["number:#42", "number:$12.50", "number:1,024 KB", "number:3 files", "number:30秒"],
    ...["number:77777", "number:95%", "number:port 8443", "number:v1.2.3", "number:端口是 5433"],
  ]);
  assert.ok(!found("77777 and port 8443", false).some((fact) => fact.includes("77777")));
});

test("URLs, also behind Chinese words, without the point of the sentence", () => {
  assert.deepEqual(found("见https://a.b/c?d=1。 (http://x.y/z). "), [
    "url:https://a.b/c?d=1",
    "url:http://x.y/z",
  ]);
});

test("error lines of tools and talk, decisions of talk, English and Chinese", () => {
  const log =
    "ok\nTypeError: x of undefined\nENOENT: no such file\n连接超时\nexport const a = 1\n0 failed? no";
  assert.deepEqual(
    found(log, false).filter((fact) => fact.startsWith("error")),
    [
      "error:TypeError: x of undefined",
      "error:ENOENT: no such file",
      "error:连接超时",
      "error:0 failed? no",
    ],
  );
  const talk =
    "I looked. We decided to use argon2. 决定采用方案B。 A plan: maybe cache later. The build failed twice.";
  assert.deepEqual(
    found(talk),
    [
      "error:We decided to use argon2. 决定采用方案B。 A plan: maybe cache later. The build failed twice.",
      "decision:We decided to use argon2.",
      "decision:决定采用方案B。",
    ].filter((fact) => !fact.startsWith("error")),
  );
});

test("must-show 5: what was there before and is absent after, with the entry it was said in", () => {
  const before = [
    user("u1", "The server listens on port 8443. We decided to use argon2id instead of bcrypt."),
    output("r1", "TypeError: Cannot read hash\n at src/auth/login.ts:42 took 5000 ms"),
    user("u2", "See https://example.com/spec and 9fceb02d0ae5, getUserName, port 8443"),
  ];
  const { items, lost, found: there } = lossReport(before, summary("Goal: fix it. Next: tests."));
  assert.deepEqual(items, [
    { kind: "decision", text: "We decided to use argon2id instead of bcrypt.", entry: "u1" },
    { kind: "error", text: "TypeError: Cannot read hash", entry: "r1" },
    { kind: "path", text: "src/auth/login.ts", entry: "r1" },
    { kind: "identifier", text: "getUserName", entry: "u2" },
    { kind: "identifier", text: "9fceb02d0ae5", entry: "u2" },
    { kind: "identifier", text: "TypeError", entry: "r1" },
    { kind: "number", text: "port 8443", entry: "u2" },
    { kind: "number", text: "5000 ms", entry: "r1" },
    { kind: "url", text: "https://example.com/spec", entry: "u2" },
  ]);
  assert.deepEqual(lost, there);
});

test("what the new context still holds is not lost, in whatever letters and units", () => {
  const before = [
    user(
      "u1",
      "Port 8443, 5,000 ms, SRC/Auth.ts, getLeafId, https://a.b/c/. We decided to use argon2id instead of bcrypt.",
    ),
    output("r1", "Error: the hash column is missing in table users"),
    user("u2", "决定采用方案B：令牌有效期为十五分钟。"),
  ];
  const after = summary(
    "Listening at 8443. Limit 5000ms in src/auth.ts by getleafid, https://a.b/c. Use argon2id instead of bcrypt, decided. " +
      "Error: hash column is missing in the table users. 采用方案B，令牌有效期为十五分钟（已决定）。",
  );
  const report = lossReport(before, after);
  assert.deepEqual(report.items, []);
  assert.equal(report.lost.decision, 0);
  assert.equal(report.found.decision, 2);
});

test("a short number is not told by another one, a name not by a part of it", () => {
  const { items } = lossReport([user("u", "limit 12 and fileName")], summary("512 fileNames"));
  assert.deepEqual(
    items.map(({ text }) => text),
    ["fileName", "limit 12"],
  );
  assert.deepEqual(lossReport([user("u", "fileName")], summary("file Name")).items.length, 1);
});

test("the report is bounded, no kind hides another, counts tell the rest", () => {
  const many = Array.from(
    { length: 3000 },
    (_, at) => `src/f${at}.ts fn_${at}_x ${at} ms https://h/${at}`,
  );
  const { items, lost } = lossReport(
    [
      user("u", many.join("\n")),
      output("r", "Error: boom\n".repeat(50)),
      user("d", "We decided to stop here."),
    ],
    summary("nothing of it"),
  );
  assert.equal(items.length, MAX_LOSSES);
  assert.equal(lost.path, 3000);
  for (const kind of ["path", "identifier", "number", "url"] as const) {
    assert.ok(items.filter((item) => item.kind === kind).length > 40, kind);
  }
  assert.deepEqual(
    items.slice(0, 2).map(({ kind }) => kind),
    ["decision", "error"],
  );
});

test("hostile text takes linear time and gives nothing odd", () => {
  const started = performance.now();
  for (const unit of ["a", "a.", "a/", "a_B", "1,", "=", "错误", "\ud800", "\n", "http://", "#1"]) {
    lossReport([user("u", unit.repeat(100_000))], summary("x"));
  }
  assert.ok(performance.now() - started < 20_000);
});

test("blanks behind the name of a number, a heading and a list take linear time", () => {
  const started = performance.now();
  const blanks = " ".repeat(150_000);
  lossReport([user("u", `the port${blanks}x`)], summary("x"));
  readSummary(`## Goal${blanks}x${blanks}y`);
  withoutFiles(`x${"\n".repeat(150_000)}y<read-files>`);
  assert.ok(performance.now() - started < 2000, `${performance.now() - started} ms`);
});
