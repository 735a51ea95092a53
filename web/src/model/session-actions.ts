import type { MoveAnswer } from "branchline/protocol/operation.ts";
import {
  type ChangeAnswer,
  change,
  changeSettings,
  moveLeaf,
  patchBranch,
  readEntry,
  startRun,
  stopRun,
} from "../api/api.ts";
import { ApiFailure } from "../api/api-failure.ts";
import { go } from "../app/location.ts";
import { chosenEntry, draft } from "../app/overlays.ts";
import type { MessageKey } from "../i18n/en.ts";
import { text } from "../i18n/language.ts";
import { ask } from "../parts/ask.tsx";
import { toast, toastFailure } from "../parts/toast.tsx";
import type { SessionModel } from "./session-model.ts";

/** Says what was done, which CLI verb does the same, and offers to undo it. */
function said(model: SessionModel, key: MessageKey, verb: string): void {
  const undoable = key !== "done.undo" && key !== "done.fork" && key !== "done.clone";
  toast({
    text: text(key),
    verb: `branchline ${verb}`,
    ...(undoable ? { action: { label: text("action.undo"), run: () => void undo(model) } } : {}),
  });
}

const short = (id: string): string => id.slice(0, 8);

/** Moves the leaf onto an entry, for everybody. */
export async function switchTo(model: SessionModel, entry: string): Promise<void> {
  try {
    const moving = moveLeaf({ sessionId: model.id, leafId: entry, ...leafGuard(model) });
    const shown = entry.startsWith("~") ? undefined : model.show(entry);
    const [answer] = await Promise.all([moving, shown]);
    await settle(model, answer);
    said(model, "done.moved", `switch ${short(entry)}`);
  } catch (error) {
    await refused(model, error);
  }
}

/** The leaf that the page believes in: a change is refused where somebody else was faster. */
export function leafGuard(model: SessionModel): { readonly ifLeaf?: string | null } {
  const state = model.state.get();
  return state === undefined ? {} : { ifLeaf: state.leaf };
}

/** Says why a change was refused; after a conflict the page shows what is there now. */
export async function refused(model: SessionModel, error: unknown): Promise<void> {
  const isConflict = error instanceof ApiFailure && error.code === "STORE_CONFLICT";
  if (isConflict) toast({ text: text("error.moved"), tone: "error" });
  else toastFailure(error);
  await model.refresh();
}

/** Moves as Pi does: a user message goes to its parent and gives its text to the composer. */
export const moveHere = (model: SessionModel, entry: string): Promise<unknown> =>
  perform(model, {
    verb: "select",
    body: { entry, ...leafGuard(model) },
    done: "done.moved",
    cli: `switch ${short(entry)}`,
  });

async function settle(model: SessionModel, answer: Partial<MoveAnswer>): Promise<void> {
  chosenEntry.set(null);
  if (answer.editorText) draft.set({ text: answer.editorText, edits: null });
  await model.refresh();
}

interface Change {
  readonly verb: string;
  readonly body?: unknown;
  readonly done: MessageKey;
  readonly cli: string;
}

/** One change with its word; undefined when it failed (and was said). */
export async function perform(
  model: SessionModel,
  what: Change,
): Promise<ChangeAnswer | undefined> {
  try {
    const answer = await change(model.id, what.verb, what.body);
    await settle(model, answer);
    said(model, what.done, what.cli);
    return answer;
  } catch (error) {
    await refused(model, error);
    return undefined;
  }
}

/** Takes the last operation back. */
export const undo = (model: SessionModel): Promise<unknown> =>
  perform(model, { verb: "undo", done: "done.undo", cli: "undo" });

/** Takes several operations back, one after the other; ends where one is refused. */
export async function undoMany(model: SessionModel, count: number): Promise<void> {
  for (let done = 0; done < count; done++) if ((await undo(model)) === undefined) return;
}

/** Does the operation again that was taken back. */
export const redo = (model: SessionModel): Promise<unknown> =>
  perform(model, { verb: "redo", done: "done.redo", cli: "redo" });

/** Asks for a label and sets it. */
export async function labelEntry(
  model: SessionModel,
  entry: string,
  present: string | null,
): Promise<void> {
  const label = await ask({
    title: text("action.label"),
    body: text("action.labelAsk"),
    initial: present ?? "",
  });
  if (label === null) return;
  const body = { entry, text: label.trim() === "" ? null : label.trim() };
  await perform(model, {
    verb: "labels",
    body,
    done: "done.label",
    cli: `label ${short(entry)} …`,
  });
}

/** Names a branch at an entry. */
export async function nameBranch(model: SessionModel, entry: string): Promise<void> {
  const name = await ask({
    title: text("action.branch"),
    body: text("action.branchAsk"),
    accept: (answer) => answer.trim() !== "",
  });
  if (name === null) return;
  const body = { name: name.trim(), at: entry };
  await perform(model, {
    verb: "branches",
    body,
    done: "done.branch",
    cli: `branch ${name.trim()} ${short(entry)}`,
  });
}

/** Hides an entry from the context, or shows it again. */
export const setHidden = (
  model: SessionModel,
  entry: string,
  isHidden: boolean,
): Promise<unknown> =>
  perform(model, {
    verb: "context-edits",
    body: { entry, action: isHidden ? "hide" : "unhide" },
    done: isHidden ? "done.hide" : "done.unhide",
    cli: `${isHidden ? "hide" : "unhide"} ${short(entry)}`,
  });

