import { type ReactElement, useEffect, useState } from "react";
import { type Packed, packSession, unpackSession } from "../api/api.ts";
import { useSignal } from "../app/signal.ts";
import { bytesText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { toast, toastFailure } from "../parts/toast.tsx";

/** Savings below this share of the file are not worth a word. */
const WORTH = 0.1;

/** Says what packing the file would save, and does it after the plan was seen; a packed file is brought back here. */
export function ArchiveCard(parts: {
  readonly model: SessionModel;
  /** Reads the health again. */
  readonly onDone: () => void;
}): ReactElement | null {
  const t = useText();
  const { model, onDone } = parts;
  const row = useSignal(model.state)?.row;
  const isPacked = row?.path?.endsWith(".zst") === true;
  const plan = usePlan(model, row !== undefined && !row.sample && !isPacked);
  const [isAsked, setAsked] = useState(false);
  const act = (work: Promise<Packed>, said: (packed: Packed) => void): void => {
    setAsked(false);
    work.then(async (packed) => {
      said(packed);
      await model.refresh();
      onDone();
    }, toastFailure);
  };
  const unpack = (): void =>
    act(unpackSession(model.id), () => toast({ text: t("health.unpacked") }));
  const pack = (): void =>
    act(packSession(model.id, { apply: true }), ({ bytesBefore, bytesAfter }) =>
      toast({
        text: t("health.packed", { bytes: bytesText(bytesBefore - bytesAfter) }),
        verb: `branchline archive ${model.id.slice(0, 8)} --apply`,
        action: { label: t("action.undo"), run: unpack },
      }),
    );
  if (isPacked) {
    return (
      <section className="archive-card">
        <p>{t("health.isPacked")}</p>
        <Button icon="undo" onClick={unpack}>
          {t("health.unpack")}
        </Button>
      </section>
    );
  }
  if (plan === undefined || plan.bytesBefore - plan.bytesAfter < plan.bytesBefore * WORTH)
    return null;
  return (
    <section className="archive-card">
      <p>
        <strong>
          {t("health.archive", { bytes: bytesText(plan.bytesBefore - plan.bytesAfter) })}
        </strong>
        <span className="quiet small">
          {bytesText(plan.bytesBefore)} → {bytesText(plan.bytesAfter)}
        </span>
      </p>
      <Button icon="archive" onClick={() => setAsked(true)}>
        {t("health.pack")}
      </Button>
      {isAsked && <PlanDialog plan={plan} onYes={pack} onNo={() => setAsked(false)} />}
    </section>
  );
}

/** What packing would do; nothing is written for it. */
function usePlan(model: SessionModel, isWanted: boolean): Packed | undefined {
  const [plan, setPlan] = useState<Packed>();
  useEffect(() => {
    if (!isWanted) return setPlan(undefined);
    let isOver = false;
    packSession(model.id, { apply: false }).then(
      (packed) => isOver || setPlan(packed),
      (error: unknown) => console.debug("archive", error),
    );
    return () => {
      isOver = true;
    };
  }, [model, isWanted]);
  return plan;
}

function PlanDialog(parts: {
  readonly plan: Packed;
  readonly onYes: () => void;
  readonly onNo: () => void;
}): ReactElement {
  const t = useText();
  const { plan, onYes, onNo } = parts;
  return (
    <Dialog title={t("health.packTitle")} onClose={onNo}>
      <p className="quiet">{t("health.packBody")}</p>
      <dl className="facts plan-facts">
        <dt>{t("health.now")}</dt>
        <dd className="numbers">{bytesText(plan.bytesBefore)}</dd>
        <dt>{t("health.after")}</dt>
        <dd className="numbers">≈ {bytesText(plan.bytesAfter)}</dd>
        <dt>{t("health.saved")}</dt>
        <dd className="numbers">≈ {bytesText(plan.bytesBefore - plan.bytesAfter)}</dd>
      </dl>
      <div className="row end">
        <Button onClick={onNo}>{t("app.cancel")}</Button>
        <Button kind="primary" icon="archive" onClick={onYes}>
          {t("health.packNow")}
        </Button>
      </div>
    </Dialog>
  );
}
