import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry, EntryDraft, SessionHeader } from "../entry/entry.ts";
import { SessionTree } from "../tree/session-tree.ts";
import type { SessionSummary } from "./store.ts";
import { activityOf, byActivity, labelTexts, summarize } from "./summary.ts";
import { custom, user } from "./testing/drafts.ts";

const header: SessionHeader = {
  type: "session",
  version: 3,
  id: "s",
  timestamp: "2024-01-01T00:00:00.000Z",
  cwd: "/p",
};

function summaryOf(
  drafts: readonly (EntryDraft | object)[],
  of: SessionHeader = header,
): SessionSummary {
  const tree = new SessionTree(of.id);
  const entries = drafts.map((draft, index) => {
    const parentId = index === 0 ? null : `${index - 1}`;
    return { timestamp: "", ...draft, id: `${index}`, parentId } as Entry;
  });
  for (const entry of entries) tree.add(entry);
  return summarize({ header: of, tree, entries, file: "/f", bytes: 7 });
}

const message = (content: unknown): object => ({
  type: "message",
  message: { role: "user", content },
});

test("a session of another program without entries", () => {
  assert.deepEqual(summaryOf([]), {
    id: "s",
    path: "/f",
    agent: "pi",
    cwd: "/p",
    name: null,
    title: null,
    entries: 0,
    messages: 0,
    branches: 1,
    leaf: null,
    labels: [],
    diverged: false,
    created: header.timestamp,
    modified: header.timestamp,
    bytes: 7,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
  });
});

test("our own header tells the program", () => {
  assert.equal(summaryOf([], { ...header, branchline: { format: 1 } }).agent, "branchline");
});

test("the title is the first text that a user wrote, on one line", () => {
  const title = (...contents: readonly unknown[]): string | null =>
    summaryOf(contents.map(message)).title;
  assert.equal(title("a"), "a");
  assert.equal(title("", " \n", "b", "c"), "b");
  assert.equal(title(" a\r\n\t b\u2028c  "), "a b c");
  const image = { type: "image", data: "", mimeType: "" };
  assert.equal(title([image, { type: "text", text: "x" }, { type: "text", text: "y" }]), "x y");
  assert.equal(
    title([image], [null, 7, { type: "text" }, { type: "text", text: 7 }], null, 7, {}, undefined),
    null,
  );
  assert.equal(
    summaryOf([{ type: "message", message: { role: "assistant", content: "a" } }]).title,
    null,
  );
});

test("a title of more than 80 code points is cut to 79 and an ellipsis", () => {
  const title = (text: string): string | null => summaryOf([message(text)]).title;
  assert.equal(title("x".repeat(80)), "x".repeat(80));
  assert.equal(title("x".repeat(81)), `${"x".repeat(79)}…`);
  assert.equal(title("😀".repeat(80)), "😀".repeat(80));
  assert.equal(title("😀".repeat(81)), `${"😀".repeat(79)}…`);
  assert.equal(title(`${" ".repeat(10_000)}x`), "x");
  assert.equal(title("x".repeat(30_000_000)), `${"x".repeat(79)}…`);
});

test("the name comes before the prompt and is cut like it", () => {
  const long = "n".repeat(100);
  const row = summaryOf([user("a"), { type: "session_info", name: long }]);
  assert.equal(row.name, long);
  assert.equal(row.title, `${"n".repeat(79)}…`);
});

test("modified is the time of the last message that has one", () => {
  const at = (timestamp: string): EntryDraft => user("x", { timestamp });
  const year = (...drafts: readonly object[]): string => summaryOf(drafts).modified.slice(0, 4);
  assert.equal(year(at("2026"), at("2025"), { ...custom(1), timestamp: "2026-02" }), "2025");
  assert.equal(year(at("2025"), at("")), "2025");
});

test("usage is that of all branches and of every kind of entry; what is none counts as nothing", () => {
  const usage = { input: 1, output: 10, cacheRead: 100, cacheWrite: 1000, cost: { total: 0.25 } };
  const row = summaryOf([
    { type: "message", message: { role: "assistant", content: [], usage } },
    { type: "message", message: { role: "toolResult", content: [], usage } },
    { type: "usage", kind: "k", usage },
    { type: "compaction", summary: "", usage },
    { type: "branch_summary", summary: "", usage },
    { type: "message", message: { role: "assistant", content: [], usage: "much" } },
    { type: "message", usage },
    { type: "custom", customType: "c", usage },
    { type: "compaction", summary: "" },
  ]);
  assert.deepEqual(row.usage, {
    input: 5,
    output: 50,
    cacheRead: 500,
    cacheWrite: 5000,
    cost: 1.25,
  });
  assert.equal(row.messages, 3);
  assert.equal(row.entries, 9);
});

test("the order of a list: newest activity, newest session, then id, then path", () => {
  const row = (modified: string, created: string, id: string): SessionSummary => ({
    ...summaryOf([]),
    modified,
    created,
    id,
  });
  const rows = [
    row("1", "1", "a"),
    row("2", "1", "a"),
    row("2", "2", "a"),
    { ...row("2", "2", "b"), path: "/a" },
    { ...row("2", "2", "b"), path: "/b" },
    row("2", "2", "b"),
    row("2", "2", "b"),
  ];
  assert.deepEqual(rows.toSorted(byActivity), rows.toReversed());
});

test("activity is the newer of making and last message; impossible times count for nothing (P75)", () => {
  const now = Date.parse("2026-01-10T00:00:00.000Z");
  const day = (text: string, lastMessage: string | null): string =>
    activityOf({ created: text, lastMessage }, now).slice(0, 10);
  // A fresh copy of an old conversation is new.
  assert.equal(day("2026-01-09T00:00:00.000Z", "2024-05-05T00:00:00.000Z"), "2026-01-09");
  assert.equal(day("2024-05-05T00:00:00.000Z", "2026-01-09T00:00:00+00:00"), "2026-01-09");
  assert.equal(day("2026-01-09T00:00:00.000Z", null), "2026-01-09");
  // A clock may be a little ahead.
  assert.equal(day("2026-01-09T00:00:00.000Z", "2026-01-10T23:00:00.000Z"), "2026-01-10");
  assert.equal(day("2026-01-09T00:00:00.000Z", "9999-12-31T00:00:00.000Z"), "2026-01-09");
  assert.equal(day("9999-12-31T00:00:00.000Z", "2026-01-08T00:00:00.000Z"), "2026-01-08");
  assert.equal(day("yesterday", "2026-01-08T00:00:00.000Z"), "2026-01-08");
  assert.equal(day("yesterday", "9999-12-31T00:00:00.000Z"), "");
});

test("a summary takes the time that it is given", () => {
  const tree = new SessionTree("s");
  const source = { header, tree, entries: [], file: null, bytes: 0 };
  assert.equal(summarize({ ...source, now: 0 }).modified, "");
  assert.equal(summarize(source).modified, header.timestamp);
});

test("texts of labels come once each, newest first; of one time the later row first", () => {
  const label = (text: string, timestamp: string): [string, string] => [text, timestamp];
  const rows = [label("old", "2024"), label("a", "2025"), label("b", "2025"), label("old", "2023")];
  const infos = rows.map(([text, timestamp], place) => ({
    ...{ targetId: `${place}`, label: text, entryId: `l${place}`, timestamp },
  }));
  assert.deepEqual(labelTexts(infos), ["b", "a", "old"]);
  assert.deepEqual(labelTexts([]), []);
});
