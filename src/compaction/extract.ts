import type { Message } from "../entry/message.ts";
import { CONSTRAINT_CUE, DECISION_CUE, ERROR_CUE, NEXT_CUE, PLAN_CUE } from "./cues.ts";
import { factsIn, lineKey } from "./facts.ts";
import { callsOf, isSpeech, spokenText, textOf } from "./message-text.ts";
import { headOf, linesOf, sentencesOf } from "./sentences.ts";
import type { Steps } from "./slices.ts";
import type { SourcedMessage } from "./summariser.ts";
import type { SectionName } from "./summary-sections.ts";

/** A line that a summary may hold. */
export interface Candidate {
  readonly section: SectionName;
  readonly text: string;
  /** Larger = taken first. */
  readonly rank: number;
}

/** Longest line, in UTF-16 units. */
const MAX_LINE = 300;
/** Most lines of one kind. */
const MOST = {
  asks: 8,
  rules: 10,
  tools: 12,
  said: 8,
  errors: 5,
  decisions: 15,
  facts: 24,
} as const;

const TASK_MEMBERS = [
  "path",
  "file_path",
  "filePath",
  "file",
  "command",
  "query",
  "pattern",
  "url",
  "name",
] as const;

function quoted(text: string): string {
  return headOf(text.replace(/\s+/gu, " ").trim(), MAX_LINE);
}

function contentText(message: Message): string {
  return textOf("content" in message ? message.content : undefined);
}

/** Without repeats; of equal ones the last place counts. */
function unique(texts: readonly string[]): readonly string[] {
  const last = new Map<string, string>();
  for (const text of texts) {
    const key = lineKey(text);
    last.delete(key);
    last.set(key, text);
  }
  return [...last.values()];
}

/** The newest ones, each with a rank that grows towards the end. */
function ranked(
  section: SectionName,
  texts: readonly string[],
  from: { readonly rank: number; readonly most: number },
): readonly Candidate[] {
  const newest = unique(texts).slice(-from.most);
  return newest.map((text, at) => ({
    section,
    text,
    rank: from.rank + (at + 1) / (newest.length + 1),
  }));
}

/** What the person asked for: first and last, and what came between. */
function goals(users: readonly string[], isFirst: boolean): readonly Candidate[] {
  const asks = users.map(quoted).filter((ask) => ask !== "");
  const first = asks[0];
  const last = asks.at(-1);
  if (first === undefined || last === undefined) return [];
  const lines: Candidate[] = [];
  if (isFirst) lines.push({ section: "Goal", text: `First asked: ${first}`, rank: 100 });
  const between = asks.slice(isFirst ? 1 : 0, -1).map((ask) => `Then asked: ${ask}`);
  lines.push(...ranked("Goal", between, { rank: 50, most: MOST.asks }));
  if (asks.length > 1 || !isFirst) {
    lines.push({ section: "Goal", text: `Last asked: ${last}`, rank: 99 });
  }
  return lines;
}

function taskOf(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const members: Readonly<Record<string, unknown>> = { ...args };
  const key = TASK_MEMBERS.find((name) => typeof members[name] === "string");
  return key === undefined ? "" : headOf(String(members[key]).replace(/\s+/gu, " "), 80);
}

interface ToolUse {
  readonly line: string;
  readonly failed: boolean;
}

function toolUses(messages: readonly Message[]): readonly ToolUse[] {
  const failed = new Set<string>();
  for (const message of messages) {
    if (message.role !== "toolResult" || !("toolCallId" in message)) continue;
    if ("isError" in message && message.isError === true) failed.add(String(message.toolCallId));
  }
  return messages.flatMap((message) =>
    callsOf(message).map(({ id, name, arguments: args }) => {
      return { line: `${name} ${taskOf(args)}`.trim(), failed: failed.has(id) };
    }),
  );
}

function toolLines(uses: readonly ToolUse[]): readonly Candidate[] {
  const counts = new Map<string, { count: number; failed: number }>();
  for (const { line, failed } of uses) {
    const known = counts.get(line) ?? { count: 0, failed: 0 };
    counts.delete(line);
    counts.set(line, { count: known.count + 1, failed: known.failed + (failed ? 1 : 0) });
  }
  const lines = [...counts].map(([line, { count, failed }]) => {
    const times = count > 1 ? ` (${count} times)` : "";
    return `ran ${line}${times}${failed > 0 ? `, ${failed} failed` : ""}`;
  });
  return ranked("Done", lines, { rank: 40, most: MOST.tools });
}

