import { usage } from "./usage.ts";

const SECOND = 1000;
const UNITS: readonly (readonly [string, number])[] = [
  ["y", 365 * 86_400 * SECOND],
  ["w", 7 * 86_400 * SECOND],
  ["d", 86_400 * SECOND],
  ["h", 3600 * SECOND],
  ["m", 60 * SECOND],
  ["s", SECOND],
];

/** How long ago an ISO time was, in one unit: `5m`, `3d`. `?` for what is no time. */
export function age(time: string, now: number): string {
  const ms = now - Date.parse(time);
  if (Number.isNaN(ms)) return "?";
  for (const [unit, size] of UNITS) if (ms >= size) return `${Math.floor(ms / size)}${unit}`;
  return "now";
}

/** A time given as an ISO date or as a length such as `7d`, as an ISO time. Throws USAGE. */
export function parseSince(text: string, now: number): string {
  const length = /^(\d+)([ywdhms])$/.exec(text);
  if (length !== null) {
    const size = UNITS.find(([unit]) => unit === length[2])?.[1] ?? 0;
    // Further back than a date can say is the beginning of time.
    return new Date(Math.max(0, now - Number(length[1]) * size)).toISOString();
  }
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw usage(`${text} is no date.`, "Use 2026-11-29, or 7d, 12h, 30m.");
  return new Date(time).toISOString();
}
