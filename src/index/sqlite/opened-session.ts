import type { SessionHeader } from "../../entry/entry.ts";
import type { LinePlace } from "../../entry/problem.ts";
import type { FileIdentity } from "../../io/file-system.ts";
import type { TreeBase } from "../../tree/tree-base.ts";
import type {
  IndexCounters,
  IndexedSession,
  IndexedSummary,
  Leaning,
  PathStretches,
} from "../session-index.ts";
import type { FileRow } from "./file-rows.ts";
import type { IndexDatabase } from "./index-database.ts";
import { IndexedBase } from "./indexed-base.ts";
import type { Kinds } from "./kinds.ts";
import { EMPTY_SNAPSHOT, parseSnapshot, type Snapshot } from "./snapshot.ts";

/**
 * How long, in ms, rows that were there are taken to be there: a look for each append would be a sixth of
 * it. What this process removes is seen at once; another one that removes them in this time is met by the
 * rows' own reader, which refuses (ESTALE) and never tells of other rows, since ids are not used again.
 */
const SEEN_MS = 10;

/** Where the rows of a session are. */
export interface OpenedSource {
  readonly database: IndexDatabase;
  readonly kinds: Kinds;
  readonly counters: IndexCounters;
  readonly row: FileRow;
  readonly tables: string | null;
  /** See {@link BaseSource}. */
  readonly onDamage: () => void;
}

/** A session as its rows tell it. */
export class OpenedSession implements IndexedSession {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly known: number;
  readonly nextLine: number;
  readonly fingerprint: Uint8Array;
  readonly header: SessionHeader;
  readonly summary: IndexedSummary;
  readonly sound: boolean;
  readonly base: TreeBase | null;
  readonly #entries: IndexedBase;
  readonly #database: IndexDatabase;
  readonly #file: number;
  /** When the rows were seen last, and how much was removed by then. */
  #seenAt = Number.NEGATIVE_INFINITY;
  #seenForgets = 0;

  constructor(source: OpenedSource) {
    const { row, tables, database, kinds, counters, onDamage } = source;
    const { id: file, path, identity, known, line, fingerprint, header, summary, sound } = row;
    const [dev, ino] = identity.split(":") as [string, string];
    this.path = path;
    this.identity = { dev: BigInt(dev), ino: BigInt(ino) };
    this.known = known;
    this.nextLine = line;
    this.fingerprint = fingerprint;
    this.header = JSON.parse(header as string) as SessionHeader;
    this.summary = summary;
    this.sound = sound;
    let parsed: Snapshot | null = null;
    const snapshot = (): Snapshot => {
      parsed ??= tables === null ? EMPTY_SNAPSHOT : parseSnapshot(tables);
      return parsed;
    };
    const size = summary.entries;
    this.#entries = new IndexedBase({
      database,
      kinds,
      counters,
      file,
      path,
      size,
      snapshot,
      onDamage,
    });
    this.base = sound ? this.#entries : null;
    this.#database = database;
    this.#file = file;
  }

  placeOf(id: string): LinePlace | null {
    return this.#entries.placeOf(id);
  }

  linesTo(id: string): PathStretches | null {
    const stretches = this.sound ? this.#entries.stretchesTo(id) : null;
    const onLeave = (leaning: Leaning): void => this.#database.onForget(this.#file, leaning);
    return stretches && { base: this.#entries, stretches, onLeave };
  }

  idsOfKey(key: string): readonly string[] | undefined {
    const ids = this.#entries.idsOfKey(key);
    return ids.length === 0 ? undefined : ids;
  }

  isAlive(): boolean {
    const { forgets, monotonic, closed } = this.#database;
    const isRecent = monotonic - this.#seenAt < SEEN_MS && forgets === this.#seenForgets;
    if (isRecent && !closed) return true;
    const isThere = this.#isThere();
    this.#seenAt = isThere ? monotonic : Number.NEGATIVE_INFINITY;
    this.#seenForgets = forgets;
    return isThere;
  }

  #isThere(): boolean {
    try {
      const row = this.#database.row("SELECT 1 FROM file WHERE id = ?", this.#file);
      return row !== undefined;
    } catch {
      // Whatever is wrong with the database: the caller reads the file and needs no reason.
      return false;
    }
  }
}
