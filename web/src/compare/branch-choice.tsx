import { type ReactElement, useEffect, useMemo } from "react";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { filterMarks } from "../tree/tree-filter.ts";
import { visibleAbove } from "../tree/tree-rows.ts";
import { pathMarks, type TreeShape } from "../tree/tree-shape.ts";
import { visibleTree } from "../tree/visible-tree.ts";

/** An end that can be compared. */
export interface Choice {
  readonly id: string;
  readonly place: number;
  readonly name: string;
}

/** Ends that are offered. */
const MOST = 60;

/** The ends of branches, newest first; entries by their first words. */
export function useChoices(model: SessionModel): readonly Choice[] {
  const shape = useSignal(model.shape);
  useSignal(model.previews.version);
  const tips = useMemo(() => (shape === undefined ? [] : tipsOf(shape)), [shape]);
  useEffect(() => model.previews.want(tips), [model, tips]);
  const names = useMemo(() => (shape === undefined ? new Map() : endNames(shape)), [shape]);
  return tips.map((place) => ({
    id: nameAt(model, place),
    place,
    name: [names.get(place), model.previews.at(place)?.text.slice(0, 60) || `~${place}`]
      .filter((part) => part !== undefined)
      .join(" · "),
  }));
}

/** Names of branches by the place of what was said last on them. */
function endNames(shape: TreeShape): ReadonlyMap<number, string> {
  const marks = filterMarks(shape, "forks");
  const named = shape.branches.flatMap(({ head, name }) =>
    name === null ? [] : [[visibleAbove(shape, marks, head), name] as const],
  );
  return new Map(named);
}

function tipsOf(shape: TreeShape): readonly number[] {
  const tree = visibleTree(shape, filterMarks(shape, "forks"), pathMarks(shape, shape.leaf));
  const marks = filterMarks(shape, "forks");
  const tips: number[] = [];
  for (let place = shape.size - 1; place >= 0 && tips.length < MOST; place--) {
    if (marks[place] === 1 && tree.childCount[place] === 0) tips.push(place);
  }
  return tips;
}

/** The end of the active path as it is offered: what was said last, not the marks behind it. */
export function endHere(model: SessionModel): string | null {
  const shape = model.shape.get();
  if (shape === undefined) return null;
  const place = visibleAbove(shape, filterMarks(shape, "forks"), shape.leaf);
  return place < 0 ? null : nameAt(model, place);
}

const nameAt = (model: SessionModel, place: number): string =>
  model.previews.at(place)?.id ?? model.nameOf(place);

/** The branch that ends at an entry, unless it is the one that is written to or was put away. */
export function branchToArchive(model: SessionModel, leaf: string): string | undefined {
  const shape = model.shape.get();
  if (shape === undefined) return undefined;
  const marks = filterMarks(shape, "forks");
  const ends = ({ head }: { readonly head: number }): boolean =>
    nameAt(model, visibleAbove(shape, marks, head)) === leaf;
  const found = shape.branches.find((one) => !one.archived && ends(one))?.id;
  return found === model.state.get()?.branch ? undefined : found;
}

/** A list to choose one side from. */
export function BranchChoice(parts: {
  readonly side: string;
  readonly choices: readonly Choice[];
  readonly value: string | null;
  readonly onChange: (id: string) => void;
}): ReactElement {
  const t = useText();
  const { side, choices, value, onChange } = parts;
  const isKnown = value === null || choices.some(({ id }) => id === value);
  return (
    <select
      className="field branch-choice"
      aria-label={side}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value)}
    >
      {value === null && <option value="">{t("compare.choose")}</option>}
      {!isKnown && value !== null && <option value={value}>{value.slice(0, 12)}</option>}
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
