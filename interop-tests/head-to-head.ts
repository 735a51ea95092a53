/**
 * `npm run head-to-head`: the 53 hostile inputs and events, each on Pi 1.6.0 and on ours, judged by the
 * same oracle; writes docs/head-to-head.md. `--rows 1,2,…` runs some and prints the table instead,
 * or with `--write` puts them in the place of what the page says of these rows; `--seconds N` shortens
 * every limit.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROWS } from "./head-to-head/rows.ts";
import { runCase } from "./head-to-head/run-case.ts";
import { type Line, linesOf, pageText, tableText } from "./head-to-head/table.ts";

const PAGE = join(import.meta.dirname, "../docs/head-to-head.md");

const { values } = parseArgs({
  options: { rows: { type: "string" }, seconds: { type: "string" }, write: { type: "boolean" } },
});
const chosen = values.rows?.split(",").map(Number);
const limit = values.seconds === undefined ? {} : { seconds: Number(values.seconds) };

const lines: Line[] = [];
for (const [index, row] of ROWS.entries()) {
  if (chosen !== undefined && !chosen.includes(row.row)) continue;
  const pi = await runCase(row, index, { side: "pi", ...limit });
  const ours = await runCase(row, index, { side: "branchline", ...limit });
  lines.push({ row: row.row, title: row.title, pi, ours });
  console.log(`${`${row.row}`.padStart(2)}  ${row.title}`);
  console.log(`      Pi          ${pi.grade.padEnd(5)} ${pi.text}`);
  console.log(`      Branchline  ${ours.grade.padEnd(5)} ${ours.text}`);
}
if (chosen === undefined) writeFileSync(PAGE, pageText(lines));
else if (values.write === true) {
  const others = linesOf(readFileSync(PAGE, "utf8")).filter(({ row }) => !chosen.includes(row));
  const all = [...others, ...lines].sort((a, b) => a.row - b.row);
  writeFileSync(PAGE, pageText(all));
} else console.log(`\n${tableText(lines)}`);
