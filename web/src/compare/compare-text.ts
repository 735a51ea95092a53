import type { DiffRow, DiffSide, DiffTotals, DiffView } from "branchline/protocol/operation.ts";

/** Words of the document; they come from the page's language. */
export interface CompareWords {
  readonly title: string;
  readonly left: string;
  readonly right: string;
  readonly shared: string;
  readonly names: Readonly<Record<"turns" | "entries" | "tokens" | "cost" | "stop", string>>;
  readonly role: (role: string) => string;
}

/** A comparison as Markdown: the numbers as a table, then each turn that differs. Pure. */
export function compareText(diff: DiffView, words: CompareWords): string {
  const { title, shared } = words;
  const differing = diff.rows.filter(({ kind }) => kind !== "same");
  const turns = differing.map((row, at) => turnText(row, at + 1, words));
  return [`# ${title}`, shared, numbersText(diff, words), ...turns].join("\n\n").concat("\n");
}

function numbersText({ a, b }: DiffView, { left, right, names }: CompareWords): string {
  const line = (name: string, value: (totals: DiffTotals) => unknown): string =>
    `| ${name} | ${String(value(a) ?? "–")} | ${String(value(b) ?? "–")} |`;
  return [
    `| | ${left} \`${a.leaf}\` | ${right} \`${b.leaf}\` |`,
    "|---|---|---|",
    line(names.turns, ({ turns }) => turns),
    line(names.entries, ({ entries }) => entries),
    line(names.tokens, ({ tokens }) => tokens),
    line(names.cost, ({ cost }) => cost),
    line(names.stop, ({ stopReason }) => stopReason),
  ].join("\n");
}

function turnText(row: DiffRow, number: number, words: CompareWords): string {
  const sides = [
    sideText(row.left, words.left, words),
    sideText(row.right, words.right, words),
  ].filter((text) => text !== "");
  return [`## ${number}`, ...sides].join("\n\n");
}

function sideText(side: DiffSide | null, name: string, words: CompareWords): string {
  if (side === null) return "";
  return `**${name} · ${words.role(side.role)}** \`${side.entry}\`\n\n${fenced(side.text)}`;
}

/** A fence longer than any inside, so that a text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
