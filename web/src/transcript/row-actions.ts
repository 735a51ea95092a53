import type { TranscriptRow } from "branchline/protocol/tree.ts";
import { moveLeaf } from "../api/api.ts";
import { go } from "../app/location.ts";
import { draft, pickedSide } from "../app/overlays.ts";
import { text } from "../i18n/language.ts";
import {
  forkAt,
  labelEntry,
  moveHere,
  nameBranch,
  replaceInContext,
  send,
  setHidden,
} from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import type { MenuItem } from "../parts/menu.tsx";
import { toast, toastFailure } from "../parts/toast.tsx";
import { messageOf, plainText } from "./entry-content.ts";

/** Text of a message entry. */
export const rowText = (row: TranscriptRow): string =>
  plainText(messageOf(row.entry).content) || row.text;

/** Puts a question into the composer; sending asks it again beside the old one. */
export function editRow(row: TranscriptRow): void {
  draft.set({ text: rowText(row), edits: row.id });
}

/** Asks the same question again: another answer beside the old one, which is kept. */
export async function retryRow(model: SessionModel, row: TranscriptRow): Promise<void> {
  const question = questionOf(model, row);
  if (question === undefined) return;
  try {
    await moveLeaf({ sessionId: model.id, leafId: question.id });
    await send(model, { text: "", mode: "retry" });
  } catch (error) {
    toastFailure(error);
  }
}

/** Sends a text as an alternative to an earlier question. */
export async function askBeside(
  model: SessionModel,
  question: TranscriptRow,
  words: string,
): Promise<boolean> {
  return await send(model, { text: words, mode: "run", at: question.parentId });
}

/** The question that a row belongs to: itself or the nearest one above. */
export function questionOf(model: SessionModel, row: TranscriptRow): TranscriptRow | undefined {
  for (let at = model.path.indexOf(row.id) ?? -1; at >= 0; at--) {
    const above = model.path.at(at);
    if (above?.kind === "u") return above;
  }
  return undefined;
}

/** Picks one side of a comparison; the second pick opens it. */
export function pickForCompare(model: SessionModel, entry: string): void {
  const first = pickedSide.get();
  if (first === null || first === entry) {
    pickedSide.set(entry);
    toast({ text: text("done.pick") });
    return;
  }
  pickedSide.set(null);
  go({ screen: "compare", session: model.id, a: first, b: entry });
}

/** Everything that can be done with a row. */
export function rowMenu(model: SessionModel, row: TranscriptRow): readonly MenuItem[] {
  const isHidden = row.sent === "hidden" || row.sent === "replaced";
  const copy = (value: string): void => {
    navigator.clipboard
      .writeText(value)
      .then(() => toast({ text: text("app.copied") }), toastFailure);
  };
  return [
    { label: text("action.switch"), hint: "s", run: () => void moveHere(model, row.id) },
    ...(row.kind === "u"
      ? [{ label: text("action.edit"), hint: "e", run: () => editRow(row) }]
      : []),
    { label: text("action.retry"), hint: "R", run: () => void retryRow(model, row) },
    {
      label: text("action.label"),
      hint: "L",
      run: () => void labelEntry(model, row.id, row.label),
    },
    {
      label: text(isHidden ? "action.unhide" : "action.hide"),
      hint: "h",
      run: () => void setHidden(model, row.id, !isHidden),
    },
    {
      label: text("action.replace"),
      run: () => void replaceInContext(model, row.id, rowText(row)),
    },
    {
      label: text("action.context"),
      hint: "c",
      run: () => go({ screen: "context", entry: row.id }),
    },
    { label: text("action.compare"), hint: "D", run: () => pickForCompare(model, row.id) },
    { label: text("action.branch"), hint: "b", run: () => void nameBranch(model, row.id) },
    { label: text("action.fork"), hint: "f", run: () => void forkAt(model, row.id) },
    { label: text("action.copyText"), run: () => copy(rowText(row)) },
    { label: text("action.copyId"), run: () => copy(row.id) },
  ];
}
