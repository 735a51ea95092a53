import type { SessionSummary } from "./store.ts";

/** Why a session is left alone: nobody asked for this one by name. */
export type ArchiveExemption = "age-unknown" | "archived" | "named" | "newest" | "recent";

/** One session and whether it would be archived; `exempt` null = it would. */
export interface ArchiveChoice {
  readonly session: SessionSummary;
  readonly exempt: ArchiveExemption | null;
}

/** What {@link chooseForArchive} goes by. */
export interface ArchiveRule {
  /** Present time in ms. */
  readonly now: number;
  /** Sessions that were used within this time stay, in ms. */
  readonly olderThanMs: number;
  /** Whether sessions with a name are archived, too. */
  readonly named: "keep" | "take";
}

/** Default age of a session that may be archived: 30 days in ms. */
export const ARCHIVE_AGE_MS: number = 30 * 86_400_000;

/**
 * Which of these sessions are cold enough. The age comes from the content, never from the file's time,
 * which a copy or a backup changes (F017); a session without a time is never old. The newest session of
 * each working folder stays, so that "go on where I was" finds it. Only a proposal: archiving happens
 * when somebody asks for it (F016).
 */
export function chooseForArchive(
  sessions: readonly SessionSummary[],
  rule: ArchiveRule,
): readonly ArchiveChoice[] {
  const newest = newestByFolder(sessions);
  return sessions.map((session) => ({ session, exempt: exemption(session, { rule, newest }) }));
}

function exemption(
  session: SessionSummary,
  by: { readonly rule: ArchiveRule; readonly newest: ReadonlyMap<string, SessionSummary> },
): ArchiveExemption | null {
  const { now, olderThanMs, named } = by.rule;
  if (isArchived(session)) return "archived";
  const age = now - Date.parse(session.modified);
  if (Number.isNaN(age)) return "age-unknown";
  if (age < olderThanMs) return "recent";
  if (named === "keep" && session.name !== null) return "named";
  return by.newest.get(session.cwd) === session ? "newest" : null;
}

function newestByFolder(sessions: readonly SessionSummary[]): ReadonlyMap<string, SessionSummary> {
  const newest = new Map<string, SessionSummary>();
  for (const session of sessions) {
    if (isArchived(session)) continue;
    const known = newest.get(session.cwd);
    if (known === undefined || session.modified > known.modified) newest.set(session.cwd, session);
  }
  return newest;
}

/** True for the row of an archived session. */
export function isArchived(session: SessionSummary): boolean {
  return session.path?.endsWith(".zst") === true;
}
