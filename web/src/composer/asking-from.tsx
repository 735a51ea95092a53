import type { SessionState } from "branchline/protocol/session.ts";
import type { ReactElement } from "react";
import { branchName } from "../app/branch-chip.tsx";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";

/** Says under which branch and entry the next message goes, so that nobody writes into the wrong one. */
export function AskingFrom(parts: {
  readonly model: SessionModel;
  readonly edits: string | null;
  readonly onCancel: () => void;
}): ReactElement | null {
  const t = useText();
  const { model, edits } = parts;
  const state = useSignal(model.state);
  useSignal(model.path.version);
  if (state === undefined) return null;
  const active = state.branches.find((branch) => branch.active || branch.id === state.branch);
  const { path } = model;
  const last = path.at(path.total - 1);
  const words = last === undefined ? t("composer.fromStart") : last.text;
  if (edits !== null) {
    return (
      <p className="asking-from editing">
        <Icon name="edit" />
        <span>{t("composer.editing")}</span>
        <IconButton icon="close" label={t("app.cancel")} onClick={parts.onCancel} />
      </p>
    );
  }
  return (
    <p className="asking-from">
      <span>{t("composer.from")}</span>
      <strong>{branchName(model, active, t("app.mainBranch"))}</strong>
      <span aria-hidden="true">·</span>
      <span className="asking-entry">{words || last?.id.slice(0, 8)}</span>
      <AnswersWith state={state} />
    </p>
  );
}

/** Says that the offline model answers, and for which one it stands in. */
function AnswersWith({ state }: { readonly state: SessionState }): ReactElement | null {
  const t = useText();
  const { model, insteadOf } = state;
  if (model === null || (!model.isOffline && insteadOf === null)) return null;
  const other = model.isOffline ? t("app.offlineModel") : model.name;
  const why =
    insteadOf === null ? t("model.offline") : t("composer.insteadOf", { name: insteadOf, other });
  return (
    <span className="chip answers-with" title={why}>
      {other}
    </span>
  );
}
