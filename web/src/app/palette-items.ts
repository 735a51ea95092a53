import type { HitRow } from "branchline/protocol/operation.ts";
import type { SessionRow } from "branchline/protocol/session.ts";
import { useEffect, useState } from "react";
import { listSessions, search } from "../api/api.ts";
import { text } from "../i18n/language.ts";
import { newSession, openSessionPage, titleOf } from "../library/library-actions.ts";
import { openSession } from "../model/open-session.ts";
import {
  archiveBranch,
  askBeforeTools,
  clonePath,
  compact,
  redo,
  renameBranch,
  uncompact,
  undo,
} from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { go } from "./location.ts";
import { chosenEntry, overlay } from "./overlays.ts";
import { SCREENS } from "./route.ts";

/** One line of the palette. */
export interface PaletteItem {
  readonly id: string;
  readonly group: "palette.verbs" | "palette.sessions" | "palette.labels" | "palette.hits";
  readonly label: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly run: () => void;
}

function verbs(): PaletteItem[] {
  const model = openSession.get();
  const verb = (
    id: string,
    label: string,
    more: { hint?: string; run: () => void },
  ): PaletteItem => ({
    id,
    group: "palette.verbs",
    label,
    ...more,
  });
  const screens = SCREENS.map((screen, at) =>
    verb(`screen-${screen}`, text(`screen.${screen}`), {
      hint: `g ${at + 1}`,
      run: () => go({ screen }),
    }),
  );
  const everywhere = [
    verb("new", text("library.new"), { run: () => void newSession() }),
    verb("keys", text("app.keysTitle"), { hint: "?", run: () => overlay.set("keys") }),
    verb("model", text("model.add"), { run: () => overlay.set("model") }),
  ];
  if (model === undefined) return [...screens, ...everywhere];
  return [
    ...screens,
    verb("undo", text("action.undo"), { hint: "u", run: () => void undo(model) }),
    verb("redo", text("action.redo"), { hint: "U", run: () => void redo(model) }),
    verb("compact", text("action.compact"), { hint: "/compact", run: () => void compact(model) }),
    verb("uncompact", text("transcript.uncompact"), { run: () => void uncompact(model) }),
    ...branchVerbs(model, verb),
    verb("ask", text("action.askTools"), { run: () => void askBeforeTools(model) }),
    verb("clone", text("action.clone"), { run: () => void clonePath(model) }),
    verb("export", text("export.title"), { run: () => overlay.set("export") }),
    ...everywhere,
  ];
}

/** Verbs about the branch that is written to, where it has an id of its own. */
function branchVerbs(
  model: SessionModel,
  verb: (id: string, label: string, more: { run: () => void }) => PaletteItem,
): PaletteItem[] {
  const branch = model.state.get()?.branch;
  if (branch === undefined) return [];
  return [
    verb("rename-branch", text("action.renameBranch"), {
      run: () => void renameBranch(model, branch),
    }),
    verb("archive-branch", text("action.archiveBranch"), {
      run: () => void archiveBranch(model, branch),
    }),
  ];
}

function labels(): PaletteItem[] {
  const model = openSession.get();
  return (model?.state.get()?.labels ?? []).map(({ entry, text: label }) => ({
    id: `label-${entry}`,
    group: "palette.labels",
    label,
    run: () => {
      go({ screen: "workspace", entry });
      chosenEntry.set(entry);
      void model?.path.load(model.path.leaf, entry);
    },
  }));
}

const sessionItem = (row: SessionRow): PaletteItem => ({
  id: `session-${row.id}`,
  group: "palette.sessions",
  label: titleOf(row),
  detail: row.cwd,
  run: () => openSessionPage(row.id),
});

const hitItem = (hit: HitRow): PaletteItem => ({
  id: `hit-${hit.session}-${hit.entry}`,
  group: "palette.hits",
  label: hit.excerpt.replace(/\s+/g, " "),
  detail: hit.onActivePath
    ? (hit.title ?? "")
    : `${hit.title ?? ""} · ${text("library.leftBranch")}`,
  run: () => openSessionPage(hit.session, hit.entry),
});

/** Wait after a key before the server is asked, in ms; what the page knows answers at once. */
const WAIT = 120;

/** Items that fit a text: verbs and labels at once, sessions and hits from the server soon after. */
export function usePaletteItems(query: string): readonly PaletteItem[] {
  const [remote, setRemote] = useState<readonly PaletteItem[]>([]);
  useEffect(() => {
    const fetching = new AbortController();
    const timer = setTimeout(
      () => {
        readRemote(query, fetching.signal).then(setRemote, (error) =>
          console.debug("palette", error),
        );
      },
      query === "" ? 0 : WAIT,
    );
    return () => {
      clearTimeout(timer);
      fetching.abort();
    };
  }, [query]);
  const words = query.toLowerCase().split(/\s+/);
  const near = [...verbs(), ...labels()].filter(({ label }) =>
    words.every((word) => label.toLowerCase().includes(word)),
  );
  return [...near, ...remote];
}

async function readRemote(query: string, signal: AbortSignal): Promise<readonly PaletteItem[]> {
  const [page, found] = await Promise.all([
    listSessions({ q: query, limit: 8 }, signal),
    query.trim() === "" ? { hits: [] } : search(query, 12, signal),
  ]);
  return [...page.sessions.map(sessionItem), ...found.hits.map(hitItem)];
}
