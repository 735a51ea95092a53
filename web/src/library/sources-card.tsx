import { type ReactElement, useCallback, useEffect, useState } from "react";
import { consentSource, listSources, type SourceRow } from "../api/api.ts";
import { useText } from "../i18n/language.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { toastFailure } from "../parts/toast.tsx";

/** Agents' folders that were found on this machine; reading one takes one click. */
export function SourcesCard(): ReactElement {
  const t = useText();
  const [sources, setSources] = useState<readonly SourceRow[]>();
  const read = useCallback(() => {
    listSources().then(
      (answer) => setSources(answer.sources),
      (error) => {
        console.debug("sources", error);
        setSources([]);
      },
    );
  }, []);
  useEffect(read, [read]);
  const consent = (agent: string): void => {
    consentSource(agent).then(read, toastFailure);
  };
  return (
    <section className="card">
      <h2>{t("sources.title")}</h2>
      <p className="quiet">{sources?.length === 0 ? t("sources.none") : t("sources.body")}</p>
      <ul className="sources">
        {sources?.map((source) => (
          <li key={source.agent + source.root}>
            <Icon name="folder" />
            <span className="source-name">
              <strong>{source.agent}</strong>
              <span className="quiet small" title={source.root}>
                {source.root}
              </span>
            </span>
            <span className="quiet small numbers">
              {t("sources.count", { n: source.sessions })}
            </span>
            <SourceState source={source} onConsent={consent} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function SourceState(parts: {
  readonly source: SourceRow;
  readonly onConsent: (agent: string) => void;
}): ReactElement {
  const t = useText();
  const { source, onConsent } = parts;
  if (!source.readable) return <span className="chip">{t("sources.later")}</span>;
  if (source.consented) return <span className="chip ok">{t("sources.reading")}</span>;
  return <Button onClick={() => onConsent(source.agent)}>{t("sources.read")}</Button>;
}
