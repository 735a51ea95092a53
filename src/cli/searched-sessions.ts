import { openedSession, type SearchedSession } from "../search/searched-session.ts";
import type { SessionSummary } from "../store/store.ts";
import type { FullText } from "./full-text.ts";
import type { Call } from "./verb.ts";

/**
 * The sessions of all roots, newest first, for work that reads them. Their rows come from the index
 * where there is one. Files that cannot be read are told and skipped.
 */
export async function* searchedSessions(
  call: Call,
  text: FullText | null,
  signal: AbortSignal,
): AsyncGenerator<SearchedSession> {
  const rows = text?.list() ?? (await listByReading(call, signal));
  for (const row of rows) yield searchedSession(call, row);
}

async function listByReading(call: Call, signal: AbortSignal): Promise<readonly SessionSummary[]> {
  return await call.sessions.list({
    signal,
    onSkip: (skip) => call.out.talk(`note: ${skip.path} was skipped: ${skip.reason}`),
  });
}

function searchedSession(call: Call, row: SessionSummary): SearchedSession {
  const { id: session, name, title, cwd, created } = row;
  const { store } = call.sessions.home;
  return {
    session,
    path: row.path,
    name,
    title,
    cwd,
    created,
    open: async () =>
      openedSession(await (row.path === null ? store.open(session) : store.openFile(row.path))),
  };
}
