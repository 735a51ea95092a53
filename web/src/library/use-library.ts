import type { SessionPage, SessionRow } from "branchline/protocol/session.ts";
import { useCallback, useEffect, useRef, useState } from "react";
import { listSessions, listTrash, type TrashRow } from "../api/api.ts";
import { eventStream } from "../api/event-stream.ts";
import type { LibraryFilter } from "./library-filter.ts";

/** What the library is asked for. */
export interface LibraryQuery extends LibraryFilter {
  readonly q: string;
}

/** The pages that are there so far. */
export interface LibraryState {
  readonly rows: readonly SessionRow[];
  readonly page: SessionPage | undefined;
  readonly error: unknown;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

const LIMIT = 100;
/** Events that come close together make one reading, in ms. */
const QUIET = 400;
/** Events after which the list is read again. */
const CHANGES = new Set([
  "session_created",
  "session_updated",
  "session_archived",
  "session_removed",
  "session_seen",
  "diverged",
  "agent_start",
  "label_changed",
  "run_done",
  "settled",
  "snapshot",
]);

/** Sessions that fit a query, page by page; follows the server's events. */
export function useLibrary(query: LibraryQuery): LibraryState {
  const [rows, setRows] = useState<readonly SessionRow[]>([]);
  const [page, setPage] = useState<SessionPage>();
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  const loading = useRef(false);
  const key = JSON.stringify(query);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: round asks for the same again
  useEffect(() => {
    const fetching = new AbortController();
    readPage(JSON.parse(key), null, fetching.signal).then(
      (first) => {
        setRows(first.sessions);
        setPage(first);
        setError(undefined);
      },
      (thrown) => fetching.signal.aborted || setError(thrown),
    );
    return () => fetching.abort();
  }, [key, round]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = eventStream.onEvent(({ type }) => {
      if (!CHANGES.has(type)) return;
      clearTimeout(timer);
      timer = setTimeout(reload, QUIET);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [reload]);
  const loadMore = (): void => {
    const cursor = page?.cursor;
    if (cursor == null || loading.current) return;
    loading.current = true;
    readPage(query, cursor)
      .then((next) => {
        setRows((known) => [...known, ...next.sessions]);
        setPage(next);
      }, setError)
      .finally(() => {
        loading.current = false;
      });
  };
  return { rows, page, error, loadMore, reload };
}

async function readPage(
  query: LibraryQuery,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<SessionPage> {
  if (query.shelf === "trash") return trashPage((await listTrash(signal)).sessions);
  const { q, project, agent, model, label, days, flags, sort, shelf } = query;
  const archived = shelf === "archived" ? "only" : undefined;
  const since = days === null ? undefined : sinceText(days);
  const asked = { q, project, agent, model, label, sort, archived, since, cursor, limit: LIMIT };
  const flagged = Object.fromEntries(flags.map((flag) => [flag, 1]));
  return await listSessions({ ...asked, ...flagged }, signal);
}

/** Midnight so many days ago: the same text for a day, so that the list is not read again for nothing. */
function sinceText(days: number): string {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  midnight.setDate(midnight.getDate() - days);
  return midnight.toISOString();
}

/** The trash as a page: little is known of what lies there. */
function trashPage(sessions: readonly TrashRow[]): SessionPage {
  return {
    sessions: sessions.map(({ id, path, title, trashed }) => ({
      ...UNKNOWN,
      id,
      path,
      title,
      modified: trashed,
      created: trashed,
    })),
    cursor: null,
    total: sessions.length,
    facets: { projects: [], agents: [], models: [] },
  };
}

const UNKNOWN: Omit<SessionRow, "id" | "path" | "title" | "modified" | "created"> = {
  ...{ agent: "", cwd: "", name: null, model: null, glyph: [], readOnly: null },
  ...{ entries: 0, messages: 0, branches: 0, bytes: 0 },
  ...{ pinned: false, archived: false, sample: false },
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: null },
};
