import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { createSqliteIndex, type SqliteIndex } from "../../src/index/sqlite/sqlite-index.ts";
import { TextIndex } from "../../src/index/sqlite/text-index.ts";
import { TEXT_EXTENSION } from "../../src/index/sqlite/text-schema.ts";
import { createNodeFileSystem } from "../../src/io/node-file-system.ts";
import { RegexWorker } from "../../src/io/regex-worker.ts";
import { parseQuery } from "../../src/search/query.ts";
import { type SearchResult, searchSessions } from "../../src/search/search.ts";
import { openedSession, type SearchedSession } from "../../src/search/searched-session.ts";
import { jsonlSessionFiles } from "../../src/store/jsonl/jsonl-session-files.ts";
import { createJsonlStore, type JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";

/** How a test asks. */
export interface AskOptions {
  readonly limit?: number;
  readonly activeFirst?: boolean;
}

/** A folder of sessions with an index and a store. */
export interface SearchDesk {
  readonly root: string;
  /** Path of the index's database. */
  readonly database: string;
  readonly index: SqliteIndex;
  readonly text: TextIndex;
  /** Writes a session file of lines and gives its path. */
  write(name: string, lines: readonly object[]): string;
  /** Brings index and text up to date. */
  refresh(): Promise<void>;
  /** Answers by the index. */
  ask(query: string, options?: AskOptions): Promise<SearchResult>;
  /** Answers by reading. */
  askByReading(query: string, options?: AskOptions): Promise<SearchResult>;
}

async function* sessionsOf(store: JsonlStore): AsyncGenerator<SearchedSession> {
  for await (const row of store.list()) {
    const { id: session, path: file, name, title, cwd, created } = row;
    const open = async () => openedSession(await store.openFile(file as string));
    yield { session, path: file, name, title, cwd, created, open };
  }
}

/** An index with its full text. The caller closes the index. */
export function makeTextIndex(database: string): {
  readonly index: SqliteIndex;
  readonly text: TextIndex;
} {
  const fileSystem = createNodeFileSystem();
  const files = jsonlSessionFiles(fileSystem);
  const extensions = [TEXT_EXTENSION];
  const index = createSqliteIndex({ path: database, fileSystem, files, extensions });
  return { index, text: new TextIndex({ index, fileSystem, files }) };
}

/** Makes a folder; everything is closed and removed when the test ends. */
export function makeSearchDesk(t: TestContext): SearchDesk {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "branchline-search-")));
  const root = path.join(home, "sessions");
  mkdirSync(root);
  const database = path.join(home, "index.db");
  const { index, text } = makeTextIndex(database);
  const store = createJsonlStore({ root });
  t.after(async () => {
    await index.close();
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });
  const ask = (query: string, options: AskOptions, by: TextIndex | null): Promise<SearchResult> =>
    searchSessions(parseQuery(query, Date.parse("2026-11-29T00:00:00.000Z")), {
      index: by,
      sessions: () => sessionsOf(store),
      makeRegexRunner: (regex) => new RegexWorker(regex),
      limit: options.limit ?? 100,
      activeFirst: options.activeFirst ?? false,
    });
  return {
    root,
    database,
    index,
    text,
    write(name, lines) {
      const file = path.join(root, name);
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      return file;
    },
    async refresh() {
      await index.refresh([root]);
      await text.update();
    },
    ask: (query, options = {}) => ask(query, options, text),
    askByReading: (query, options = {}) => ask(query, options, null),
  };
}

/** The header line of a session file. */
export function headerLine(id: string, cwd = "/home/me/project"): object {
  return { type: "session", version: 3, id, timestamp: "2026-01-01T00:00:00.000Z", cwd };
}

/** Members of an entry; `id`, `parentId` and `timestamp` are made by {@link chain}. */
export type Members = Readonly<Record<string, unknown>> & { readonly type: string };

/** A user message. */
export function user(text: string): Members {
  return { type: "message", message: { role: "user", content: text } };
}

/** A tool result. */
export function toolResult(text: string, toolName = "bash"): Members {
  const content = [{ type: "text", text }];
  const message = { role: "toolResult", toolCallId: "c", toolName, content, isError: false };
  return { type: "message", message };
}

/** Entries, each under the one before; ids `e0`, `e1`, …, a minute between them. */
export function chain(entries: readonly Members[], prefix = "e"): readonly object[] {
  return entries.map((members, at) => ({
    id: `${prefix}${at}`,
    parentId: at === 0 ? null : `${prefix}${at - 1}`,
    timestamp: new Date(Date.UTC(2026, 9, 1, 0, at)).toISOString(),
    ...members,
  }));
}
