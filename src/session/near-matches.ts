/** How many suggestions a hint names. */
const MAX_SUGGESTIONS = 3;
/** Names with more edits than this are not what somebody meant. */
const MAX_DISTANCE = 2;

/** Which of the names are so close to a text that a slip of the finger explains it; nearest first. */
export function nearMatches(text: string, names: Iterable<string>): readonly string[] {
  const wanted = text.toLowerCase();
  const found: { readonly name: string; readonly distance: number }[] = [];
  for (const name of names) {
    if (Math.abs(name.length - text.length) > MAX_DISTANCE) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance <= MAX_DISTANCE && distance < wanted.length) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance);
  return found.slice(0, MAX_SUGGESTIONS).map(({ name }) => name);
}

/** Ids that begin like the text, or with all but its last character, in whatever case. */
export function nearIds(text: string, ids: Iterable<string>): readonly string[] {
  const start = text.slice(0, Math.max(3, text.length - 1)).toLowerCase();
  const found: string[] = [];
  for (const id of ids) {
    if (text.length >= 3 && id.toLowerCase().startsWith(start)) found.push(id);
    if (found.length === MAX_SUGGESTIONS) break;
  }
  return found;
}

/** Characters to insert, remove or change to make one text of the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
