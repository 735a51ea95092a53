import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(import.meta.dirname, "..", "..", "docs", "promises.md");
const BEGIN = "<!-- figures: npm run verify -- --write-docs -->\n";
const END = "<!-- end of figures -->";

/** One line of the table. */
export interface FigureRow {
  readonly name: string;
  readonly about: string;
  readonly seconds: number;
  readonly figures: string;
}

/** Puts the figures of a run into docs/promises.md. */
export function writeFigures(rows: readonly FigureRow[]): void {
  const lines = rows.map(
    ({ name, about, seconds, figures }) =>
      `| ${name} | ${about} | ${figures} | ${Math.round(seconds)} s |`,
  );
  const head = [
    "| check | promise, and what is done | figures of one run | time |",
    "|---|---|---|---|",
  ];
  const page = readFileSync(PAGE, "utf8");
  const [before = "", rest = ""] = page.split(BEGIN);
  const [, after = ""] = rest.split(END);
  writeFileSync(PAGE, `${before}${BEGIN}${[...head, ...lines].join("\n")}\n${END}${after}`);
}
