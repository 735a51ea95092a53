import type { DiffSide, DiffTotals } from "branchline/protocol/operation.ts";
import type { CompareRow, CompareView } from "./compare-model.ts";

/** Words of the document; they come from the page's language. */
export interface CompareWords {
  readonly title: string;
  /** Names of the columns. */
  readonly columns: readonly string[];
  readonly shared: string;
  readonly names: Readonly<Record<"turns" | "entries" | "tokens" | "cost" | "stop", string>>;
  readonly role: (role: string) => string;
}

/** A comparison as Markdown: the numbers as a table, then each turn that differs. Pure. */
export function compareText(view: CompareView, words: CompareWords): string {
  const { title, shared } = words;
  const differing = view.rows.filter(({ kind }) => kind !== "same");
  const turns = differing.map((row, at) => turnText(row, at + 1, words));
  return [`# ${title}`, shared, numbersText(view, words), ...turns].join("\n\n").concat("\n");
}

function numbersText({ columns }: CompareView, words: CompareWords): string {
  const { names } = words;
  const cells = (name: string, value: (totals: DiffTotals, at: number) => unknown): string =>
    `|${[name, ...columns.map((totals, at) => String(value(totals, at) ?? "–"))].map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|`;
  return [
    cells("", ({ leaf }, at) => `${words.columns[at]} \`${leaf}\``),
    `|${"---|".repeat(columns.length + 1)}`,
    cells(names.turns, ({ turns }) => turns),
    cells(names.entries, ({ entries }) => entries),
    cells(names.tokens, ({ tokens }) => tokens),
    cells(names.cost, ({ cost }) => cost),
    cells(names.stop, ({ stopReason }) => stopReason),
  ].join("\n");
}

function turnText(row: CompareRow, number: number, words: CompareWords): string {
  const sides = row.sides
    .map((side, at) => sideText(side, words.columns[at] ?? "", words))
    .filter((text) => text !== "");
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
