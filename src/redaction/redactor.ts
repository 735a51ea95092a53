import type { Entry } from "../entry/entry.ts";
import { MAX_DEPTH } from "../entry/json-depth.ts";
import { findSecrets, joinMatches, type SecretSearch } from "./find-secrets.ts";
import { isSecretMember, isSecretText } from "./keyed-families.ts";
import {
  PERSONAL_KINDS,
  type Person,
  type PersonFacts,
  personalText,
  personOf,
} from "./personal-names.ts";
import { FindingTable, type RedactionReview } from "./redaction-review.ts";
import type { Match } from "./token-family.ts";

/** What is redacted and how. */
export interface RedactionOptions extends PersonFacts {
  /** Kinds that stay as they are. */
  readonly keep?: readonly string[];
  /** Whether random words that nothing names count as secrets; default "on". */
  readonly randomness?: "on" | "off";
}

/** Members that hold ids, hashes and the like: only what is known by its beginning counts in them. */
const NAMING_MEMBERS =
  /^(?:type|role|id|.*Id|api|provider|model|customType|toolName|mimeType|stopReason|op|hash|sha\d*|sha-?\d+|checksum|digest|integrity|etag|revision|commit|fingerprint|encrypted_?content|.*[sS]ignature|.*_id)$/i;

/** Members that look like secrets and are none. */
const NO_SECRETS = /^(?:tokens?|.*(?:page|next|cursor|continuation)_?token)$/i;

const FLAG = /^--?[a-z-]{0,40}(?:token|secret|password|passwd|api-?key|access-?key)$/i;

/** Characters of the shortest token that is known by its beginning, and of anything else. */
const SHORTEST_TOKEN = 16;
const SHORTEST_SECRET = 3;

interface Members {
  readonly [name: string]: unknown;
}

/** Where the walk is: the entry, the way to the value, the names around it. */
interface Spot {
  readonly entry: string | null;
  readonly way: readonly (string | number)[];
  /** Whether the surroundings say that a text is a secret. */
  readonly isSecret: boolean;
  readonly kind: "text" | "naming";
}

/**
 * Takes secrets, folders and names of people out of entries, always the same placeholder for the same
 * secret: `[redacted: github-token #1]`. Never changes what it is given; an entry without findings comes
 * back as it is. Numbers follow the order in which entries are given, so that the same session always
 * gives the same texts. Holds what it found for the review.
 */
export class Redactor {
  readonly #person: Person;
  readonly #table = new FindingTable();
  readonly #kept: ReadonlySet<string>;
  readonly #searches: Readonly<Record<Spot["kind"], SecretSearch>>;
  #entries = 0;
  #changed = 0;

  constructor(options: RedactionOptions = {}) {
    this.#person = personOf(options);
    this.#kept = new Set(options.keep);
    const isPersonal = PERSONAL_KINDS.some((kind) => !this.#kept.has(kind));
    const person = isPersonal ? this.#person : null;
    this.#searches = {
      text: { randomness: options.randomness !== "off", names: true, person },
      naming: { randomness: false, names: false, person: null },
    };
  }

  /** The entry with every text redacted. */
  entry(entry: Entry): Entry {
    const redacted = this.#value(entry, spotOf(entry.id)) as Entry;
    this.#entries++;
    if (redacted !== entry) this.#changed++;
    return redacted;
  }

  /** Any JSON data that belongs to no entry: a header, a branch. `place` names it in the review. */
  data<T>(data: T, place: string): T {
    // What comes back has the shape of what was given: only texts differ.
    return this.#value(data, { ...spotOf(null), way: [place] }) as T;
  }

  /** What was found in everything that was given so far. */
  review(): RedactionReview {
    return this.#table.review({ entries: this.#entries, changed: this.#changed });
  }

