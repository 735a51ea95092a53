import { base64Runs } from "./base64-text.ts";
import {
  type DecodedText,
  withoutColors,
  withoutEscapes,
  withoutPercents,
} from "./escaped-text.ts";
import { KEYED, KEYED_FAMILIES } from "./keyed-families.ts";
import { MODEL_FAMILIES } from "./model-families.ts";
import { type Person, personalMatches } from "./personal-names.ts";
import { randomWords } from "./randomness.ts";
import { SERVICE_FAMILIES } from "./service-families.ts";
import { STRUCTURED_FAMILIES, structuredMatches } from "./structured-secrets.ts";
import { familyMatches, familySet, type Match } from "./token-family.ts";

/** Secrets that are known by how they begin. */
const KNOWN = familySet([...MODEL_FAMILIES, ...SERVICE_FAMILIES]);

/** Names of all kinds of secrets that are looked for, without those of paths and people. Sorted. */
export const SECRET_KINDS: readonly string[] = [
  ...new Set([
    ...[...KNOWN.families, ...KEYED_FAMILIES, ...STRUCTURED_FAMILIES].map(({ kind }) => kind),
    "private-key",
    "random-text",
  ]),
].sort();

/** How deep escapes in escapes are undone. */
const ESCAPE_LEVELS = 3;
/** How deep base64 in base64 is looked into. */
const BASE64_LEVELS = 2;

/** What a search looks for. */
export interface SecretSearch {
  /** Random words that nothing names count as secrets. */
  readonly randomness: boolean;
  /** Names before values count: `password=…`. False for ids and data. */
  readonly names: boolean;
  /** Whose folders and names count too. */
  readonly person: Person | null;
}

/**
 * Secrets of a text: as it stands, without JSON's escapes and percent codes, and inside of base64. The
 * matches do not overlap and come in order; what stands inside of base64 covers the whole run. Linear in
 * the length of the text.
 */
export function findSecrets(text: string, search: SecretSearch): readonly Match[] {
  return joinMatches(searchText(text, search, 0));
}

function searchText(text: string, search: SecretSearch, level: number): Match[] {
  const found: Match[] = [];
  let view: DecodedText | undefined = { text, original: (place) => place };
  for (let escapes = 0; view !== undefined && escapes <= ESCAPE_LEVELS; escapes++) {
    for (const part of [view, inside(view, withoutColors(view.text))]) {
      if (part === undefined) continue;
      for (const match of matchesIn(part.text, search, level))
        found.push(placed(match, part, escapes));
    }
    view = inside(view, withoutEscapes(view.text));
  }
  const plain = withoutPercents(text);
  if (plain !== undefined) {
    const known = { ...search, randomness: false, person: null };
    for (const match of matchesIn(plain.text, known, BASE64_LEVELS))
      found.push(placed(match, plain, 0));
  }
  return found;
}

/** A view of a view, with the way back to the first text. */
function inside(outer: DecodedText, inner: DecodedText | undefined): DecodedText | undefined {
  if (inner === undefined) return undefined;
  return { text: inner.text, original: (place) => outer.original(inner.original(place)) };
}

/** The places of the original; of one secret that is seen in several views the innermost one names it. */
function placed(match: Match, view: DecodedText, escapes: number): Match {
  return {
    ...match,
    start: view.original(match.start),
    end: view.original(match.end),
    rank: match.rank * (ESCAPE_LEVELS + 1) + ESCAPE_LEVELS - escapes,
  };
}

/** Ranks: keys and headers in full, then known beginnings, then names, then mere randomness. */
const RANKS = {
  structured: 300,
  known: 100,
  keyed: 500,
  base64: 0,
  random: 900,
  personal: 950,
} as const;

function matchesIn(text: string, search: SecretSearch, level: number): Match[] {
  const found: Match[] = [];
  const take = (matches: readonly Match[], rank: number): void => {
    for (const match of matches) found.push({ ...match, rank: rank + match.rank });
  };
  take(familyMatches(KNOWN, text), RANKS.known);
  if (search.names) {
    take(structuredMatches(text), RANKS.structured);
    take(familyMatches(KEYED, text), RANKS.keyed);
  }
  if (search.randomness) {
    const kind = "random-text";
    const words = randomWords(text).map(({ start, end }) => ({
      ...{ kind, start, end, rank: 0 },
      secret: text.slice(start, end),
    }));
    take(words, RANKS.random);
  }
  if (search.person !== null) take(personalMatches(text, search.person), RANKS.personal);
  if (level < BASE64_LEVELS) take(matchesInBase64(text, search, level), RANKS.base64);
  return found;
}

function matchesInBase64(text: string, search: SecretSearch, level: number): Match[] {
  const found: Match[] = [];
  for (const { start, end, decoded, isText } of base64Runs(text)) {
    // Data of images and archives: only what is known by its beginning.
    const inner = { randomness: isText && search.randomness, names: isText, person: null };
    const within = searchText(decoded, inner, level + 1);
    const [first] = joinMatches(within);
    if (first !== undefined) found.push({ ...first, start, end, rank: 0 });
  }
  return found;
}

/** Joins matches that overlap, in order; the one with the lowest rank names the whole. */
export function joinMatches(matches: readonly Match[]): readonly Match[] {
  const sorted = [...matches].sort((a, b) => a.start - b.start || a.rank - b.rank);
  const joined: Match[] = [];
  for (const match of sorted) {
    const last = joined.at(-1);
    if (last === undefined || match.start >= last.end) {
      joined.push(match);
      continue;
    }
    const better = match.rank < last.rank ? match : last;
    joined[joined.length - 1] = {
      ...better,
      start: last.start,
      end: Math.max(last.end, match.end),
    };
  }
  return joined;
}
