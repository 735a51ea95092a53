import type { BranchRow, SessionState } from "branchline/protocol/session.ts";
import { type ReactElement, useEffect } from "react";
import { useText } from "../i18n/language.ts";
import { switchTo } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Icon } from "../parts/icon.tsx";
import { firstWordsOf } from "../tree/tree-shape.ts";
import { useSignal } from "./signal.ts";

/** The name that a branch is shown by: its own, else its first words. */
export function branchName(
  model: SessionModel,
  branch: BranchRow | undefined,
  fallback: string,
): string {
  if (branch === undefined) return fallback;
  if (branch.name !== null) return branch.name;
  const shape = model.shape.get();
  const place = shape?.branches.find(({ id }) => id === branch.id);
  const words =
    shape === undefined || place === undefined
      ? undefined
      : model.previews.at(firstWordsOf(shape, place))?.text;
  return words ? words.slice(0, 40) : branch.id.slice(0, 8);
}

/** The branch that is written to; opens the list of all. */
export function BranchChip(parts: {
  readonly model: SessionModel;
  readonly state: SessionState;
}): ReactElement {
  const t = useText();
  const { model, state } = parts;
  const active = state.branches.find((branch) => branch.active || branch.id === state.branch);
  const fallback = t("app.mainBranch");
  useSignal(model.previews.version);
  const shape = useSignal(model.shape);
  useEffect(() => {
    const named = shape?.branches.slice(0, 200).map((one) => firstWordsOf(shape, one)) ?? [];
    model.previews.want(named.filter((at) => at >= 0));
  }, [model, shape]);
  return (
    <span className="branch-chip">
      <button
        type="button"
        className="chip branch"
        popoverTarget="branch-list"
        title={t("app.branches")}
      >
        <Icon name="workspace" />
        <span>{branchName(model, active, fallback)}</span>
        {state.branches.length > 1 && <span className="count">{state.branches.length}</span>}
      </button>
      <div id="branch-list" popover="auto" className="menu-list branch-list">
        {state.branches.slice(0, 200).map((branch) => (
          <button
            key={branch.id}
            type="button"
            className={branch.archived ? "menu-item faded" : "menu-item"}
            aria-current={branch.active}
            onClick={() => {
              document.getElementById("branch-list")?.hidePopover();
              if (branch.head !== null) void switchTo(model, branch.head);
            }}
          >
            <span>{branchName(model, branch, fallback)}</span>
            <span className="quiet">{branch.entries}</span>
          </button>
        ))}
      </div>
    </span>
  );
}
