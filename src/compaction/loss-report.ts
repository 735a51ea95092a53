import type { Message } from "../entry/message.ts";
import { BREAK, tokenizeText } from "../index/tokens.ts";
import { FACT_KINDS, type Fact, type FactKind, factsIn, lineKey } from "./facts.ts";
import { isSpeech, spokenText } from "./message-text.ts";
import { atOnce, type Steps } from "./slices.ts";
import type { SourcedMessage } from "./summariser.ts";

/** A fact of the compacted range that the new context does not hold. */
export interface LostFact {
  readonly kind: FactKind;
  /** As it was written; long lines are cut. */
  readonly text: string;
  /** The entry in which it was said last. */
  readonly entry: string;
}

/** What a compaction dropped, worked out without a model. */
export interface LossReport {
  /** The most important ones first, at most {@link MAX_LOSSES}. */
  readonly items: readonly LostFact[];
  /** All that were lost, by kind, listed or not. */
  readonly lost: Readonly<Record<FactKind, number>>;
  /** All that were there before, by kind. */
  readonly found: Readonly<Record<FactKind, number>>;
}

/** Most facts that a report lists; it stands in the entry, which must stay small (F080). */
export const MAX_LOSSES = 200;
/** Most different facts that are looked at; further ones are not counted. */
const MAX_FACTS = 50_000;
/** Share of the words of a sentence or line that has to be there for it to count as told. */
const TOLD = 0.7;

interface Gathered {
  readonly fact: Fact;
  readonly order: number;
  entry: string;
  /** Larger = more important: what was spoken counts more than what a tool put out. */
  weight: number;
}

/** The words of a text by which it is found again: words, and pairs of characters where there are no words. */
function wordsIn(text: string): readonly string[] {
  const words: string[] = [];
  let single = "";
  for (const token of tokenizeText(text).words.split(" ")) {
    const isSingle = token !== "" && token > "\u2e80" && Array.from(token).length === 1;
    if (isSingle && single !== "") words.push(single + token);
    if (!isSingle && token.length > 2 && token !== BREAK) words.push(token);
    single = isSingle ? token : "";
  }
  return words;
}

/** What the new context says. */
class AfterText {
  #text = "";
  readonly #words = new Set<string>();
  readonly #tokens = new Set<string>();
  readonly #keys = new Set<string>();
  readonly #numbers = new Set<string>();

  static *of(messages: readonly Message[]): Steps<AfterText> {
    const after = new AfterText();
    const texts: string[] = [];
    for (const message of messages) {
      const spoken = spokenText(message);
      for (const { key } of factsIn(spoken, { isSpeech: true })) after.#keys.add(key);
      yield;
      const text = lineKey(spoken);
      after.#add(text);
      texts.push(text);
      yield;
    }
    after.#text = texts.join(" ");
    return after;
  }

  #add(text: string): void {
    for (const word of wordsIn(text)) this.#words.add(word);
    for (const token of tokenizeText(text).words.split(" ")) this.#tokens.add(token);
    for (const [number] of text.matchAll(/\d[\d,]*(?:\.\d+)?/g)) {
      this.#numbers.add(number.replaceAll(",", ""));
    }
  }

  has(fact: Fact): boolean {
    if (this.#keys.has(fact.key)) return true;
    if (fact.kind === "decision" || fact.kind === "error") return this.#tells(fact);
    if (fact.kind === "number") return this.#hasNumber(fact.key);
    // Most texts that are gone have a word that is gone, which is cheaper to find out.
    const tokens = tokenizeText(fact.key)
      .words.split(" ")
      .filter((token) => token !== BREAK);
    return (
      tokens.every((token) => token === "" || this.#tokens.has(token)) &&
      this.#text.includes(fact.key)
    );
  }

  #tells({ key, text }: Fact): boolean {
    const words = new Set(wordsIn(text));
    if (words.size === 0) return this.#text.includes(key);
    let told = 0;
    for (const word of words) if (this.#words.has(word)) told++;
    return told / words.size >= TOLD;
  }

  /** A long number says the same with another unit or name; a short one may be any number. */
  #hasNumber(key: string): boolean {
    const [digits = ""] = /\d+(?:\.\d+)?/.exec(key) ?? [];
    return digits.length >= 3 && this.#numbers.has(digits);
  }
}

