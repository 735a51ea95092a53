/** One day of the calendar. */
export interface HeatCell {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly week: number;
  /** 0 = Monday. */
  readonly weekday: number;
  readonly tokens: number;
  /** 0 = nothing … 4 = the most. */
  readonly level: number;
}

interface DayUse {
  readonly key: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
}

const WEEKS = 26;
const DAY_MS = 86_400_000;

/** The days of the last 26 weeks up to today, in UTC as the server counts them. Pure. */
export function heatCells(rows: readonly DayUse[], today: Date): readonly HeatCell[] {
  const tokensOf = new Map(
    rows.map(({ key, input, output, cacheRead }) => [key, input + output + cacheRead]),
  );
  const most = Math.max(1, ...tokensOf.values());
  const end = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate());
  const lastWeekday = (new Date(end).getUTCDay() + 6) % 7;
  const count = (WEEKS - 1) * 7 + lastWeekday + 1;
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(end - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const tokens = tokensOf.get(day) ?? 0;
    const level = tokens === 0 ? 0 : Math.max(1, Math.ceil((tokens / most) * 4));
    return { day, week: Math.floor(index / 7), weekday: index % 7, tokens, level };
  });
}
