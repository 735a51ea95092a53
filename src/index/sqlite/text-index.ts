import type { Entry } from "../../entry/entry.ts";
import { BranchlineError } from "../../errors.ts";
import { type Clock, systemClock } from "../../io/clock.ts";
import type { FileSystem } from "../../io/file-system.ts";
import {
  isBelowRoots,
  type TextHit,
  type TextQuery,
  type TextReport,
  type TextSearcher,
  type TextUpdateOptions,
} from "../text-query.ts";
import type { EntryFact, SessionFacts } from "../usage-fact.ts";
import type { SessionFiles, WholeSession } from "../whole-session.ts";
import type { IndexDatabase, Row } from "./index-database.ts";
import { ROW_SPAN } from "./index-schema.ts";
import type { SqliteIndex } from "./sqlite-index.ts";
import { matchExpressions } from "./text-match.ts";
import { isActive, type Places, placesOf } from "./text-places.ts";
import { entryOnLine, readRange } from "./text-source.ts";
import { TextUpdate } from "./text-update.ts";

/** What the full text works with. */
export interface TextIndexOptions {
  /** The index whose database has `TEXT_EXTENSION`. */
  readonly index: Pick<SqliteIndex, "attempt" | "counters">;
  readonly fileSystem: FileSystem;
  readonly files: SessionFiles;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
}

/** Weights of the columns `words`, `parts`, `fields`: filters do not rank. Also used by the scan. */
const RANKING = "bm25(text, 1.0, 0.5, 0.0)";

/**
 * Full text over the entries that the index knows (F101). Reads only rows: bring them up to date with
 * `SessionIndex.refresh` and {@link TextIndex.update} first. Where the database is in trouble it says
 * null, and the sessions are to be read instead.
 */
export class TextIndex implements TextSearcher {
  readonly #options: TextIndexOptions;
  /** The file that was read as a whole last: hits of one file come together. */
  #whole: { readonly path: string; readonly session: WholeSession } | null = null;

  constructor(options: TextIndexOptions) {
    this.#options = options;
  }

  /**
   * Puts the text of entries in that are not in it yet, newest sessions first. Can be stopped and taken
   * up at any time, by any process; what is in can be searched. Throws ABORTED.
   */
  async update(options: TextUpdateOptions = {}): Promise<TextReport | null> {
    const { fileSystem, files, clock = systemClock } = this.#options;
    return await this.#ask((database) =>
      new TextUpdate({ database, fileSystem, files, clock }, options).run(),
    );
  }

  async search(query: TextQuery): Promise<readonly TextHit[] | null> {
    this.#whole = null;
    return await this.#ask(async (database) => findHits(database, query));
  }

  async read(hit: TextHit): Promise<Entry | null> {
    try {
      return hit.sound ? await this.#readLine(hit) : await this.#readWhole(hit);
    } catch (error) {
      if (BranchlineError.is(error)) return null;
      throw error;
    }
  }

  /**
   * What statistics need of every session below the roots (real paths; undefined = of all), oldest
   * session first, so that copies come behind. False where the index is in trouble; then what was
   * handed out so far is to be forgotten.
   */
  async eachSession(
    roots: readonly string[] | undefined,
    take: (session: SessionFacts) => Promise<void>,
  ): Promise<boolean> {
    const done = await this.#ask(async (database) => {
      for (const session of sessionFacts(database, roots)) await take(session);
      return true;
    });
    return done ?? false;
  }

  /** Runs one question; a database that had to be built anew is empty and has no answer. */
  async #ask<T>(question: (database: IndexDatabase) => Promise<T>): Promise<T | null> {
    let turn = 0;
    return await this.#options.index.attempt<T | null>(
      async ({ database }) => (turn++ === 0 ? await question(database) : null),
      null,
    );
  }

  async #readLine(hit: TextHit): Promise<Entry | null> {
    const { byteStart, byteEnd } = hit.place;
    const handle = await this.#options.fileSystem.open(hit.path, "read");
    try {
      return entryOnLine(await readRange(handle, byteStart, byteEnd - byteStart), hit.entry);
    } finally {
      await handle.close();
    }
  }

  async #readWhole(hit: TextHit): Promise<Entry | null> {
    const { path, ordinal } = hit;
    if (this.#whole?.path !== path) {
      this.#whole = { path, session: await this.#options.files.readWhole(path) };
    }
    let at = 0;
    for (const entry of this.#whole.session.entries) {
      if (at++ === ordinal) return entry.id === hit.entry ? entry : null;
    }
    return null;
  }
}

