import type { ReactElement } from "react";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Empty, FailureNote } from "../parts/notice.tsx";
import { FileHealth } from "./file-health.tsx";
import { OperationLog } from "./operation-log.tsx";
import { UseStats } from "./use-stats.tsx";

/** S5: what was done, what it cost, whether the file is sound. Without a session only the numbers. */
export function HealthScreen({
  model,
}: {
  readonly model: SessionModel | undefined;
}): ReactElement {
  const t = useText();
  return (
    <main className="screen health" id="content">
      <section className="health-column" aria-label={t("health.operations")}>
        <h1>{t("health.operations")}</h1>
        {model === undefined ? (
          <Empty title={t("app.noSession")} body={t("app.noSessionBody")} />
        ) : (
          <SessionPart model={model}>
            <OperationLog model={model} />
          </SessionPart>
        )}
      </section>
      <section className="health-column" aria-label={t("health.stats")}>
        <UseStats />
      </section>
      <section className="health-column" aria-label={t("health.check")}>
        <h1>{t("health.check")}</h1>
        {model === undefined ? <Empty title={t("app.noSession")} /> : <FileHealth model={model} />}
      </section>
    </main>
  );
}

function SessionPart(parts: {
  readonly model: SessionModel;
  readonly children: ReactElement;
}): ReactElement {
  const failure = useSignal(parts.model.failure);
  if (failure === undefined) return parts.children;
  return <FailureNote error={failure} onRetry={() => void parts.model.open(null)} />;
}
