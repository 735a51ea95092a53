import type { WireModel } from "branchline/protocol/session.ts";
import { type FormEvent, type ReactElement, useEffect, useState } from "react";
import { addModel, changeSettings, listModels } from "../api/api.ts";
import { tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { openSession } from "../model/open-session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { toastFailure } from "../parts/toast.tsx";
import { overlay } from "./overlays.ts";
import { useSignal } from "./signal.ts";

/** Chooses the model of the open session, or adds one. */
export function ModelDialog(): ReactElement {
  const t = useText();
  const session = useSignal(openSession);
  const [models, setModels] = useState<readonly WireModel[]>([]);
  useEffect(() => {
    listModels().then((answer) => setModels(answer.models), toastFailure);
  }, []);
  const choose = async (model: WireModel): Promise<void> => {
    overlay.set(null);
    if (session === undefined) return;
    try {
      const { provider, modelId } = model;
      await changeSettings(session.id, { model: `${provider}/${modelId}` });
      await session.refresh();
    } catch (error) {
      toastFailure(error);
    }
  };
  return (
    <Dialog title={t("app.model")} onClose={() => overlay.set(null)}>
      <ul className="model-list">
        {models.map((model) => (
          <li key={`${model.provider}/${model.modelId}`}>
            <button type="button" className="menu-item" onClick={() => void choose(model)}>
              <span>{model.name}</span>
              <span className="quiet small">
                {model.isOffline ? t("app.offlineModel") : model.provider}
                {model.contextWindow !== null && ` · ${tokensText(model.contextWindow)}`}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <AddModel />
    </Dialog>
  );
}

function AddModel(): ReactElement {
  const t = useText();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const field = (name: string): string => String(form.get(name) ?? "").trim();
    addModel({ baseUrl: field("url"), apiKey: field("key"), model: field("model") }).then(
      () => overlay.set(null),
      toastFailure,
    );
  };
  return (
    <form className="add-model" onSubmit={submit}>
      <h3>{t("model.add")}</h3>
      <p className="quiet">{t("model.addBody")}</p>
      <input
        className="field"
        name="url"
        type="url"
        required
        placeholder={t("model.url")}
        aria-label={t("model.url")}
      />
      <input
        className="field"
        name="key"
        type="password"
        autoComplete="off"
        placeholder={t("model.key")}
        aria-label={t("model.key")}
      />
      <input
        className="field"
        name="model"
        required
        placeholder={t("model.name")}
        aria-label={t("model.name")}
      />
      <div className="row end">
        <button type="submit" className="button primary">
          <span>{t("model.add")}</span>
        </button>
      </div>
    </form>
  );
}
