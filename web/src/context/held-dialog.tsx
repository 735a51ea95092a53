import type { HeldText } from "branchline/protocol/tree.ts";
import type { ReactElement } from "react";
import { countText, timeText, tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";

/** Shows what a file would tell the model and where it came from; as plain text, whatever stands in it. */
export function HeldDialog(parts: {
  readonly held: readonly HeldText[];
  readonly onAgree: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const t = useText();
  const { held, onAgree, onClose } = parts;
  return (
    <Dialog title={t("held.title")} className="wide held-dialog" onClose={onClose}>
      <p className="quiet">{t("held.body")}</p>
      <ol className="held-texts">
        {held.map((text, at) => (
          <li key={text.entry}>
            <HeldFacts held={text} />
            <section
              className="held-text"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keys
              tabIndex={0}
              aria-label={`${t("held.title")} ${at + 1}`}
            >
              {text.text}
            </section>
            <p className="quiet small">
              {text.text.length < text.length
                ? t("held.cut", {
                    shown: countText(text.text.length),
                    total: countText(text.length),
                  })
                : t("held.size", { n: text.length })}{" "}
              · {t("unit.tokens", { n: tokensText(text.tokens) })}
            </p>
          </li>
        ))}
      </ol>
      <div className="row end dialog-foot">
        <Button onClick={onClose}>{t("held.notNow")}</Button>
        <Button kind="primary" onClick={onAgree}>
          {t("held.agree")}
        </Button>
      </div>
    </Dialog>
  );
}

function HeldFacts({ held }: { readonly held: HeldText }): ReactElement {
  const t = useText();
  const { from, tools } = held;
  const file = from.file === null || from.line === null ? from.file : `${from.file}:${from.line}`;
  const facts = [
    [t("held.agent"), from.agent],
    [t("held.written"), timeText(from.timestamp)],
    [t("held.file"), file],
    [t("held.parent"), from.parentSession],
    [t("held.toolsAdded"), tools.added.join(", ")],
    [t("held.toolsRemoved"), tools.removed.join(", ")],
  ] as const;
  return (
    <dl className="facts">
      {facts.map(([name, value]) =>
        value === null || value === "" ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd title={value}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
