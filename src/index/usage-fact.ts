import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { toolsOf } from "./entry-text.ts";

/** Tokens and cost of one request. `cost` in US dollars; null = nobody said what it cost. */
export interface FactUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number | null;
}

/** What one entry adds to statistics. */
export interface EntryFact {
  /** Id of the entry. */
  readonly entry: string;
  readonly timestamp: string;
  /** True for a message entry, of any role. */
  readonly isMessage: boolean;
  /** The provider's id of the answer: one answer may lie in several entries or sessions. */
  readonly response: string | null;
  /** `provider/model` of the request, or null. */
  readonly model: string | null;
  readonly usage: FactUsage | null;
  /** Tools that the entry calls, one name a call. */
  readonly calls: readonly string[];
}

/** The facts of one session, in file order. */
export interface SessionFacts {
  /** Id of the session. */
  readonly session: string;
  /** Real path of the file, or null. */
  readonly path: string | null;
  /** Working folder. */
  readonly cwd: string;
  /** ISO time of the header. */
  readonly created: string;
  readonly facts: Iterable<EntryFact> | AsyncIterable<EntryFact>;
}

type Members = Readonly<Record<string, unknown>>;

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function usageOf(value: unknown): FactUsage | null {
  if (!isObject(value)) return null;
  const total: unknown = isObject(value.cost) ? value.cost.total : undefined;
  return {
    input: amount(value.input),
    output: amount(value.output),
    cacheRead: amount(value.cacheRead),
    cacheWrite: amount(value.cacheWrite),
    cost: typeof total === "number" && Number.isFinite(total) ? total : null,
  };
}

const WITH_USAGE: ReadonlySet<string> = new Set(["usage", "compaction", "branch_summary"]);

/** What an entry adds to statistics. Never throws. */
export function entryFact(entry: Entry): EntryFact {
  const isMessage = isEntry(entry, "message");
  const source: Members = isMessage ? { ...entry.message } : { ...entry };
  const counts = isMessage || WITH_USAGE.has(entry.type);
  const { provider, model, responseId } = source;
  const isNamed = counts && typeof model === "string";
  return {
    entry: entry.id,
    timestamp: entry.timestamp,
    isMessage,
    response: isMessage && typeof responseId === "string" && responseId !== "" ? responseId : null,
    model: isNamed ? (typeof provider === "string" ? `${provider}/${model}` : model) : null,
    usage: counts ? usageOf(source.usage) : null,
    calls: isMessage && source.role === "assistant" ? toolsOf(source) : [],
  };
}
