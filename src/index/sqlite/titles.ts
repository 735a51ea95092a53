import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { summarize } from "../../store/summary.ts";
import { SessionTree } from "../../tree/session-tree.ts";

const HEADER: SessionHeader = { type: "session", id: "title", timestamp: "", cwd: "" };

/** The title that a session with these entries alone has: the rules are those of the summary. */
function titleOf(entries: readonly Entry[]): string | null {
  const tree = new SessionTree(HEADER.id);
  for (const entry of entries) tree.add(entry);
  return summarize({ header: HEADER, tree, entries, file: null, bytes: 0 }).title;
}

/** The title that a user message makes, or null where it has no text. */
export function promptOf(message: Entry): string | null {
  return titleOf([message]);
}

/** The title that a session's name makes, or null where it has none. */
export function nameTitle(name: string | null): string | null {
  if (name === null) return null;
  const base = { id: "name", parentId: null, timestamp: "" };
  return titleOf([{ type: "session_info", ...base, name }]);
}