/** Asks for other words that the model reads in place of an entry's; the entry itself stays. */
export async function replaceInContext(
  model: SessionModel,
  entry: string,
  present: string,
): Promise<void> {
  const content = await ask({ title: text("action.replace"), initial: present, isLong: true });
  if (content === null) return;
  const body = { entry, action: "replace", content };
  const cli = `replace ${short(entry)} …`;
  await perform(model, { verb: "context-edits", body, done: "done.replace", cli });
}

/** A new session from an entry on, which opens. */
export async function forkAt(model: SessionModel, entry: string): Promise<void> {
  const answer = await perform(model, {
    verb: "fork",
    body: { at: entry },
    done: "done.fork",
    cli: `fork ${short(entry)}`,
  });
  openMade(answer);
}

/** A new session of the present path, which opens. */
export async function clonePath(model: SessionModel): Promise<void> {
  openMade(await perform(model, { verb: "clone", done: "done.clone", cli: "clone" }));
}

function openMade(answer: unknown): void {
  const made = (answer as { readonly row?: { readonly id?: unknown } } | undefined)?.row?.id;
  if (typeof made === "string") go({ screen: "workspace", session: made, entry: null });
}

/** Appends a compaction. */
export const compact = (model: SessionModel, instructions?: string): Promise<unknown> =>
  perform(model, {
    verb: "compact",
    body: instructions ? { instructions } : {},
    done: "done.compact",
    cli: "compact",
  });

/** Makes the context skip a compaction. */
export const uncompact = (model: SessionModel, compaction?: string): Promise<unknown> =>
  perform(model, {
    verb: "uncompact",
    body: compaction ? { compaction } : {},
    done: "done.uncompact",
    cli: "uncompact",
  });

/** Asks for the words and appends them as what another branch came to. */
export async function mergeFrom(model: SessionModel, from: string): Promise<void> {
  const last = await readEntry(model.id, from).catch(() => undefined);
  const summary = await ask({
    title: text("action.merge"),
    initial: last?.preview.text ?? "",
    isLong: true,
    accept: (words) => words.trim() !== "",
  });
  if (summary === null) return;
  const cli = `merge ${short(from)}`;
  await perform(model, { verb: "merge", body: { from, summary }, done: "done.merge", cli });
}

/** Appends a copy of an entry of another branch. */
export const pickEntry = (model: SessionModel, entry: string): Promise<unknown> =>
  perform(model, {
    verb: "pick",
    body: { entries: [entry] },
    done: "done.picked",
    cli: `pick ${short(entry)}`,
  });

/** Asks for another name of a branch. */
export async function renameBranch(model: SessionModel, branch: string): Promise<void> {
  const name = await ask({
    title: text("action.renameBranch"),
    body: text("action.branchAsk"),
    accept: (answer) => answer.trim() !== "",
  });
  if (name === null) return;
  try {
    await patchBranch(model.id, branch, { name: name.trim() });
    await model.refresh();
    said(model, "done.renamed", `branch -m ${name.trim()}`);
  } catch (error) {
    toastFailure(error);
  }
}

/** Puts a branch away. */
export async function archiveBranch(model: SessionModel, branch: string): Promise<void> {
  try {
    await patchBranch(model.id, branch, { archived: true });
    await model.refresh();
    said(model, "done.archived", `branch -d ${short(branch)}`);
  } catch (error) {
    toastFailure(error);
  }
}

/** Asks which tools wait for a person's word, and says so to the server; kept until it ends. */
export async function askBeforeTools(model: SessionModel): Promise<void> {
  const names = await ask({
    title: text("action.askTools"),
    body: text("action.askToolsNames"),
    initial: "write_note",
  });
  if (names === null) return;
  try {
    const asked = names.split(/[,，\s]+/).filter((name) => name !== "");
    await changeSettings(model.id, { ask: asked });
    toast({ text: text("done.askTools") });
  } catch (error) {
    toastFailure(error);
  }
}

/** Agrees that the held system text of the present path is sent, or takes that back; true = it was done. */
export async function agreeToHeld(model: SessionModel, instructions: boolean): Promise<boolean> {
  try {
    await changeSettings(model.id, { instructions });
    toast({
      text: text(instructions ? "held.done" : "held.takenBack"),
      ...(instructions ? { verb: "branchline ask --agree" } : {}),
    });
    await model.refresh();
    return true;
  } catch (error) {
    toastFailure(error);
    return false;
  }
}

/** What a message is sent with. */
export interface SendOptions {
  readonly text: string;
  readonly mode: "run" | "steer" | "followUp" | "nextTurn" | "retry";
  /** Entry that the message goes under; undefined = the leaf. */
  readonly at?: string | null | undefined;
}

/** Sends a message; true = it was taken. */
export async function send(model: SessionModel, options: SendOptions): Promise<boolean> {
  const { text: words, mode, at } = options;
  try {
    model.live.update((live) => ({ ...live, error: null }));
    const { model: answering, insteadOf } = await startRun(model.id, {
      ...(mode === "retry" ? {} : { text: words }),
      mode,
      ...(at === undefined ? {} : { at }),
      ...(mode === "run" && at === undefined ? leafGuard(model) : {}),
    });
    if (answering !== null && insteadOf !== null) {
      toast({ text: text("composer.insteadOf", { name: insteadOf, other: answering.name }) });
    }
    void model.refresh();
    return true;
  } catch (error) {
    await refused(model, error);
    return false;
  }
}

/** Stops the run; what waited comes back into the composer's list. */
export async function stop(model: SessionModel): Promise<void> {
  const run = model.live.get().runId ?? model.state.get()?.run?.id;
  if (run == null) return;
  try {
    await stopRun(run);
    await model.refresh();
  } catch (error) {
    toastFailure(error);
  }
}
