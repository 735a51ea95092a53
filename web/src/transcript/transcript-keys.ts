import type { TranscriptRow } from "branchline/protocol/tree.ts";
import { useState } from "react";
import { useKeys } from "../app/keys.ts";
import { go, replaceRoute } from "../app/location.ts";
import { chosenEntry } from "../app/overlays.ts";
import { pathIndexOf } from "../model/path-index.ts";
import {
  forkAt,
  labelEntry,
  moveHere,
  nameBranch,
  redo,
  setHidden,
  undo,
} from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { marksOfPath, nextOf } from "../tree/path-marks.ts";
import { editRow, pickForCompare, questionOf, retryRow } from "./row-actions.ts";
import type { RowList } from "./row-list.ts";
import { switchSibling } from "./sibling-switch.tsx";

interface KeyParts {
  readonly model: SessionModel;
  readonly list: RowList;
  readonly jump: (index: number) => void;
}

/** What the keys `t` and `o` opened. */
export interface TranscriptView {
  readonly openTools: boolean;
  readonly openThinking: boolean;
}

/** The keys of the workspace (product.md §4, S2). */
export function useTranscriptKeys(parts: KeyParts): TranscriptView {
  const { model, list } = parts;
  const [view, setView] = useState<TranscriptView>({ openTools: false, openThinking: false });
  const on = (act: (row: TranscriptRow) => unknown) => (): boolean => {
    const row = rowInHand(parts);
    if (row === undefined) return false;
    act(row);
    return true;
  };
  const prompts = (by: 1 | -1) => (): undefined => step(parts, "prompts", by);
  const forks = (by: 1 | -1) => (): undefined => step(parts, "forks", by);
  useKeys({
    j: prompts(1),
    k: prompts(-1),
    "]": forks(1),
    "[": forks(-1),
    arrowleft: () => sibling(parts, -1),
    arrowright: () => sibling(parts, 1),
    s: on((row) => moveHere(model, row.id)),
    e: on((row) => {
      const question = questionOf(model, row);
      if (question !== undefined) editRow(question);
    }),
    "shift+r": on((row) => retryRow(model, row)),
    b: on((row) => nameBranch(model, row.id)),
    f: on((row) => forkAt(model, row.id)),
    "shift+l": on((row) => labelEntry(model, row.id, row.label)),
    h: on((row) => setHidden(model, row.id, row.sent !== "hidden" && row.sent !== "replaced")),
    c: on((row) => go({ screen: "context", entry: row.id })),
    "shift+d": on((row) => pickForCompare(model, row.id)),
    t: () => void setView({ ...view, openTools: !view.openTools }),
    o: () => void setView({ ...view, openThinking: !view.openThinking }),
    u: () => void undo(model),
    "shift+u": () => void redo(model),
    "shift+g": () => void list.scrollToIndex(model.path.total - 1, { align: "end" }),
    escape: () => {
      chosenEntry.set(null);
      replaceRoute({ entry: null });
      return undefined;
    },
  });
  return view;
}

/** The chosen row, else the last one in view. */
function rowInHand({ model, list }: KeyParts): TranscriptRow | undefined {
  const chosen = chosenEntry.get();
  const index = chosen === null ? undefined : pathIndexOf(model, chosen);
  if (index !== undefined) return model.path.at(index);
  const items = list.getVirtualItems();
  for (const { index: at } of items.toReversed()) {
    const row = model.path.at(at);
    if (row !== undefined && row.kind !== "o" && row.kind !== "k") return row;
  }
  return undefined;
}

/** Goes to the next question or fork; the skeleton knows where they are. */
function step(parts: KeyParts, what: "prompts" | "forks", by: 1 | -1): undefined {
  const { model, list, jump } = parts;
  const shape = model.shape.get();
  if (shape === undefined) return;
  const marks = marksOfPath(shape);
  const chosen = chosenEntry.get();
  const middle = list.getVirtualItems().at(by === 1 ? 0 : -1)?.index ?? 0;
  const from = (chosen === null ? undefined : pathIndexOf(model, chosen)) ?? middle;
  const index = nextOf(marks[what], from, by);
  if (index === undefined) return;
  const place = marks.places[index] ?? 0;
  chosenEntry.set(model.path.at(index)?.id ?? model.nameOf(place));
  jump(index);
}

function sibling(parts: KeyParts, by: 1 | -1): boolean {
  const row = rowInHand(parts);
  const at = row === undefined ? undefined : rowWithSiblings(parts.model, row);
  return at !== undefined && switchSibling(parts.model, at, by);
}

/** The row itself or the nearest one above that has alternatives. */
function rowWithSiblings(model: SessionModel, row: TranscriptRow): TranscriptRow | undefined {
  for (let at = model.path.indexOf(row.id) ?? -1; at >= 0; at--) {
    const above = model.path.at(at);
    if (above === undefined) return undefined;
    if (above.siblings.length > 1) return above;
  }
  return undefined;
}
