import type { SessionRow } from "branchline/protocol/session.ts";
import {
  createSession,
  patchSession,
  purgeSession,
  relocateSession,
  restoreSession,
  trashSession,
} from "../api/api.ts";
import { go } from "../app/location.ts";
import { text } from "../i18n/language.ts";
import { ask } from "../parts/ask.tsx";
import type { MenuItem } from "../parts/menu.tsx";
import { toast, toastFailure } from "../parts/toast.tsx";

/** Opens a session in the workspace, at an entry if one is given. */
export function openSessionPage(id: string, entry: string | null = null): void {
  go({
    screen: "workspace",
    session: id,
    entry,
    q: null,
    a: null,
    b: null,
    c: null,
    d: null,
    filter: null,
    mode: null,
  });
}

/** Makes a session and opens it. */
export async function newSession(): Promise<void> {
  try {
    openSessionPage((await createSession({})).row.id);
  } catch (error) {
    toastFailure(error);
  }
}

/** The title that a session is shown by. */
export const titleOf = (row: SessionRow): string =>
  row.name ?? row.title ?? text("library.untitled");

interface Act {
  readonly row: SessionRow;
  readonly reload: () => void;
}

async function attempt(work: Promise<unknown>, { reload }: Act): Promise<void> {
  try {
    await work;
    reload();
  } catch (error) {
    toastFailure(error);
  }
}

/** Asks for another name. */
export async function renameSession(act: Act): Promise<void> {
  const name = await ask({ title: text("library.rename"), initial: titleOf(act.row) });
  if (name !== null) await attempt(patchSession(act.row.id, { name: name.trim() || null }), act);
}

/** Pins or unpins. */
export const pinSession = (act: Act): Promise<void> =>
  attempt(patchSession(act.row.id, { pinned: !act.row.pinned }), act);

/** Archives or takes out of the archive. */
export const archiveSession = (act: Act): Promise<void> =>
  attempt(patchSession(act.row.id, { archived: !act.row.archived }), act);

/** Archives several, one after the other. */
export async function archiveMany(rows: readonly SessionRow[], reload: () => void): Promise<void> {
  try {
    for (const { id } of rows) await patchSession(id, { archived: true });
    toast({ text: `${text("done.archived")} · ${text("unit.sessions", { n: rows.length })}` });
  } catch (error) {
    toastFailure(error);
  }
  reload();
}

/** Moves to the trash; the word offers the way back. */
export async function removeSession(act: Act): Promise<void> {
  try {
    await trashSession(act.row.id);
  } catch (error) {
    return toastFailure(error);
  }
  act.reload();
  toast({
    text: text("library.removed"),
    verb: `branchline rm ${act.row.id.slice(0, 8)}`,
    action: {
      label: text("action.undo"),
      run: () => void attempt(restoreSession(act.row.id), act),
    },
  });
}

/** Destroys a session in the trash after its id was typed. */
export async function purgeForEver(act: Act): Promise<void> {
  const start = act.row.id.slice(0, 8);
  const answer = await ask({
    title: text("library.purge"),
    body: text("library.purgeAsk", { id: start }),
    danger: true,
    yes: text("library.purge"),
    accept: (typed) => typed.trim() === start,
  });
  if (answer !== null) await attempt(purgeSession(act.row.id), act);
}

/** Says where the working folder is now. */
export async function relocate(act: Act): Promise<void> {
  const cwd = await ask({
    title: text("library.cwd"),
    body: text("library.relocateNote"),
    initial: act.row.cwd,
  });
  if (cwd !== null && cwd.trim() !== "")
    await attempt(relocateSession(act.row.id, cwd.trim()), act);
}

/** Copies the id. */
export function copySessionId(row: SessionRow): void {
  navigator.clipboard
    .writeText(row.id)
    .then(() => toast({ text: text("app.copied") }), toastFailure);
}

/** Everything that can be done with a row of the library. */
export function sessionMenu(act: Act, shelf: string): readonly MenuItem[] {
  const { row } = act;
  if (shelf === "trash") {
    return [
      { label: text("library.restore"), run: () => void attempt(restoreSession(row.id), act) },
      { label: text("library.purge"), danger: true, run: () => void purgeForEver(act) },
    ];
  }
  return [
    { label: text("library.open"), hint: "Enter", run: () => openSessionPage(row.id) },
    { label: text("library.rename"), hint: "r", run: () => void renameSession(act) },
    {
      label: text(row.pinned ? "library.unpin" : "library.pin"),
      hint: "p",
      run: () => void pinSession(act),
    },
    {
      label: text(row.archived ? "library.unarchive" : "library.archive"),
      hint: "a",
      run: () => void archiveSession(act),
    },
    { label: text("library.relocate"), run: () => void relocate(act) },
    { label: text("library.copyId"), hint: "y", run: () => copySessionId(row) },
    { label: text("library.remove"), danger: true, run: () => void removeSession(act) },
  ];
}