function* gather(before: readonly SourcedMessage[]): Steps<ReadonlyMap<string, Gathered>> {
  const facts = new Map<string, Gathered>();
  for (const { entry, message } of before) {
    const speech = isSpeech(message);
    const weight = message.role === "user" ? 8 : speech ? 3 : 1;
    for (const fact of factsIn(spokenText(message), { isSpeech: speech })) {
      const id = `${fact.kind} ${fact.key}`;
      const known = facts.get(id);
      if (known === undefined && facts.size >= MAX_FACTS) continue;
      const gathered = known ?? { fact, order: facts.size, entry, weight: 0 };
      gathered.entry = entry;
      gathered.weight += weight;
      if (known === undefined) facts.set(id, gathered);
    }
    yield;
  }
  return facts;
}

function byImportance(a: Gathered, b: Gathered): number {
  return b.weight - a.weight || b.order - a.order;
}

/** Takes from each kind in turn, so that many numbers do not hide a decision. */
function listed(lost: ReadonlyMap<FactKind, readonly Gathered[]>): readonly LostFact[] {
  const items: LostFact[] = [];
  for (let round = 0; items.length < MAX_LOSSES; round++) {
    const before = items.length;
    for (const kind of FACT_KINDS) {
      const next = lost.get(kind)?.[round];
      if (next === undefined || items.length === MAX_LOSSES) continue;
      items.push({ kind, text: next.fact.text, entry: next.entry });
    }
    if (items.length === before) break;
  }
  const rank = (item: LostFact): number => FACT_KINDS.indexOf(item.kind);
  return items.sort((a, b) => rank(a) - rank(b));
}

function counted(
  groups: ReadonlyMap<FactKind, readonly unknown[]>,
): Readonly<Record<FactKind, number>> {
  const count = (kind: FactKind): number => groups.get(kind)?.length ?? 0;
  return {
    ...{ decision: count("decision"), error: count("error"), path: count("path") },
    ...{ identifier: count("identifier"), number: count("number"), url: count("url") },
  };
}

/**
 * The facts of `before` (what a compaction takes out) that `after` (the whole new context) does not hold:
 * paths, identifiers, numbers with units, URLs word for word; error lines and decisions where less than
 * 70 % of their words are left. A fact may be there in other words all the same: the report is a list of
 * what to look at, and of what `recall` finds. Deterministic; the same messages give the same report.
 */
export function lossReport(
  before: readonly SourcedMessage[],
  after: readonly Message[],
): LossReport {
  return atOnce(lossReportSteps(before, after));
}

/** Facts that are looked for between two steps: each may mean a look through all of the new context. */
const FACTS_A_STEP = 32;

/** {@link lossReport} in steps, for contexts of any size. */
export function* lossReportSteps(
  before: readonly SourcedMessage[],
  after: readonly Message[],
): Steps<LossReport> {
  const view = yield* AfterText.of(after);
  const found = new Map<FactKind, Gathered[]>(FACT_KINDS.map((kind) => [kind, []]));
  const gathered = yield* gather(before);
  for (const one of gathered.values()) found.get(one.fact.kind)?.push(one);
  const lost = new Map<FactKind, readonly Gathered[]>();
  for (const [kind, facts] of found) {
    const gone: Gathered[] = [];
    for (const [at, one] of facts.entries()) {
      if (at % FACTS_A_STEP === 0) yield;
      if (!view.has(one.fact)) gone.push(one);
    }
    lost.set(kind, gone.sort(byImportance));
  }
  return { items: listed(lost), lost: counted(lost), found: counted(found) };
}
