import type { ReactElement } from "react";
import { useSignal } from "../app/signal.ts";
import { durationText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { RoleMark } from "../parts/role-mark.tsx";
import { blocksOf, fieldsOf } from "./entry-content.ts";
import { MessageBody } from "./message-body.tsx";
import { PermissionCards } from "./permission-card.tsx";
import { ToolRow } from "./tool-row.tsx";

/** What streams in now, below the last entry. Only this part renders while text arrives. */
export function LiveRow({ model }: { readonly model: SessionModel }): ReactElement {
  const t = useText();
  const live = useSignal(model.live);
  const blocks = blocksOf(fieldsOf(live.message).content);
  const isBusy = live.state !== "idle";
  return (
    <div className="live">
      {isBusy && (
        <article className="entry role-assistant streaming">
          <header className="entry-head">
            <RoleMark of="assistant" />
            <strong className="role-assistant">{t("role.assistant")}</strong>
            <span className="pulse" aria-hidden="true" />
            <span className="quiet small">
              {live.state === "compacting" ? t("run.compacting") : t("run.running")}
            </span>
          </header>
          {fieldsOf(live.message).role !== "user" && (
            <MessageBody blocks={blocks} openThinking={false} toolOf={() => undefined} />
          )}
          {live.tools.map((tool) => (
            <ToolRow
              key={tool.callId}
              tool={{ ...tool, output: outputOf(tool.output) }}
              startOpen={false}
            />
          ))}
          {live.retry && (
            <p className="quiet">
              {t("run.retry", { n: live.retry.attempt, time: durationText(live.retry.delayMs) })}
            </p>
          )}
        </article>
      )}
      <PermissionCards model={model} />
      {live.error !== null && (
        <p className="entry-error" role="alert">
          {t("run.error", { message: live.error })}
        </p>
      )}
    </div>
  );
}

/** Tools report their content plain or inside an object. */
function outputOf(output: unknown): unknown {
  const content = fieldsOf(output).content;
  return content ?? output;
}

/** Says the state of the run to screen readers; never the tokens. */
export function RunAnnouncer({ model }: { readonly model: SessionModel }): ReactElement {
  const t = useText();
  const live = useSignal(model.live);
  const tool = live.tools.find(({ state }) => state === "running");
  const words =
    live.error !== null
      ? t("run.error", { message: live.error })
      : live.state === "compacting"
        ? t("run.compacting")
        : live.state === "running"
          ? tool === undefined
            ? t("run.running")
            : t("run.tool", { name: tool.name })
          : t("run.settled");
  return (
    <div className="only-spoken" role="status" aria-live="polite">
      {words}
    </div>
  );
}
