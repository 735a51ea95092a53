import type { DiffSide } from "branchline/protocol/operation.ts";
import { memo, type NamedExoticComponent, type ReactElement, useMemo, useState } from "react";
import { tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { pickEntry } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { messageRole, roleName } from "../parts/message-role.ts";
import { RoleMark } from "../parts/role-mark.tsx";
import { type DiffPiece, diffLines, diffWords } from "../parts/text-diff.ts";
import type { CompareRow } from "./compare-model.ts";
import { baseOf, LETTERS, type SideWord, sideWord } from "./compare-view.ts";

/** What is marked where two sides differ. */
export type Grain = "word" | "line";

/** Characters above which a row is clipped until it is opened, and above which lines are marked. */
const CLIPPED = 900;
const LONG = 20_000;

/** One turn of all columns. */
export const CompareRowView: NamedExoticComponent<{
  readonly model: SessionModel;
  readonly row: CompareRow;
  readonly grain: Grain;
}> = memo(({ model, row, grain }) => {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const { kind, sides } = row;
  const pieces = useMemo(() => piecesOf(row, grain), [row, grain]);
  const isLong = sides.some((side) => side !== null && isLongText(side.text));
  return (
    <div className={`diff-row ${kind}${isLong && !isOpen ? " clipped" : ""}`}>
      {sides.map((side, at) =>
        side === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
          <div key={at} className="diff-side none" />
        ) : (
          <SideView
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
            key={at}
            model={model}
            side={side}
            word={sideWord(sides, at)}
            pieces={pieces[at]}
          />
        ),
      )}
      {isLong && (
        <div className="diff-more">
          <Button onClick={() => setOpen(!isOpen)} icon="down">
            {t(isOpen ? "compare.less" : "compare.more")}
          </Button>
        </div>
      )}
    </div>
  );
});

const isLongText = (text: string): boolean =>
  text.length > CLIPPED || text.split("\n", 15).length === 15;

/** For each column its text in pieces, where it differs from the base; of two columns both are marked. */
function piecesOf(
  { kind, sides }: CompareRow,
  grain: Grain,
): readonly (readonly DiffPiece[] | undefined)[] {
  const from = baseOf(sides);
  const base = sides[from];
  if (kind === "same" || base == null) return [];
  const pieces = sides.map((side, at) =>
    at === from || side === null ? undefined : differing(base.text, side.text, grain),
  );
  const added = pieces.map((all) => all?.filter((piece) => piece.kind !== "removed"));
  const [second] = pieces.filter((all) => all !== undefined);
  if (sides.length === 2 && second !== undefined)
    added[from] = second.filter((piece) => piece.kind !== "added");
  return added;
}

function differing(left: string, right: string, grain: Grain): readonly DiffPiece[] {
  const isLong = left.length + right.length > LONG;
  return grain === "line" || isLong ? diffLines(left, right) : diffWords(left, right);
}

function Pieces({ pieces }: { readonly pieces: readonly DiffPiece[] }): ReactElement {
  return (
    <span>
      {pieces.map(({ kind, text }, at) => {
        const key = `${at}`;
        return kind === "same" ? (
          <span key={key}>{text}</span>
        ) : (
          <mark key={key} className={kind}>
            {text}
          </mark>
        );
      })}
    </span>
  );
}

function SideView(parts: {
  readonly model: SessionModel;
  readonly side: DiffSide;
  readonly word: SideWord;
  readonly pieces: readonly DiffPiece[] | undefined;
}): ReactElement {
  const t = useText();
  const { model, side, word, pieces } = parts;
  return (
    <div className="diff-side">
      <p className="diff-role small">
        <RoleMark of={messageRole(side.role)} />
        <span title={side.role}>{roleName(side.role, t)}</span>
        <span className="quiet numbers">{tokensText(side.tokens)}</span>
        <WordChip word={word} />
        <span className="spring" />
        {word.kind !== "none" && (
          <IconButton
            icon="plus"
            label={t("action.pick")}
            onClick={() => void pickEntry(model, side.entry)}
          />
        )}
      </p>
      <div className="plain-text">{pieces ? <Pieces pieces={pieces} /> : side.text}</div>
    </div>
  );
}

function WordChip({ word }: { readonly word: SideWord }): ReactElement | null {
  const t = useText();
  if (word.kind === "none") return null;
  if (word.kind === "equal") {
    return <span className="chip">{t("compare.equal", { name: LETTERS[word.column] ?? "" })}</span>;
  }
  return <span className={`chip ${word.kind}`}>{t(`compare.${word.kind}`)}</span>;
}
