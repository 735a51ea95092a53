import type { Signal } from "../app/signal.ts";
import { storedSignal } from "../app/stored-signal.ts";

/** Whether the width of the tree's lines shows tokens. */
export const heat: Signal<boolean> = storedSignal<boolean>(
  "heat",
  false,
  (value): value is boolean => typeof value === "boolean",
);

/** Tokens that have the widest line. */
const MOST = 40_000;

/** Width of a row's line in px, by the logarithm of its tokens: 1.5 … 8. */
export function heatWidth(tokens: number): number {
  return 1.5 + 6.5 * Math.min(1, Math.log1p(tokens) / Math.log1p(MOST));
}
