/** How long to wait, in seconds, by one of the headers; null = not said. */
function seconds(header: (name: string) => string | null | undefined, now: number): number | null {
  const ms = Number(header("retry-after-ms") || Number.NaN);
  if (Number.isFinite(ms)) return ms / 1000;
  const value = header("retry-after");
  if (!value) return null;
  const plain = Number(value);
  if (Number.isFinite(plain)) return plain;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}

/**
 * What the text of a refused request adds where its headers say how long to wait: ` (retry after 2 s)`, as
 * `retryAfterMs` reads it; else nothing.
 *
 * @param header the header of a name in small letters
 * @param now ms since the epoch, for headers that name a date
 */
export function retryAfterText(
  header: (name: string) => string | null | undefined,
  now: number,
): string {
  const wait = seconds(header, now);
  return wait === null ? "" : ` (retry after ${wait} s)`;
}
