/** ISO 8601 of a time in ms since the epoch; "" for what is no time that a date can hold. */
export function isoTime(ms: unknown): string {
  if (typeof ms !== "number") return "";
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}
