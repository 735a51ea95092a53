import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openLocalIndex } from "../../src/local/local-index.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import type { SessionSummary } from "../../src/store/store.ts";

const CREATED = "2024-05-01T10:00:00.000Z";

/** Times of the messages of one session; the last line of an odd one makes the index read it whole. */
const SESSIONS: Readonly<Record<string, readonly string[]>> = {
  empty: [],
  plain: ["2024-05-01T10:00:01.000Z", "2024-05-02T10:00:00.000Z"],
  earlier: ["2023-01-01T00:00:00.000Z"],
  future: ["2024-05-03T00:00:00.000Z", "2999-01-01T00:00:00.000Z"],
  zone: ["2024-05-04T01:00:00+08:00"],
  wrong: ["yesterday"],
  odd: ["2024-05-05T00:00:00.000Z", "2999-01-01T00:00:00.000Z"],
};

function linesOf(name: string, times: readonly string[]): string {
  const header = { type: "session", version: 3, id: name, timestamp: CREATED, cwd: "/w" };
  let parentId: string | null = null;
  const entries = times.map((timestamp, at) => {
    const id = `${name}-${at}`;
    const message = { role: "user", content: `question ${at}`, timestamp: 1 };
    const entry = { type: "message", id, parentId, timestamp, message };
    parentId = id;
    return entry;
  });
  const odd = name === "odd" ? ["{ not an entry"] : [];
  return `${[...[header, ...entries].map((line) => JSON.stringify(line)), ...odd].join("\n")}\n`;
}

async function rowsOf(
  root: string,
  index: ReturnType<typeof openLocalIndex> | null,
): Promise<readonly SessionSummary[]> {
  await using store = createJsonlStore({
    root,
    ...(index === null ? {} : { index: index.sessions }),
  });
  const rows: SessionSummary[] = [];
  for await (const row of store.list()) rows.push(row);
  return rows;
}

test("a list of the index has the same times and the same order as one of the files", async () => {
  const folder = mkdtempSync(join(tmpdir(), "branchline-activity-"));
  try {
    const root = join(folder, "sessions");
    await using store = createJsonlStore({ root });
    await (await store.create({ cwd: "/w" })).close();
    for (const [name, times] of Object.entries(SESSIONS))
      writeFileSync(join(root, `${name}.jsonl`), linesOf(name, times));
    const read = await rowsOf(root, null);
    assert.equal(read.length, Object.keys(SESSIONS).length + 1);
    assert.ok(new Set(read.map(({ modified }) => modified)).size > 3);
    await using index = openLocalIndex({ root: join(folder, "data") });
    assert.deepEqual(await rowsOf(root, index), read);
    const page = index.sessions.list({ limit: read.length });
    assert.deepEqual(
      page.map(({ id, modified }) => [id, modified]),
      read.map(({ id, modified }) => [id, modified]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
