/**
 * One kind of secret. Patterns run over hostile texts of any size: no unbounded part may be followed by
 * something that can fail, so that every pattern takes linear time (reliability.md S7).
 */
export interface TokenFamily {
  /** As placeholders and reviews name it: `github-token`. */
  readonly kind: string;
  /** One of these stands in every match; texts without any are not searched. Empty = all long texts are. */
  readonly words: readonly string[];
  /** With the flag `g`. The group that took part is the secret and ends the match; without one the whole match is. */
  readonly pattern: RegExp;
  /** Refuses what only looks like a secret. */
  readonly accept?: (secret: string) => boolean;
}

/** A secret that was found: UTF-16 places in the text that was searched, `end` excluded. */
export interface Match {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly secret: string;
  /** Of two that overlap the lower one names the place. */
  readonly rank: number;
}

/** Families with one look for all their words, so that most texts cost one pass. */
export interface FamilySet {
  readonly families: readonly TokenFamily[];
  readonly hint: RegExp;
}

/** The set of some families; `hint` where words would not do. */
export function familySet(families: readonly TokenFamily[], hint?: RegExp): FamilySet {
  const words = families.flatMap((family) => family.words);
  return { families, hint: hint ?? new RegExp(words.map(RegExp.escape).join("|")) };
}

/** Shorter texts hold no token of a family without words. */
const LONG = 40;

/** All matches of some families in a text, in no order. */
export function familyMatches({ families, hint }: FamilySet, text: string): Match[] {
  const found: Match[] = [];
  const isHinted = hint.test(text);
  if (!isHinted && text.length < LONG) return found;
  for (const [rank, family] of families.entries()) {
    const isTried =
      family.words.length === 0
        ? text.length >= LONG
        : isHinted && family.words.some((word) => text.includes(word));
    if (!isTried) continue;
    for (const match of text.matchAll(family.pattern)) {
      const secret = match.slice(1).find((part) => part !== undefined) ?? match[0];
      if (family.accept !== undefined && !family.accept(secret)) continue;
      const end = match.index + match[0].length;
      found.push({ kind: family.kind, start: end - secret.length, end, secret, rank });
    }
  }
  return found;
}

/** Random parts of tokens have digits; words with hyphens have none. */
export const hasDigit = (secret: string): boolean => /\d/.test(secret);
