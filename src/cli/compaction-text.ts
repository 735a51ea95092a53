import type { CompactionDone } from "../compaction/compact.ts";
import { FACT_KINDS } from "../compaction/facts.ts";
import type { LossReport } from "../compaction/loss-report.ts";
import type { CompactionPlan } from "../compaction/plan.ts";
import type { CompactionRefusal } from "../compaction/refusal.ts";
import { BranchlineError } from "../errors.ts";
import { safeLine } from "../view/safe-text.ts";
import { type Piece, styled } from "./color.ts";
import { counted } from "./counted.ts";
import { truncate } from "./width.ts";

/** The error for a compaction that was refused. */
export function compactionRefused({
  refused: reason,
  message,
}: CompactionRefusal): BranchlineError<"COMPACTION_REFUSED"> {
  const hint = "Nothing was changed. --keep says how much stays: --keep 0 keeps nothing.";
  return new BranchlineError("COMPACTION_REFUSED", { reason }, { message, hint });
}

/**
 * What a compaction would do, as `--dry-run` tells it. `loss` = what a summary made without a model would
 * drop; null where that one would be refused.
 */
export function planRow(
  session: string,
  plan: CompactionPlan,
  loss: LossReport | null,
): Readonly<Record<string, unknown>> {
  const { firstKeptEntryId, messages, turnPrefix, kept, estimated, files } = plan;
  return {
    session,
    dryRun: true,
    firstKept: firstKeptEntryId,
    summarised: messages.length + turnPrefix.length,
    kept: kept.length,
    tokensBefore: estimated.before,
    tokensStaying: estimated.staying,
    files,
    loss,
  };
}

/** A plan for people. */
export function planLines(plan: CompactionPlan): readonly (readonly Piece[])[] {
  const { messages, turnPrefix, kept, estimated, firstKeptEntryId } = plan;
  const first = firstKeptEntryId === null ? [] : [", from ", styled("id", firstKeptEntryId)];
  return [
    [`a summary would stand for ${counted(messages.length + turnPrefix.length, "message")}`],
    [`${counted(kept.length, "message")} would stay`, ...first],
    [`about ${counted(estimated.before, "token")} now, ${estimated.staying} stay as they are`],
    [styled("faint", "nothing was written")],
  ];
}

/** A compaction that was written. */
export function doneRow(session: string, done: CompactionDone): Readonly<Record<string, unknown>> {
  const { entry, tokensBefore, tokensAfter, plan, loss } = done;
  return {
    session,
    compaction: entry.id,
    summarised: plan.messages.length + plan.turnPrefix.length,
    kept: plan.kept.length,
    tokensBefore,
    tokensAfter,
    summary: entry.summary,
    loss,
  };
}

/** A compaction for people. */
export function doneLine(done: CompactionDone): readonly Piece[] {
  const { entry, tokensBefore, tokensAfter, plan } = done;
  const count = counted(plan.messages.length + plan.turnPrefix.length, "message");
  return [
    styled("id", entry.id),
    `  stands for ${count}: about ${tokensBefore} → ${counted(tokensAfter, "token")}`,
  ];
}

/** What a summary does not say any more; `recall` and `expand` find it. */
export function* lossLines(loss: LossReport, columns: number): Iterable<readonly Piece[]> {
  const lost = FACT_KINDS.map((kind) => loss.lost[kind]).reduce((sum, count) => sum + count, 0);
  const found = FACT_KINDS.map((kind) => loss.found[kind]).reduce((sum, count) => sum + count, 0);
  yield [
    styled("strong", `${lost} of ${counted(found, "fact")} `),
    "are not in the new context word for word; recall and expand find them",
  ];
  for (const { kind, text, entry } of loss.items) {
    const room = Math.max(20, columns - entry.length - 14);
    yield [
      styled("label", kind.padEnd(10)),
      ` ${truncate(safeLine(text), room)}  `,
      styled("id", entry),
    ];
  }
}
