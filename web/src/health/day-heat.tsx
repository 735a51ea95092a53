import type { StatsView } from "branchline/protocol/operation.ts";
import type { ReactElement } from "react";
import { tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { heatCells } from "./heat-cells.ts";

const CELL = 12;

/** The last half year, a column a week: how many tokens each day took. */
export function DayHeat({ rows }: { readonly rows: StatsView["rows"] }): ReactElement {
  const t = useText();
  const cells = heatCells(rows, new Date());
  const weeks = (cells.at(-1)?.week ?? 0) + 1;
  return (
    <svg
      className="day-heat"
      viewBox={`0 0 ${weeks * CELL} ${7 * CELL}`}
      role="img"
      aria-label={t("health.heat")}
    >
      {cells.map(({ day, week, weekday, tokens, level }) => (
        <rect
          key={day}
          className={`heat-${level}`}
          x={week * CELL + 1}
          y={weekday * CELL + 1}
          width={CELL - 2}
          height={CELL - 2}
          rx="2"
        >
          <title>{t("health.heatDay", { day, n: tokensText(tokens) })}</title>
        </rect>
      ))}
    </svg>
  );
}
