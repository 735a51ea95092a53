import type { CompactionEntry } from "../entry/entry.ts";
import { isObject } from "../entry/entry-check.ts";
import { FACT_KINDS, type FactKind } from "./facts.ts";
import type { LossReport, LostFact } from "./loss-report.ts";
import type { CompactionReason } from "./plan.ts";

/** What our compactions hold in `details.branchline`, beside Pi's `readFiles` and `modifiedFiles`. */
export interface CompactionDetails {
  readonly reason: CompactionReason;
  /** Name of the summariser. */
  readonly summariser: string;
  /** True where the summary was made without a model. */
  readonly extractive: boolean;
  /** Estimated tokens of the context behind it; `tokensBefore` of the entry is the other end. */
  readonly tokensAfter: number;
  /** Number of messages that it stands for. */
  readonly messages: number;
  /** True where it splits a turn. */
  readonly split: boolean;
  readonly loss: LossReport;
}

const REASONS: ReadonlySet<unknown> = new Set(["manual", "threshold", "overflow"]);

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function counts(value: unknown): Readonly<Record<FactKind, number>> {
  const members = isObject(value) ? value : {};
  const { decision, error, path, url, identifier, number } = members;
  return {
    ...{ decision: count(decision), error: count(error), path: count(path) },
    ...{ url: count(url), identifier: count(identifier), number: count(number) },
  };
}

function isLostFact(value: unknown): value is LostFact {
  if (!isObject(value)) return false;
  const { kind, text, entry } = value;
  const isKind = FACT_KINDS.some((known) => known === kind);
  return isKind && typeof text === "string" && typeof entry === "string";
}

function lossOf(value: unknown): LossReport {
  const { items, lost, found } = isObject(value) ? value : {};
  const list: readonly unknown[] = Array.isArray(items) ? items : [];
  return { items: list.filter(isLostFact), lost: counts(lost), found: counts(found) };
}

function isReason(value: unknown): value is CompactionReason {
  return REASONS.has(value);
}

/** Reads them from an entry of any origin; null where another program made it. */
export function compactionDetails(entry: CompactionEntry): CompactionDetails | null {
  const own = isObject(entry.details) ? entry.details.branchline : undefined;
  if (!isObject(own) || !isReason(own.reason)) return null;
  return {
    reason: own.reason,
    summariser: String(own.summariser ?? ""),
    extractive: own.extractive === true,
    tokensAfter: count(own.tokensAfter),
    messages: count(own.messages),
    split: own.split === true,
    loss: lossOf(own.loss),
  };
}