  #value(value: unknown, spot: Spot): unknown {
    if (typeof value === "string") return this.#text(value, spot);
    if (typeof value !== "object" || value === null) return value;
    // Deeper data is refused by readers already; what comes another way is not looked into.
    if (spot.way.length > MAX_DEPTH) return "[redacted: too deep]";
    return Array.isArray(value) ? this.#list(value, spot) : this.#members(value as Members, spot);
  }

  #list(list: readonly unknown[], spot: Spot): readonly unknown[] {
    let isSame = true;
    const redacted = list.map((value, at) => {
      const before: unknown = list[at - 1];
      const isSecret = typeof before === "string" && FLAG.test(before);
      const next = this.#value(value, { ...spot, isSecret, way: [...spot.way, at] });
      if (next !== value) isSame = false;
      return next;
    });
    return isSame ? list : redacted;
  }

  #members(object: Members, spot: Spot): Members {
    let isSame = true;
    const named = typeof object.name === "string" ? object.name : object.key;
    const isPair = typeof named === "string" && isSecretMember(named);
    const isImage = object.type === "image" || typeof object.mimeType === "string";
    const members = Object.entries(object).map(([name, value]): [string, unknown] => {
      const isNaming = NAMING_MEMBERS.test(name) || (isImage && name === "data");
      const at: Spot = {
        entry: spot.entry,
        way: [...spot.way, name],
        isSecret: (isSecretMember(name) && !NO_SECRETS.test(name)) || (isPair && name === "value"),
        kind: isNaming ? "naming" : "text",
      };
      const next = this.#value(value, at);
      const nextName = this.#text(name, { ...at, isSecret: false, kind: "naming" });
      if (next !== value || nextName !== name) isSame = false;
      return [nextName, next];
    });
    return isSame ? object : Object.fromEntries(members);
  }

  #text(text: string, spot: Spot): string {
    const name = spot.way.findLast((part) => typeof part === "string") ?? "";
    // Names and counts: too short for a token, most texts of a session are.
    if (text.length < (spot.kind === "naming" ? SHORTEST_TOKEN : SHORTEST_SECRET)) return text;
    let matches = findSecrets(text, this.#searches[spot.kind]);
    if (spot.isSecret && isSecretText(String(name), text)) {
      const whole: Match = {
        kind: "secret",
        start: 0,
        end: text.length,
        secret: text,
        rank: 10_000,
      };
      matches = joinMatches([...matches, whole]);
    }
    if (matches.length === 0) return text;
    return this.#replaced(text, matches, spot);
  }

  #replaced(text: string, matches: readonly Match[], spot: Spot): string {
    const at = { entry: spot.entry, place: placeText(spot.way) };
    const parts: string[] = [];
    let last = 0;
    for (const match of matches) {
      if (this.#kept.has(match.kind)) continue;
      const isPersonal = PERSONAL_KINDS.includes(match.kind);
      const fixed = isPersonal ? personalText(match.kind, this.#person) : undefined;
      // A redacted text that is redacted again stays what it is.
      if (text.slice(match.start, match.end) === fixed) continue;
      parts.push(text.slice(last, match.start), this.#table.note(match, at, fixed));
      last = match.end;
    }
    return last === 0 ? text : parts.join("") + text.slice(last);
  }
}

function spotOf(entry: string | null): Spot {
  return { entry, way: [], isSecret: false, kind: "text" };
}

/** `message.content[0].text`; long ways are cut in the middle. */
function placeText(way: readonly (string | number)[]): string {
  const text = way
    .map((part, at) =>
      typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${part.slice(0, 40)}`,
    )
    .join("");
  return text.length <= 200 ? text : `${text.slice(0, 120)}…${text.slice(-60)}`;
}

/** One entry redacted by itself: numbers begin at 1. Several that belong together need one {@link Redactor}. */
export function redactEntry(entry: Entry, options: RedactionOptions = {}): Entry {
  return new Redactor(options).entry(entry);
}

/** What a redaction of these entries would find; nothing is changed or kept. */
export async function reviewEntries(
  entries: Iterable<Entry> | AsyncIterable<Entry>,
  options: RedactionOptions = {},
): Promise<RedactionReview> {
  const redactor = new Redactor(options);
  for await (const entry of entries) redactor.entry(entry);
  return redactor.review();
}
