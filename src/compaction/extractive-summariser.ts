import { estimateTokens } from "../projection/token-estimate.ts";
import { type Candidate, extractLines } from "./extract.ts";
import { lineKey } from "./facts.ts";
import { inSlices, type Steps } from "./slices.ts";
import type { Summariser, Summary, SummaryInput } from "./summariser.ts";
import { readSummary, writeSummary } from "./summary-sections.ts";
import { textTokens } from "./transcript.ts";

/** Stands first in every summary that was made without a model. */
export const EXTRACTIVE_REMARK =
  "_Extractive summary: lines taken from the conversation, made without a model. 摘录式摘要：摘自对话原文，未使用模型。_";

/** Share of what is summarised that the summary may take, and its bounds in tokens. */
const SHARE = 0.25;
const LEAST = 150;
const MOST = 3000;
/** Rank of lines of the summary before this one: below what is new and important, above the rest. */
const CARRIED: Readonly<Record<string, number>> = {
  Goal: 98,
  "Key Decisions": 88,
  "Constraints & Preferences": 79,
  "Critical Context": 38,
};

/** Lines of the summary before; what was in progress or next then is over now. */
function carried(previous: string): readonly Candidate[] {
  const lines: Candidate[] = [];
  for (const { section, text } of readSummary(previous)) {
    const rank = CARRIED[section] ?? 20;
    const isOver = section === "In Progress" || section === "Next Steps";
    if (isOver) continue;
    const own = section === "Current Turn" ? "Done" : section;
    lines.push({ section: own, text: text.replace(/^Last asked: /, "Then asked: "), rank });
  }
  return lines;
}

/** The best lines that fit, in their order. */
function fitting(candidates: readonly Candidate[], tokens: number): readonly Candidate[] {
  const seen = new Set<string>();
  const taken = new Set<Candidate>();
  let left = tokens;
  for (const candidate of candidates.toSorted((a, b) => b.rank - a.rank)) {
    const key = `${candidate.section} ${lineKey(candidate.text)}`;
    const cost = textTokens(candidate.text) + 2;
    if (seen.has(key) || cost > left) continue;
    seen.add(key);
    taken.add(candidate);
    left -= cost;
  }
  return candidates.filter((candidate) => taken.has(candidate));
}

function budgetOf({ messages, turnPrefix, previousSummary, maxTokens }: SummaryInput): number {
  let tokens = previousSummary === null ? 0 : textTokens(previousSummary);
  for (const { message } of [...messages, ...turnPrefix]) tokens += estimateTokens(message);
  return Math.min(maxTokens, MOST, Math.max(LEAST, Math.floor(tokens * SHARE)));
}

function* extract(input: SummaryInput): Steps<Summary> {
  const { previousSummary, messages, turnPrefix, kind } = input;
  const before = previousSummary === null ? [] : carried(previousSummary);
  const isFirst = !before.some(({ section }) => section === "Goal");
  const turn = yield* extractLines(turnPrefix, isFirst && messages.length === 0);
  const candidates = [...before, ...(yield* extractLines(messages, isFirst)), ...turn];
  const wanted =
    kind === "branch"
      ? candidates.filter(({ section }) => section !== "Critical Context")
      : candidates;
  const lines = fitting(wanted, budgetOf(input) - textTokens(EXTRACTIVE_REMARK));
  return { text: writeSummary(lines, EXTRACTIVE_REMARK), stopReason: "stop" };
}

/**
 * A summariser without a model: it takes lines from the conversation (what was asked first and last,
 * rules, decisions, tool use, errors, exact names and numbers, the last steps), English and Chinese, and
 * carries the lines of the summary before on. The same input gives the same text. It says of itself that it is
 * extractive. Decided and planned are kept apart (F077).
 */
export function extractiveSummariser(): Summariser {
  return {
    name: "extractive",
    isExtractive: true,
    async summarise(input, { signal, onText } = {}) {
      const summary = await inSlices(extract(input), signal);
      onText?.(summary.text);
      return summary;
    },
  };
}
