import type { ReactElement } from "react";
import type { MessageKey } from "../i18n/en.ts";
import { useText } from "../i18n/language.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { type Signal, useSignal } from "./signal.ts";
import { storedSignal } from "./stored-signal.ts";

/** Step that is shown; 0 = offered, -1 = done or put away. */
const step: Signal<number> = storedSignal<number>(
  "tour",
  0,
  (value): value is number => typeof value === "number",
);

const STEPS: readonly { readonly text: MessageKey; readonly verb: string }[] = [
  { text: "tour.1", verb: "branchline tree" },
  { text: "tour.2", verb: "branchline edit REV" },
  { text: "tour.3", verb: "branchline context" },
  { text: "tour.4", verb: "branchline compact · expand REV" },
  { text: "tour.5", verb: "branchline undo" },
];

/** Offers the tour in the library until it was taken or put away. */
export function TourOffer(): ReactElement | null {
  const t = useText();
  const at = useSignal(step);
  if (at !== 0) return null;
  return (
    <section className="card tour-offer">
      <h2>{t("tour.title")}</h2>
      <ol>
        {STEPS.map(({ text }) => (
          <li key={text}>{t(text)}</li>
        ))}
      </ol>
      <div className="row">
        <Button kind="primary" onClick={() => step.set(1)}>
          {t("tour.offer")}
        </Button>
        <Button onClick={() => step.set(-1)}>{t("app.dismiss")}</Button>
      </div>
    </section>
  );
}

/** The step of the tour that is shown over the workspace; each names the verb of the terminal. */
export function TourCard(): ReactElement | null {
  const t = useText();
  const at = useSignal(step);
  const present = STEPS[at - 1];
  if (present === undefined) return null;
  const isLast = at === STEPS.length;
  return (
    <aside className="tour-card" aria-label={t("tour.title")}>
      <div className="row">
        <span className="quiet small">{t("tour.step", { i: at, n: STEPS.length })}</span>
        <span className="spring" />
        <IconButton icon="close" label={t("app.dismiss")} onClick={() => step.set(-1)} />
      </div>
      <p>{t(present.text)}</p>
      <p className="quiet small">{t("tour.cli", { verb: present.verb })}</p>
      <div className="row end">
        {at > 1 && <Button onClick={() => step.set(at - 1)}>{t("app.back")}</Button>}
        <Button kind="primary" onClick={() => step.set(isLast ? -1 : at + 1)}>
          {isLast ? t("tour.done") : t("app.next")}
        </Button>
      </div>
    </aside>
  );
}
