import type { CompactionRefusal, RefusalReason } from "./refusal.ts";
import type { Summary } from "./summariser.ts";

/** Fewer bytes than this say nothing about a conversation (F071). */
const MIN_SUMMARY_BYTES = 20;
const LETTER = /\p{L}/u;
const encoder = new TextEncoder();

function refusal(refused: RefusalReason, message: string): CompactionRefusal {
  return { refused, message: `${message} Nothing was changed.` };
}

/** Why a summary must not take the place of what it was made from; null = it may (F071, F072, F082). */
export function summaryFault(summary: Summary): CompactionRefusal | null {
  const { stopReason, errorMessage, text } = summary;
  if (stopReason === "length") {
    return refusal("partial-summary", "The summary was cut off at its token limit.");
  }
  if (stopReason !== "stop") {
    const why = errorMessage ?? `it ended with "${stopReason}"`;
    return refusal("failed-summary", `The summary was not finished: ${why}.`);
  }
  const bytes = encoder.encode(text.trim()).length;
  if (bytes === 0) return refusal("empty-summary", "The summary is empty.");
  if (bytes < MIN_SUMMARY_BYTES || !LETTER.test(text)) {
    return refusal("empty-summary", `The summary says nothing (${bytes} bytes).`);
  }
  return null;
}
