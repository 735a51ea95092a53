import type { HealthView } from "branchline/protocol/operation.ts";
import { type ReactElement, useEffect, useState } from "react";
import { readHealth } from "../api/api.ts";
import { useKeys } from "../app/keys.ts";
import { go } from "../app/location.ts";
import { bytesText, countText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { FailureNote, Loading } from "../parts/notice.tsx";
import { kindKey } from "../parts/role-mark.tsx";
import { ArchiveCard } from "./archive-card.tsx";

/** Problems that are listed, and how many of each list the server tells at most. */
const SHOWN = 100;
const TOLD = { problems: 500, largest: 20, secrets: 200 } as const;

/** The checked file: problems, sizes, largest entries, secrets. */
export function FileHealth({ model }: { readonly model: SessionModel }): ReactElement {
  const t = useText();
  const [health, setHealth] = useState<HealthView>();
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  const again = (): void => {
    setHealth(undefined);
    setRound(round + 1);
  };
  useKeys({ "shift+f": () => again() as undefined });
  // biome-ignore lint/correctness/useExhaustiveDependencies: round asks for the same again
  useEffect(() => {
    const fetching = new AbortController();
    readHealth(model.id, fetching.signal).then(
      (read) => {
        setHealth(read);
        setError(undefined);
      },
      (thrown) => fetching.signal.aborted || setError(thrown),
    );
    return () => fetching.abort();
  }, [model, round]);
  if (error !== undefined) return <FailureNote error={error} onRetry={again} />;
  if (health === undefined) return <Loading />;
  return (
    <>
      <p className={health.ok ? "health-word ok" : "health-word bad"}>
        <Icon name={health.ok ? "check" : "close"} />
        {health.ok
          ? t("health.ok", { n: countText(health.entries) })
          : t(health.problems.length >= TOLD.problems ? "health.problemsMore" : "health.problems", {
              n: health.problems.length,
            })}
      </p>
      <Problems health={health} />
      <div className="row">
        <Button onClick={again}>{t("health.run")}</Button>
        <span className="quiet small">
          {t("health.total")}: {bytesText(health.bytes)}
        </span>
      </div>
      <ArchiveCard model={model} onDone={again} />
      <Sizes health={health} />
      <Largest health={health} />
      <Secrets health={health} />
    </>
  );
}

function Problems({ health }: { readonly health: HealthView }): ReactElement {
  const t = useText();
  const { problems } = health;
  return (
    <ul className="problems">
      {problems.slice(0, SHOWN).map((problem) => (
        <li key={`${problem.reason}${problem.start}`}>
          <code>{problem.reason}</code>
          {problem.line !== null && (
            <span className="quiet small">{t("health.line", { n: problem.line })}</span>
          )}
          <span>{problem.text}</span>
        </li>
      ))}
      {problems.length > SHOWN && (
        <li className="cut-note">
          {t(problems.length >= TOLD.problems ? "health.cutMore" : "health.cut", {
            shown: SHOWN,
            total: countText(problems.length),
          })}
        </li>
      )}
    </ul>
  );
}

function Sizes({ health }: { readonly health: HealthView }): ReactElement {
  const t = useText();
  const most = Math.max(1, ...health.byKind.map(({ bytes }) => bytes));
  return (
    <section>
      <h2>{t("health.size")}</h2>
      <ul className="sizes">
        {health.byKind.map(({ kind, entries, bytes }) => (
          <li key={kind}>
            <span>{kind.length === 1 ? t(kindKey(kind)) : kind}</span>
            <svg
              className="stats-bar"
              viewBox="0 0 100 4"
              preserveAspectRatio="none"
              aria-hidden="true"
            >
              <rect width={Math.max(1, (bytes / most) * 100)} height="4" />
            </svg>
            <span className="quiet small numbers">
              {countText(entries)} · {bytesText(bytes)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Largest({ health }: { readonly health: HealthView }): ReactElement | null {
  const t = useText();
  if (health.largest.length === 0) return null;
  return (
    <section>
      <h2>{t("health.largest")}</h2>
      <ol className="largest">
        {health.largest.map(({ entry, bytes, text }) => (
          <li key={entry}>
            <button
              type="button"
              className="link"
              onClick={() => go({ screen: "workspace", entry })}
            >
              {text || entry}
            </button>
            <span className="quiet small numbers">{bytesText(bytes)}</span>
          </li>
        ))}
      </ol>
      {health.largest.length >= TOLD.largest && (
        <p className="quiet small">
          {t("health.cut", { shown: health.largest.length, total: countText(health.entries) })}
        </p>
      )}
    </section>
  );
}

function Secrets({ health }: { readonly health: HealthView }): ReactElement {
  const t = useText();
  return (
    <section>
      <h2>{t("health.secrets")}</h2>
      {health.secrets.length === 0 && <p className="quiet">{t("health.noSecrets")}</p>}
      <ul className="largest">
        {health.secrets.map(({ entry, kind, masked }) => (
          <li key={entry + masked}>
            <button
              type="button"
              className="link"
              onClick={() => go({ screen: "workspace", entry })}
            >
              {kind}
            </button>
            <code>{masked}</code>
          </li>
        ))}
      </ul>
      {health.secrets.length >= TOLD.secrets && (
        <p className="cut-note small">{t("health.firstOnly", { n: TOLD.secrets })}</p>
      )}
    </section>
  );
}
