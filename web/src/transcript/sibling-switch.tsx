import type { TranscriptRow } from "branchline/protocol/tree.ts";
import type { ReactElement } from "react";
import { useText } from "../i18n/language.ts";
import { switchTo } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { IconButton } from "../parts/button.tsx";

/** Goes to another alternative of a row: where that one was left last, else to its newest end. */
export function switchSibling(model: SessionModel, row: TranscriptRow, by: number): boolean {
  const next = row.siblings[row.sibling + by];
  if (next === undefined) return false;
  const leaf = model.path.leaf;
  if (leaf !== null) model.lastLeaves.set(row.id, leaf);
  void switchTo(model, model.lastLeaves.get(next.id) ?? next.leaf);
  return true;
}

/** ‹2/3› at a fork, with the first words of the alternatives. */
export function SiblingSwitch(parts: {
  readonly model: SessionModel;
  readonly row: TranscriptRow;
}): ReactElement | null {
  const t = useText();
  const { model, row } = parts;
  const { siblings, sibling } = row;
  if (siblings.length < 2) return null;
  const words = (at: number): string => siblings[at]?.text ?? "";
  return (
    <span
      className="sibling-switch"
      title={siblings.map(({ text }, at) => `${at + 1}. ${text}`).join("\n")}
    >
      <IconButton
        icon="left"
        label={`${t("transcript.previousSibling")}${words(sibling - 1) && `: ${words(sibling - 1)}`}`}
        disabled={sibling === 0}
        onClick={() => switchSibling(model, row, -1)}
      />
      <span
        aria-label={t("transcript.siblings", { i: sibling + 1, n: siblings.length })}
        role="img"
      >
        {sibling + 1}/{siblings.length}
      </span>
      <IconButton
        icon="right"
        label={`${t("transcript.nextSibling")}${words(sibling + 1) && `: ${words(sibling + 1)}`}`}
        disabled={sibling >= siblings.length - 1}
        onClick={() => switchSibling(model, row, 1)}
      />
    </span>
  );
}