/** What the assistant said at the end of its answers, and what it was about to do. */
function* saidLines(answers: readonly string[]): Steps<readonly Candidate[]> {
  const ends: string[] = [];
  for (const text of answers) {
    const end = sentencesOf(text)[0] ?? "";
    if (end !== "") ends.push(end);
    yield;
  }
  const said = ends.slice(0, -1).map((text) => `said: ${quoted(text)}`);
  const last = answers.at(-1);
  const lines = [...ranked("Done", said, { rank: 45, most: MOST.said })];
  if (last === undefined || last === "") return lines;
  const sentences = sentencesOf(last);
  const now = sentences.at(-1);
  if (now !== undefined) {
    lines.push({ section: "In Progress", text: `last said: ${quoted(now)}`, rank: 85 });
  }
  const next = sentences.findLast((one) => NEXT_CUE.test(one) && !DECISION_CUE.test(one));
  if (next !== undefined) {
    lines.push({ section: "Next Steps", text: `Next action: ${quoted(next)}`, rank: 95 });
  }
  return lines;
}

function* errorLines(messages: readonly Message[]): Steps<readonly Candidate[]> {
  const errors: string[] = [];
  for (const message of messages) {
    if (isSpeech(message)) continue;
    const isError = "isError" in message && message.isError === true;
    const lines = linesOf(spokenText(message), MAX_LINE);
    const told = lines.filter((line) => ERROR_CUE.test(line));
    if (isError && told.length === 0) told.push(...lines.slice(0, 1));
    errors.push(...told.slice(-3));
    yield;
  }
  return ranked("Blocked", errors, { rank: 60, most: MOST.errors });
}

/** Sentences by what they are: rules of the person, decisions of both, plans of the assistant. */
function* sentenceLines(messages: readonly Message[]): Steps<readonly Candidate[]> {
  const rules: string[] = [];
  const decisions: string[] = [];
  const plans: string[] = [];
  for (const message of messages) {
    if (message.role !== "user" && message.role !== "assistant") continue;
    const isUser = message.role === "user";
    for (const sentence of sentencesOf(contentText(message))) {
      const line = quoted(sentence);
      if (DECISION_CUE.test(sentence)) decisions.push(line);
      else if (isUser && CONSTRAINT_CUE.test(sentence)) rules.push(line);
      else if (!isUser && PLAN_CUE.test(sentence)) plans.push(`Planned, not decided: ${line}`);
    }
    yield;
  }
  return [
    ...ranked("Constraints & Preferences", rules, { rank: 80, most: MOST.rules }),
    ...ranked("Key Decisions", decisions, { rank: 90, most: MOST.decisions }),
    ...ranked("Next Steps", plans, { rank: 30, most: 3 }),
  ];
}

/** Exact things that were spoken of most. */
function* factLines(messages: readonly Message[]): Steps<readonly Candidate[]> {
  const facts = new Map<string, { text: string; weight: number }>();
  for (const message of messages) {
    const weight = message.role === "user" ? 4 : isSpeech(message) ? 2 : 1;
    for (const fact of factsIn(spokenText(message), { isSpeech: isSpeech(message) })) {
      if (fact.kind === "decision" || fact.kind === "error") continue;
      const known = facts.get(fact.key);
      if (known === undefined) facts.set(fact.key, { text: fact.text, weight });
      else known.weight += weight;
    }
    yield;
  }
  const best = [...facts.values()].sort((a, b) => b.weight - a.weight).slice(0, MOST.facts);
  return best.map(({ text, weight }) => {
    return { section: "Critical Context", text, rank: 35 + Math.min(weight, 100) / 5 };
  });
}

/**
 * The lines that a summary without a model may take from messages, in the order in which they would be
 * written. `isFirst` = no summary stands before them. Deterministic.
 */
export function* extractLines(
  sourced: readonly SourcedMessage[],
  isFirst: boolean,
): Steps<readonly Candidate[]> {
  const messages = sourced.map(({ message }) => message);
  const users = messages.filter(({ role }) => role === "user").map(contentText);
  const answers = messages.filter(({ role }) => role === "assistant").map(contentText);
  const uses = toolUses(messages);
  const last = uses.slice(-3).map(({ line, failed }) => `ran ${line}${failed ? " (failed)" : ""}`);
  const summaries = messages.flatMap((message) =>
    "summary" in message && typeof message.summary === "string"
      ? sentencesOf(message.summary).slice(0, MOST.said)
      : [],
  );
  return [
    ...goals(users, isFirst),
    ...(yield* sentenceLines(messages)),
    ...toolLines(uses.slice(0, -3)),
    ...(yield* saidLines(answers.filter((text) => text !== ""))),
    ...ranked("In Progress", last, { rank: 70, most: 3 }),
    ...(yield* errorLines(messages)),
    ...ranked("Critical Context", summaries, { rank: 55, most: MOST.said }),
    ...(yield* factLines(messages)),
  ];
}
