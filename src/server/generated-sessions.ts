import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { SessionSummary } from "../store/store.ts";
import { EMPTY_FOLD } from "../tree/fold.ts";
import type { EventHub } from "./event-hub.ts";

/** A session that the library lists before its file is there; the first one who opens it has it made. */
export interface GeneratedSession {
  readonly id: string;
  /** What people read while it is not there. */
  readonly title: string;
  readonly cwd: string;
  /** ISO time. */
  readonly created: string;
  readonly entries: number;
  /** Writes the whole session file; tells how many entries are done. */
  make(file: string, onProgress: (done: number) => void): Promise<void>;
}

/** The generated sessions of a server. */
export class GeneratedSessions {
  readonly #sessions: ReadonlyMap<string, GeneratedSession>;
  /** Where they are made: below the home root, so that they are found as any session. */
  readonly #folder: string;
  readonly #hub: EventHub;
  readonly #making = new Map<string, Promise<void>>();

  constructor(sessions: readonly GeneratedSession[], home: string, hub: EventHub) {
    this.#sessions = new Map(sessions.map((session) => [session.id, session]));
    this.#folder = path.join(home, "sessions", "samples");
    this.#hub = hub;
  }

  /** Rows of those that are not there yet; `known` are the ids of the sessions that are. */
  missing(known: ReadonlySet<string>): readonly SessionSummary[] {
    return [...this.#sessions.values()].filter(({ id }) => !known.has(id)).map(rowOf);
  }

  /** Has a session made that is listed and not there; nothing for all others. Throws what making throws. */
  async ensure(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined || existsSync(this.#fileOf(id))) return;
    const making = this.#making.get(id) ?? this.#make(session);
    this.#making.set(id, making);
    await making.finally(() => this.#making.delete(id));
  }

  /** A file that is only half there is never seen: it gets its name when it is whole. */
  async #make(session: GeneratedSession): Promise<void> {
    const { id, entries } = session;
    const file = this.#fileOf(id);
    // Another server on the same folder may be making it too.
    const part = `${file}.${process.pid}.part`;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#tell(id, 0, entries);
    try {
      await session.make(part, (done) => this.#tell(id, Math.min(done, entries), entries));
      await rename(part, file);
    } finally {
      await rm(part, { force: true });
    }
    this.#tell(id, entries, entries);
    this.#hub.publish("session_created", { sessionId: id }, { id });
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${id}.jsonl`);
  }

  /** To everybody: whoever waits for the session cannot have a stream of its own yet. */
  #tell(id: string, done: number, total: number): void {
    this.#hub.publish("index_progress", { sessionId: null }, { done, total, what: `making ${id}` });
  }
}

function rowOf({ id, title, cwd, created, entries }: GeneratedSession): SessionSummary {
  const { usage } = EMPTY_FOLD;
  return {
    ...{ id, cwd, entries, created, usage, title },
    path: null,
    agent: "branchline",
    name: title,
    messages: entries,
    branches: 1,
    leaf: null,
    labels: [],
    diverged: false,
    modified: created,
    bytes: 0,
  };
}
