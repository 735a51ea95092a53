/** A range of ISO times: `from` ≤ time < `to`; "" = no bound. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
const LENGTHS: Readonly<Record<string, number>> = {
  y: 365 * DAY_MS,
  w: 7 * DAY_MS,
  d: DAY_MS,
  h: DAY_MS / 24,
  m: DAY_MS / 1440,
};

/** First ms of a year, month, day or time, and the first ms behind it; null for what is none. UTC. */
function span(text: string): readonly [number, number] | null {
  const parts = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text);
  if (parts === null) {
    const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? null : [time, time + 1];
  }
  const [, year, month, day] = parts.map(Number) as [number, number, number, number];
  const from = Date.UTC(year, (month || 1) - 1, day || 1);
  const shown = new Date(from).toISOString();
  if (!shown.startsWith(text)) return null;
  if (parts[2] === undefined) return [from, Date.UTC(year + 1, 0, 1)];
  if (parts[3] === undefined) return [from, Date.UTC(year, month, 1)];
  return [from, from + DAY_MS];
}

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * `2026`, `2026-10`, `2026-10-05`, an ISO time, a range `A..B` (both included, either may be missing) or
 * a length such as `7d` before `now` (ms since the epoch). null for what is none of these. UTC.
 */
export function dateRange(text: string, now: number): DateRange | null {
  const length = /^(\d{1,5})([ywdhm])$/.exec(text);
  if (length !== null) {
    return {
      from: iso(now - Number(length[1]) * (LENGTHS[length[2] as string] as number)),
      to: "",
    };
  }
  const [first = "", last, ...more] = text.split("..");
  if (more.length > 0 || (first === "" && !last)) return null;
  const from = first === "" ? undefined : span(first);
  const to = last === undefined ? from : last === "" ? undefined : span(last);
  if (from === null || to === null) return null;
  return { from: from === undefined ? "" : iso(from[0]), to: to === undefined ? "" : iso(to[1]) };
}
