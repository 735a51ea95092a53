import type { ReactElement } from "react";
import { useText } from "../i18n/language.ts";
import { Dialog } from "../parts/dialog.tsx";
import { KEY_GROUPS } from "./key-table.ts";
import { overlay } from "./overlays.ts";

/** All keys, opened by `?`. */
export function KeyOverlay(): ReactElement {
  const t = useText();
  return (
    <Dialog className="wide" title={t("app.keysTitle")} onClose={() => overlay.set(null)}>
      <div className="key-groups">
        {KEY_GROUPS.map(({ title, lines }) => (
          <section key={title}>
            <h3>{t(title)}</h3>
            <dl>
              {lines.map(({ keys, text }) => (
                <div key={text} className="key-line">
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{t(text)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
