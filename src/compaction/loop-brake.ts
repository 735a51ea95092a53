import { isEntry } from "../entry/entry-check.ts";
import type { Session } from "../session/session.ts";
import { compactionDetails } from "./compaction-details.ts";
import type { CompactionRefusal } from "./refusal.ts";

/** Compactions with no more answers than this between them follow one another. */
const FEW_ANSWERS = 1;
/** A compaction that takes out less than this share of the context gains nothing. */
const MIN_GAIN = 0.1;

/** One compaction made by the engine, with what came behind it. */
interface Attempt {
  readonly answersBehind: number;
  /** Share of the context that it took out; null = not known. */
  readonly gain: number | null;
}

/** Compactions above the leaf, newest first, as far as they are made by the engine and no person spoke between. */
async function attempts(session: Session, limit: number): Promise<readonly Attempt[]> {
  const found: Attempt[] = [];
  let answersBehind = 0;
  for (const at of session.tree.ancestors(session.leaf)) {
    // The prompt that this compaction is made for stands at the end; one further back is a new beginning.
    if (at.role === "user" && (found.length > 0 || answersBehind > 0)) break;
    if (at.role === "assistant") answersBehind++;
    if (at.type !== "compaction") continue;
    const entry = await session.store.mustGet(at.id);
    const details = isEntry(entry, "compaction") ? compactionDetails(entry) : null;
    if (details?.reason === "manual") break;
    const before = isEntry(entry, "compaction") ? entry.tokensBefore : 0;
    const gain = details === null || !(before > 0) ? null : 1 - details.tokensAfter / before;
    found.push({ answersBehind, gain });
    if (found.length === limit) break;
    answersBehind = 0;
  }
  return found;
}

/**
 * The loop brake (F075, F076, F077): refuses a compaction that nobody asked for where the last ones, as
 * many as `limit`, came without a word of a person between them and each brought nothing: it was needed
 * again after at most one answer, or it took out less than a tenth. A new prompt lets go of the brake.
 */
export async function brakeRefusal(
  session: Session,
  limit: number,
): Promise<CompactionRefusal | null> {
  if (limit < 1) return null;
  const last = await attempts(session, limit);
  const isVain = ({ answersBehind, gain }: Attempt): boolean =>
    answersBehind <= FEW_ANSWERS || (gain !== null && gain < MIN_GAIN);
  if (last.length < limit || !last.every(isVain)) return null;
  return {
    refused: "loop-brake",
    message:
      `The last ${last.length} compactions brought nothing: the context was full again at once. ` +
      "No further one is made by itself. Give a smaller task, a model with a larger window, " +
      "or compact by hand with instructions.",
  };
}
