import type { SessionHeader } from "../../entry/entry.ts";
import type { LinePlace } from "../../entry/problem.ts";
import type { FileIdentity } from "../../io/file-system.ts";
import type { TreeBase } from "../../tree/tree-base.ts";
import type { IndexCounters, IndexedSession, IndexedSummary } from "../session-index.ts";
import type { FileRow } from "./file-rows.ts";
import type { IndexDatabase } from "./index-database.ts";
import { IndexedBase } from "./indexed-base.ts";
import type { Kinds } from "./kinds.ts";
import { EMPTY_SNAPSHOT, parseSnapshot, type Snapshot } from "./snapshot.ts";

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
  readonly #isAlive: () => boolean;

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
    this.#isAlive = () => {
      try {
        return database.row("SELECT 1 FROM file WHERE id = ?", file) !== undefined;
      } catch {
        // Whatever is wrong with the database: the caller reads the file and needs no reason.
        return false;
      }
    };
  }

  placeOf(id: string): LinePlace | null {
    return this.#entries.placeOf(id);
  }

  idsOfKey(key: string): readonly string[] | undefined {
    const ids = this.#entries.idsOfKey(key);
    return ids.length === 0 ? undefined : ids;
  }

  isAlive(): boolean {
    return this.#isAlive();
  }
}
