import type { Cost, Usage } from "../entry/message.ts";
import type { ModelPrices } from "./model.ts";

const PER_MILLION = 1_000_000;

/**
 * What the tokens cost in US dollars. Reasoning lies inside the output and is not counted twice. Prices
 * that are not known (null) give zeros, because a message in Pi's shape has a cost: whether it is a real
 * zero is told by the model's `prices`, and surfaces ask there before they show one.
 */
export function usageCost(usage: Usage, prices: ModelPrices | null): Cost {
  const priced = (tokens: number, price: number | undefined): number =>
    (tokens * (price ?? 0)) / PER_MILLION;
  const input = priced(usage.input, prices?.input);
  const output = priced(usage.output, prices?.output);
  const cacheRead = priced(usage.cacheRead, prices?.cacheRead);
  const cacheWrite = priced(usage.cacheWrite, prices?.cacheWrite);
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite };
}

/** Token counts of one request as a provider gives them. `input` excludes the cache. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  /** Lies inside `output`. */
  readonly reasoning?: number | undefined;
  /** Default: the sum of the others. */
  readonly totalTokens?: number | undefined;
}

/** The usage of a final message, with its sum and its cost ({@link usageCost}). */
export function usageOf(counts: TokenCounts, prices: ModelPrices | null): Usage {
  const { input, output, cacheRead = 0, cacheWrite = 0, reasoning } = counts;
  const tokens = {
    input,
    output,
    cacheRead,
    cacheWrite,
    ...(reasoning !== undefined && { reasoning }),
    totalTokens: counts.totalTokens ?? input + output + cacheRead + cacheWrite,
  };
  return { ...tokens, cost: usageCost(tokens, prices) };
}
