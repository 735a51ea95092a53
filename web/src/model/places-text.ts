/** Sorted places as the server reads them: `1,5,9-20`. */
export function placesText(places: readonly number[]): string {
  const parts: string[] = [];
  let from = places[0];
  if (from === undefined) return "";
  let to = from;
  for (const place of [...places.slice(1), -2]) {
    if (place === to + 1) {
      to = place;
      continue;
    }
    parts.push(from === to ? String(from) : `${from}-${to}`);
    from = place;
    to = place;
  }
  return parts.join(",");
}
