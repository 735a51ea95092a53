import { isObject } from "../../entry/entry-check.ts";
import { excludesSession, passesPlaces } from "../place-filter.ts";
import { isBelowRoots, type TextQuery } from "../text-query.ts";
import type { IndexDatabase } from "./index-database.ts";
import { ROW_SPAN } from "./index-schema.ts";

/** Ordinals from … to, both included. */
type Interval = readonly [number, number];

/** What is known of a hit's session. */
export interface KnownFile {
  readonly id: number;
  readonly session: string;
  readonly path: string;
  readonly name: string | null;
  readonly title: string | null;
  readonly cwd: string;
  readonly sound: boolean;
  /** The path to the stored leaf, newest first. */
  readonly active: readonly Interval[];
}

/** Where hits lie, and which of them pass. Rows are read once a session and query. */
export interface Places {
  /** null where no hit of the file counts. */
  file(id: number): KnownFile | null;
  passes(file: KnownFile, entry: EntryPlace): boolean;
}

interface EntryPlace {
  readonly id: string;
  readonly timestamp: string;
  readonly onActivePath: boolean;
}

/** Places for one query. */
export function placesOf(database: IndexDatabase, query: TextQuery): Places {
  const files = new Map<number, KnownFile | null>();
  const labels = new Map<number, ReadonlyMap<string, string>>();
  const labelOf = (file: number, entry: string): string | null => {
    const known = labels.get(file) ?? labelsOf(database, file);
    labels.set(file, known);
    return known.get(entry) ?? null;
  };
  return {
    file(id) {
      const known = files.get(id);
      if (known !== undefined) return known;
      const read = readFile(database, id);
      const counts =
        read !== null &&
        isBelowRoots(read.path, query.roots) &&
        !excludesSession(query.places, read);
      const found = counts ? read : null;
      files.set(id, found);
      return found;
    },
    passes: (file, entry) =>
      passesPlaces(query.places, {
        session: file.session,
        name: file.name,
        cwd: file.cwd,
        timestamp: entry.timestamp,
        onActivePath: entry.onActivePath,
        label: () => labelOf(file.id, entry.id),
      }),
  };
}

function readFile(database: IndexDatabase, id: number): KnownFile | null {
  const row = database.row(
    `SELECT session, path, name, title, cwd, sound, leaf_ordinal FROM file
     WHERE id = ? AND reason IS NULL`,
    id,
  );
  if (row === undefined) return null;
  const [session, path, name, title, cwd, sound, leaf] = row;
  return {
    id,
    session: String(session),
    path: String(path),
    name: name === null ? null : String(name),
    title: title === null ? null : String(title),
    cwd: String(cwd),
    sound: sound === 1,
    active: leaf === null ? [] : activePath(database, id, Number(leaf)),
  };
}

/** The path to an entry as stretches of file order: as many as it has forks. */
function activePath(database: IndexDatabase, file: number, leaf: number): readonly Interval[] {
  const base = file * ROW_SPAN;
  const intervals: Interval[] = [];
  const seen = new Set<number>();
  // Stretches never repeat, unless the database is damaged.
  for (let to = leaf; to >= 0 && !seen.has(to); ) {
    seen.add(to);
    const row = database.row(
      "SELECT rowid, parent FROM run WHERE rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT 1",
      base,
      base + to,
    );
    if (row === undefined) break;
    const from = Number(row[0]) - base;
    intervals.push([from, to]);
    to = Number(row[1]);
  }
  return intervals;
}

/** True where one of the stretches holds the ordinal. */
export function isActive(intervals: readonly Interval[], ordinal: number): boolean {
  return intervals.some(([from, to]) => from <= ordinal && ordinal <= to);
}

/** Labels in force, by the id of the entry that bears them. */
function labelsOf(database: IndexDatabase, file: number): ReadonlyMap<string, string> {
  const row = database.row("SELECT tables FROM snapshot WHERE file = ?", file);
  const tables: unknown = row === undefined ? null : JSON.parse(String(row[0]));
  const found = new Map<string, string>();
  if (!isObject(tables) || !Array.isArray(tables.labels)) return found;
  for (const one of tables.labels) {
    if (isObject(one) && typeof one.targetId === "string" && typeof one.label === "string") {
      found.set(one.targetId, one.label);
    }
  }
  return found;
}
