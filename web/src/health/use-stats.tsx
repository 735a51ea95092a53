import type { StatsView } from "branchline/protocol/operation.ts";
import { type ReactElement, useEffect, useState } from "react";
import { readStats } from "../api/api.ts";
import { useKeys } from "../app/keys.ts";
import { costText, countText, tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { shortPath } from "../library/session-row-view.tsx";
import { Empty, FailureNote, Loading } from "../parts/notice.tsx";
import { DayHeat } from "./day-heat.tsx";

type By = "day" | "model" | "project" | "tool";
type StatsRow = StatsView["rows"][number];

const BYS: readonly By[] = ["day", "model", "project", "tool"];
/** Lines that are shown. */
const SHOWN = 60;

/** Tokens and cost by day, model, project or tool. */
export function UseStats(): ReactElement {
  const t = useText();
  const [by, setBy] = useState<By>("day");
  const [stats, setStats] = useState<StatsView>();
  const [error, setError] = useState<unknown>();
  useKeys({ v: () => void setBy(BYS[(BYS.indexOf(by) + 1) % BYS.length] ?? "day") });
  useEffect(() => {
    const fetching = new AbortController();
    setStats(undefined);
    readStats(by, fetching.signal).then(
      setStats,
      (thrown) => fetching.signal.aborted || setError(thrown),
    );
    return () => fetching.abort();
  }, [by]);
  return (
    <>
      <div className="row head-row">
        <h1>{t("health.stats")}</h1>
        <span className="spring" />
        <fieldset className="segments" aria-label={t("health.by")}>
          {BYS.map((one) => (
            <button key={one} type="button" aria-pressed={one === by} onClick={() => setBy(one)}>
              {t(`health.by.${one}`)}
            </button>
          ))}
        </fieldset>
      </div>
      {error !== undefined ? (
        <FailureNote error={error} />
      ) : stats === undefined ? (
        <Loading />
      ) : stats.rows.length === 0 ? (
        <Empty title={t("health.statsEmpty")} />
      ) : (
        <>
          {by === "day" && <DayHeat rows={stats.rows} />}
          <StatsTable rows={stats.rows} by={by} />
        </>
      )}
    </>
  );
}

function StatsTable({
  rows,
  by,
}: {
  readonly rows: readonly StatsRow[];
  readonly by: By;
}): ReactElement {
  const t = useText();
  const sorted = by === "day" ? rows.toSorted((a, b) => b.key.localeCompare(a.key)) : rows;
  const most = Math.max(...sorted.slice(0, SHOWN).map(weight), 1e-9);
  return (
    <table className="stats">
      <thead>
        <tr>
          <th scope="col">{t(`health.by.${by}`)}</th>
          <th scope="col">{t("health.input")}</th>
          <th scope="col">{t("health.output")}</th>
          <th scope="col">{t("health.cache")}</th>
          <th scope="col">{t("health.calls")}</th>
          <th scope="col">{t("health.cost")}</th>
        </tr>
      </thead>
      <tbody>
        {sorted.slice(0, SHOWN).map((row) => (
          <StatsLine key={row.key} row={row} share={weight(row) / most} />
        ))}
      </tbody>
      <StatsTotal rows={rows} />
    </table>
  );
}

/** Sums of all lines, also of those that are not shown; a price that is not known makes the sum a least one. */
function StatsTotal({ rows }: { readonly rows: readonly StatsRow[] }): ReactElement {
  const t = useText();
  const sum = (of: (row: StatsRow) => number): number =>
    rows.reduce((total, row) => total + of(row), 0);
  const cost = sum((row) => row.cost ?? 0);
  const cached = sum(({ cacheRead }) => cacheRead);
  const read = sum(({ input }) => input) + cached;
  const isUnknown = rows.some((row) => row.cost === null);
  const isCut = rows.length > SHOWN;
  return (
    <tfoot>
      <tr>
        <th scope="row">
          {t("health.sum")}
          {isCut && (
            <span className="quiet small">
              {" "}
              {t("health.cut", { shown: SHOWN, total: countText(rows.length) })}
            </span>
          )}
        </th>
        <td className="numbers">{tokensText(sum(({ input }) => input))}</td>
        <td className="numbers">{tokensText(sum(({ output }) => output))}</td>
        <td className="numbers">{read === 0 ? "–" : `${Math.round((cached / read) * 100)} %`}</td>
        <td className="numbers">{countText(sum(({ calls }) => calls))}</td>
        <td className="numbers" title={isUnknown ? t("health.atLeast") : undefined}>
          {isUnknown && cost > 0 ? `≥ ${costText(cost)}` : costText(isUnknown ? null : cost)}
        </td>
      </tr>
    </tfoot>
  );
}

/** What the bar shows: cost, or tokens where no price is known. */
const weight = ({ cost, input, output, cacheRead }: StatsRow): number =>
  cost !== null && cost > 0 ? cost : (input + output + cacheRead) * 1e-9;

function StatsLine({
  row,
  share,
}: {
  readonly row: StatsRow;
  readonly share: number;
}): ReactElement {
  const read = row.input + row.cacheRead;
  return (
    <tr>
      <th scope="row" title={row.key}>
        <span className="stats-name">{shortPath(row.key) || "–"}</span>
        <svg
          className="stats-bar"
          viewBox="0 0 100 4"
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <rect width={Math.max(1, share * 100)} height="4" />
        </svg>
      </th>
      <td className="numbers">{tokensText(row.input)}</td>
      <td className="numbers">{tokensText(row.output)}</td>
      <td className="numbers">
        {read === 0 ? "–" : `${Math.round((row.cacheRead / read) * 100)} %`}
      </td>
      <td className="numbers">{countText(row.calls)}</td>
      <td className="numbers">{costText(row.cost)}</td>
    </tr>
  );
}
