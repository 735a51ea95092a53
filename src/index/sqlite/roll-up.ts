import type { SQLInputValue } from "node:sqlite";
import type { SessionHeader } from "../../entry/entry.ts";
import { isObject } from "../../entry/entry-check.ts";
import { addUsage, EMPTY_FOLD, type ModelRef, type UsageTotals } from "../../tree/fold.ts";
import type { ScannedEntry } from "./entry-scanner.ts";
import type { IndexDatabase } from "./index-database.ts";
import { checkSeal, sealOf } from "./seal.ts";

interface UsageSum {
  readonly day: string;
  readonly model: ModelRef;
  readonly copied: number;
  requests: number;
  unpriced: number;
  usage: UsageTotals;
}

interface ToolSum {
  readonly day: string;
  readonly tool: string;
  readonly copied: number;
  results: number;
}

const NO_MODEL: ModelRef = { provider: "", modelId: "" };
const DAY = /^\d{4}-\d{2}-\d{2}/;

/** A table of sums: the row of a key, and how it is written. */
interface SumTable {
  readonly select: string;
  readonly insert: string;
}

const USAGE: SumTable = {
  select: `SELECT requests, unpriced, input, output, cache_read, cache_write, cost, seal FROM usage
    WHERE file = ? AND day = ? AND provider = ? AND model = ? AND copied = ?`,
  insert: "INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
const TOOL_USE: SumTable = {
  select:
    "SELECT results, seal FROM tool_use WHERE file = ? AND day = ? AND tool = ? AND copied = ?",
  insert: "INSERT OR REPLACE INTO tool_use VALUES (?, ?, ?, ?, ?, ?)",
};

/** Types other than messages whose `usage` counts. */
const WITH_USAGE: ReadonlySet<string> = new Set(["usage", "compaction", "branch_summary"]);

/** The usage that an entry states, of any shape; undefined where it states none. */
export function usageOf(entry: ScannedEntry["entry"]): unknown {
  const { message, usage } = entry as { readonly message?: unknown; readonly usage?: unknown };
  if (entry.type === "message") return isObject(message) ? message.usage : undefined;
  return WITH_USAGE.has(entry.type) ? usage : undefined;
}

/**
 * Tokens, cost and tool results by day and model, summed while entries come in. Entries older than their
 * session were copied from another one by a fork: they are kept apart, so that nobody pays twice.
 */
export class RollUp {
  readonly #created: string;
  #usage = new Map<string, UsageSum>();
  #tools = new Map<string, ToolSum>();

  constructor(header: SessionHeader) {
    this.#created = header.parentSession === undefined ? "" : header.timestamp;
  }

  /** Takes an entry; `model` is the one in force at it. */
  add(scanned: ScannedEntry, model: ModelRef | null): void {
    const { entry, toolName } = scanned;
    const usage = usageOf(entry);
    if (toolName === null && !isObject(usage)) return;
    const day = DAY.exec(entry.timestamp)?.[0] ?? "";
    const copied = entry.timestamp < this.#created ? 1 : 0;
    if (toolName !== null) this.#addTool(day, toolName, copied);
    if (isObject(usage))
      this.#addUsage({ day, model: statedModel(entry) ?? model ?? NO_MODEL, copied }, usage);
  }

  /**
   * Adds the sums to the rows of a file and starts anew; inside a transaction. Gives what the check sum over
   * all rows of the file changes by (exclusive or).
   */
  flush(database: IndexDatabase, file: number): number {
    let change = 0;
    for (const { day, model, copied, requests, unpriced, usage } of this.#usage.values()) {
      const { input, output, cacheRead, cacheWrite, cost } = usage;
      const tokens = [input, output, cacheRead, cacheWrite, cost];
      const key = [file, day, model.provider, model.modelId, copied];
      change ^= addTo(database, USAGE, { key, values: [requests, unpriced, ...tokens] });
    }
    for (const { day, tool, copied, results } of this.#tools.values())
      change ^= addTo(database, TOOL_USE, { key: [file, day, tool, copied], values: [results] });
    this.#usage = new Map();
    this.#tools = new Map();
    return change >>> 0;
  }

  #addTool(day: string, tool: string, copied: number): void {
    const key = `${day}\n${copied}\n${tool}`;
    const sum = this.#tools.get(key);
    if (sum === undefined) this.#tools.set(key, { day, tool, copied, results: 1 });
    else sum.results++;
  }

  #addUsage(
    place: Pick<UsageSum, "day" | "model" | "copied">,
    usage: Readonly<Record<string, unknown>>,
  ): void {
    const { day, model, copied } = place;
    const key = `${day}\n${copied}\n${model.provider}\n${model.modelId}`;
    const sum = this.#usage.get(key) ?? {
      ...place,
      requests: 0,
      unpriced: 0,
      usage: EMPTY_FOLD.usage,
    };
    sum.requests++;
    if (!isObject(usage.cost)) sum.unpriced++;
    sum.usage = addUsage(sum.usage, usage);
    this.#usage.set(key, sum);
  }
}

/** Adds to one row, and gives what the check sum changes by. */
function addTo(
  database: IndexDatabase,
  { select, insert }: SumTable,
  { key, values }: { readonly key: readonly SQLInputValue[]; readonly values: readonly number[] },
): number {
  const present = database.row(select, ...key);
  const before = present?.slice(0, -1).map(Number);
  if (before !== undefined) checkSeal(present?.at(-1), [...key, ...before]);
  const after = values.map((value, place) => value + (before?.[place] ?? 0));
  const seal = sealOf([...key, ...after]);
  database.run(insert, ...key, ...after, seal);
  return seal ^ Number(present?.at(-1) ?? 0);
}

/** A usage entry names its model itself. */
function statedModel(entry: ScannedEntry["entry"]): ModelRef | null {
  const { provider, model } = entry as { readonly provider?: unknown; readonly model?: unknown };
  if (entry.type !== "usage" || typeof provider !== "string" || typeof model !== "string")
    return null;
  return { provider, modelId: model };
}
