/** Stands in the place of `transcript/row-actions.ts` in an exported page: looking and copying only. */
import type { TranscriptRow } from "branchline/protocol/tree.ts";
import { go } from "../app/location.ts";
import { text } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import type { MenuItem } from "../parts/menu.tsx";
import { toast, toastFailure } from "../parts/toast.tsx";
import { messageOf, plainText } from "../transcript/entry-content.ts";
import { switchTo } from "./look-actions.ts";

/** Text of a message entry. */
export const rowText = (row: TranscriptRow): string =>
  plainText(messageOf(row.entry).content) || row.text;

/** The question that a row belongs to: itself or the nearest one above. */
export function questionOf(model: SessionModel, row: TranscriptRow): TranscriptRow | undefined {
  for (let at = model.path.indexOf(row.id) ?? -1; at >= 0; at--) {
    const above = model.path.at(at);
    if (above?.kind === "u") return above;
  }
  return undefined;
}

const nothing = (): undefined => undefined;

/** What only a server can do. */
export const editRow: () => undefined = nothing;
/** See {@link editRow}. */
export const retryRow: () => undefined = nothing;
/** See {@link editRow}. */
export const pickForCompare: () => undefined = nothing;

/** Everything that can be done with a row. */
export function rowMenu(model: SessionModel, row: TranscriptRow): readonly MenuItem[] {
  const copy = (value: string): void => {
    navigator.clipboard
      .writeText(value)
      .then(() => toast({ text: text("app.copied") }), toastFailure);
  };
  return [
    { label: text("action.showPath"), run: () => void switchTo(model, row.id) },
    { label: text("screen.context"), run: () => go({ screen: "context", entry: row.id }) },
    { label: text("action.copyText"), run: () => copy(rowText(row)) },
    { label: text("action.copyId"), run: () => copy(row.id) },
  ];
}
