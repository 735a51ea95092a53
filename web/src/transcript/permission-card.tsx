import type { SessionState } from "branchline/protocol/session.ts";
import { type ReactElement, useState } from "react";
import { decidePermission } from "../api/api.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button } from "../parts/button.tsx";
import { RoleMark } from "../parts/role-mark.tsx";
import { toast, toastFailure } from "../parts/toast.tsx";
import { fieldsOf, jsonText } from "./entry-content.ts";

/** Calls that wait for a person. */
export function PermissionCards({ model }: { readonly model: SessionModel }): ReactElement | null {
  const state = useSignal(model.state);
  const run = state?.run?.id;
  if (state === undefined || run === undefined) return null;
  return (
    <>
      {state.permissions.map((call) => (
        <PermissionCard key={call.callId} model={model} run={run} call={call} />
      ))}
    </>
  );
}

function PermissionCard(parts: {
  readonly model: SessionModel;
  readonly run: string;
  readonly call: SessionState["permissions"][number];
}): ReactElement {
  const t = useText();
  const { model, run, call } = parts;
  const [reason, setReason] = useState("");
  const [given, setGiven] = useState<string>();
  const decide = async (body: Parameters<typeof decidePermission>[2]): Promise<void> => {
    try {
      await decidePermission(run, call.callId, body);
      await model.refresh();
    } catch (error) {
      toastFailure(error);
    }
  };
  const rewrite = (): void => {
    if (given === undefined) {
      setGiven(jsonText(call.arguments));
      return;
    }
    const value = parsed(given);
    if (value === undefined) toast({ text: t("permission.bad"), tone: "error" });
    else void decide({ decision: "rewrite", arguments: value });
  };
  return (
    <section className="permission" aria-label={t("permission.title", { name: call.name })}>
      <h3>
        <RoleMark of="tool" />
        {t("permission.title", { name: call.name })}
      </h3>
      <p>{call.question}</p>
      {given === undefined ? (
        <div className="code-text">{jsonText(call.arguments)}</div>
      ) : (
        <textarea
          className="field code-text"
          rows={6}
          value={given}
          aria-label={t("tool.arguments")}
          onChange={(event) => setGiven(event.target.value)}
        />
      )}
      <input
        className="field"
        value={reason}
        placeholder={t("permission.reason")}
        aria-label={t("permission.reason")}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="row">
        <Button kind="primary" onClick={() => void decide({ decision: "allow" })}>
          {t("permission.allow")}
        </Button>
        <Button
          kind="danger"
          onClick={() => void decide({ decision: "block", ...(reason === "" ? {} : { reason }) })}
        >
          {t("permission.block")}
        </Button>
        <Button onClick={rewrite}>{t("permission.rewrite")}</Button>
      </div>
    </section>
  );
}

/** A JSON object, or undefined. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Object.keys(fieldsOf(value)).length > 0 || text.trim() === "{}" ? value : undefined;
  } catch {
    return undefined;
  }
}