function* sessionFacts(
  database: IndexDatabase,
  roots: readonly string[] | undefined,
): Iterable<SessionFacts> {
  const files = database.rows(
    "SELECT id, session, path, cwd, created FROM file WHERE reason IS NULL ORDER BY created, path",
  );
  for (const [id, session, path, cwd, created] of files) {
    if (!isBelowRoots(String(path), roots)) continue;
    yield {
      session: String(session),
      path: String(path),
      cwd: String(cwd),
      created: String(created),
      facts: factsOf(database, Number(id)),
    };
  }
}

function findHits(database: IndexDatabase, query: TextQuery): readonly TextHit[] {
  const places = placesOf(database, query);
  const first: TextHit[] = [];
  const others: TextHit[] = [];
  for (const row of candidates(database, query)) {
    const hit = hitOf(row, places);
    if (hit === null) continue;
    if (!query.activeFirst || hit.onActivePath) first.push(hit);
    else if (others.length < query.limit) others.push(hit);
    if (first.length >= query.limit) break;
  }
  return [...first, ...others].slice(0, query.limit);
}

function* candidates(database: IndexDatabase, query: TextQuery): Iterable<Row> {
  const { wanted, unwanted } = matchExpressions(query);
  const columns = "e.rowid, e.id, e.timestamp, e.start, e.length, e.line";
  if (wanted === undefined) {
    const without =
      unwanted === undefined
        ? ""
        : "WHERE e.rowid NOT IN (SELECT rowid FROM text WHERE text MATCH ?)";
    const statement = database.statement(
      `SELECT ${columns}, 0.0 FROM entry e ${without} ORDER BY e.timestamp DESC, e.rowid DESC`,
    );
    const rows = statement.iterate(...(unwanted === undefined ? [] : [unwanted]));
    for (const row of rows) yield row as unknown as Row;
    return;
  }
  const match = unwanted === undefined ? wanted : `(${wanted}) NOT (${unwanted})`;
  const statement = database.statement(
    `SELECT ${columns}, t.score
     FROM (SELECT rowid AS row, ${RANKING} AS score FROM text WHERE text MATCH ?) t
     JOIN entry e ON e.rowid = t.row
     ORDER BY round(t.score, 3), e.timestamp DESC, e.rowid DESC`,
  );
  for (const row of statement.iterate(match)) yield row as unknown as Row;
}

function hitOf(row: Row, places: Places): TextHit | null {
  const [rowid, id, timestamp, start, length, line, score] = row;
  const file = Math.floor(Number(rowid) / ROW_SPAN);
  const ordinal = Number(rowid) - file * ROW_SPAN;
  const known = places.file(file);
  if (known === null) return null;
  const onActivePath = isActive(known.active, ordinal);
  const at = { id: String(id), timestamp: String(timestamp), onActivePath };
  if (!places.passes(known, at)) return null;
  const byteStart = Number(start);
  return {
    session: known.session,
    title: known.title,
    path: known.path,
    entry: at.id,
    timestamp: at.timestamp,
    onActivePath,
    score: Math.max(0, -Number(score)),
    ordinal,
    sound: known.sound,
    place: { line: ordinal + 2 + Number(line), byteStart, byteEnd: byteStart + Number(length) },
  };
}

function* factsOf(database: IndexDatabase, file: number): Iterable<EntryFact> {
  const first = file * ROW_SPAN;
  const statement = database.statement(
    `SELECT e.id, e.timestamp, k.type, s.rowid, s.response, s.model, s.input, s.output,
       s.cache_read, s.cache_write, s.cost, s.calls
     FROM entry e JOIN kind k ON k.id = e.kind LEFT JOIN spend s ON s.rowid = e.rowid
     WHERE e.rowid BETWEEN ? AND ? ORDER BY e.rowid`,
  );
  for (const row of statement.all(first, first + ROW_SPAN - 1)) yield factOf(row as unknown as Row);
}

function factOf(row: Row): EntryFact {
  const [id, timestamp, type, spend, response, model, input, output, read, write, cost, calls] =
    row;
  const hasUsage = spend !== null && input !== null;
  return {
    entry: String(id),
    timestamp: String(timestamp),
    isMessage: type === "message",
    response: response === null ? null : String(response),
    model: model === null ? null : String(model),
    usage: hasUsage
      ? {
          input: Number(input),
          output: Number(output),
          cacheRead: Number(read),
          cacheWrite: Number(write),
          cost: cost === null ? null : Number(cost),
        }
      : null,
    calls: calls === null ? [] : (JSON.parse(String(calls)) as readonly string[]),
  };
}
