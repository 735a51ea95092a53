import type { ContextView } from "branchline/protocol/tree.ts";
import type { ReactElement } from "react";
import { countText, tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { contextSegments } from "./context-lines.ts";

/** The model's window as one bar; a click on a segment goes to its first message. */
export function ContextBar(parts: {
  readonly view: ContextView;
  readonly onPick: (index: number) => void;
}): ReactElement {
  const t = useText();
  const { view, onPick } = parts;
  const segments = contextSegments(view);
  const total = segments.reduce((sum, { tokens }) => sum + tokens, 0) || 1;
  return (
    <section className="context-bar" aria-label={t("context.bar")}>
      <div className="bar">
        {segments.map(({ part, tokens, first }) =>
          tokens === 0 ? null : (
            <button
              key={part}
              type="button"
              className={`segment part-${part}`}
              style={{ flexGrow: tokens / total }}
              disabled={first < 0}
              title={`${t(`context.part.${part}`)}: ${countText(tokens)}`}
              aria-label={`${t(`context.part.${part}`)}: ${t("unit.tokens", { n: tokens })}`}
              onClick={() => onPick(first)}
            />
          ),
        )}
      </div>
      <ul className="legend">
        {segments.map(({ part, tokens }) => (
          <li key={part}>
            <span className={`swatch part-${part}`} aria-hidden="true" />
            {t(`context.part.${part}`)} <span className="quiet">{tokensText(tokens)}</span>
          </li>
        ))}
      </ul>
      {view.contextWindow === null && <p className="quiet small">{t("context.windowUnknown")}</p>}
    </section>
  );
}
