/** Bits of information for each character, from how often each one stands in the text. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

type Class = "lower" | "upper" | "digit" | "other";

function classOf(code: number): Class {
  if (code >= 97 && code <= 122) return "lower";
  if (code >= 65 && code <= 90) return "upper";
  return code >= 48 && code <= 57 ? "digit" : "other";
}

/** How the characters of a text change between small letters, capitals, digits and others. */
interface Mixture {
  readonly counts: Readonly<Record<Class, number>>;
  /** Changes from one class to another. */
  readonly changes: number;
  readonly longestLower: number;
  readonly digitGroups: number;
}

function mixtureOf(text: string): Mixture {
  const counts = { lower: 0, upper: 0, digit: 0, other: 0 };
  let changes = 0;
  let longestLower = 0;
  let run = 0;
  let digitGroups = 0;
  let last: Class | undefined;
  for (let at = 0; at < text.length; at++) {
    const now = classOf(text.charCodeAt(at));
    counts[now]++;
    if (now !== last) {
      changes += last === undefined ? 0 : 1;
      run = 0;
      if (now === "digit") digitGroups++;
    }
    run++;
    if (now === "lower") longestLower = Math.max(longestLower, run);
    last = now;
  }
  return { counts, changes, longestLower, digitGroups };
}

/**
 * Whether a word looks like the output of a random generator over letters and digits: small letters,
 * capitals and digits all through it, and no part that could be a word. Hexadecimal, numbers, UUIDs,
 * names in camel case and paths are not.
 */
export function looksRandom(text: string): boolean {
  const { counts, changes, longestLower, digitGroups } = mixtureOf(text);
  if (counts.lower < 3 || counts.upper < 3 || digitGroups < 3) return false;
  if (longestLower > 6 || counts.other > text.length / 8) return false;
  return (
    changes / text.length >= 0.4 && entropyOf(text) >= Math.min(4.1, Math.log2(text.length) - 0.7)
  );
}

/** Words that may be tokens. */
const WORD = /[\w+/=-]{32,129}/g;
/** Longer words are data, not keys. */
const LONGEST = 128;

/** Ids that services give out: they name, they do not open. */
const NAMING =
  /^(?:toolu|tooluse|srvtoolu|call|msg|req|chatcmpl|cmpl|resp|rs|fc|run|thread|asst|file|item|ws|gen|evt|cus|pi|ch|sub|price|prod|acct|batch|session|conv|step|trace|span)[_-]/i;
/** What stands before hashes and data. */
const HASH_BEFORE =
  /(?:sha-?(?:1|224|256|384|512)|md5|h1|integrity|etag|base64|checksum|digest|fingerprint)["']?[-:=,]\s?["']?$/i;
/** How public keys of SSH and common files begin. */
const PUBLIC = /^(?:AAAA|iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi|UEsDB|H4sI)/;

/** Random words of a text that nothing names: `[start, end)` places. */
export function randomWords(text: string): { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = [];
  let dataEnd = -1;
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    const start = match.index;
    const end = start + word.length;
    // A longer word comes in pieces that touch: none of them counts.
    const goesOn = start === dataEnd || word.length > LONGEST;
    if (goesOn) dataEnd = end;
    if (goesOn || NAMING.test(word) || PUBLIC.test(word) || !looksRandom(word)) continue;
    if (HASH_BEFORE.test(text.slice(Math.max(0, start - 24), start))) continue;
    if (isLineOfBlock(text, start, end)) continue;
    found.push({ start, end });
  }
  return found;
}

const WRAPPED = /^[A-Za-z\d+/=]{16,}$/;

/** Whether a word is one line of base64 that is wrapped over several, as certificates are. */
function isLineOfBlock(text: string, start: number, end: number): boolean {
  const isLine =
    (start === 0 || text[start - 1] === "\n") &&
    (end === text.length || /[\r\n]/.test(text[end] ?? ""));
  if (!isLine) return false;
  const before =
    text
      .slice(Math.max(0, start - 100), Math.max(0, start - 1))
      .split(/\r?\n/)
      .at(-1) ?? "";
  const after =
    text
      .slice(end, end + 100)
      .replace(/^\r?\n/, "")
      .split(/\r?\n/)[0] ?? "";
  return WRAPPED.test(before) || WRAPPED.test(after);
}
