import { release } from "node:os";
import type { Grade, Verdict } from "./row.ts";

/** One case with both verdicts. */
export interface Line {
  readonly row: number;
  readonly title: string;
  readonly pi: Verdict;
  readonly ours: Verdict;
}

const MARK: Readonly<Record<Grade, string>> = { good: "✔", half: "◐", bad: "✘", none: "–" };
const WORST: readonly Grade[] = ["bad", "half", "good", "none"];
type SideKey = "pi" | "ours";

function cell({ grade, text }: Verdict): string {
  return `${MARK[grade]} ${text.replaceAll("|", "\\|")}`;
}

/** The table, one line a case. */
export function tableText(lines: readonly Line[]): string {
  const rows = lines.map(
    ({ row, title, pi, ours }) => `| ${row} | ${title} | ${cell(pi)} | ${cell(ours)} |`,
  );
  const head = ["| # | input or event | Pi 1.6.0 | Branchline |", "|---|---|---|---|"];
  return [...head, ...rows].join("\n");
}

/** The lines of a page that {@link pageText} has written. */
export function linesOf(page: string): readonly Line[] {
  const pattern = /^\| (\d+) \| (.*?) \| (.) (.*?) \| (.) (.*?) \|$/gm;
  const gradeOf = (mark: string | undefined): Grade =>
    WORST.find((grade) => MARK[grade] === mark) ?? "none";
  return Array.from(page.matchAll(pattern), ([, row, title, pi, piText, ours, ourText]) => ({
    row: Number(row),
    title: `${title}`,
    pi: { grade: gradeOf(pi), text: `${piText}`.replaceAll("\\|", "|") },
    ours: { grade: gradeOf(ours), text: `${ourText}`.replaceAll("\\|", "|") },
  }));
}

/** Rows by grade; a row with several cases counts as its worst. */
export function gradesOf(lines: readonly Line[], side: SideKey): Readonly<Record<Grade, number>> {
  const byRow = new Map<number, Grade>();
  for (const line of lines) {
    const known = byRow.get(line.row) ?? "none";
    const { grade } = line[side];
    if (WORST.indexOf(grade) < WORST.indexOf(known)) byRow.set(line.row, grade);
    else byRow.set(line.row, known);
  }
  const counts = { good: 0, half: 0, bad: 0, none: 0 };
  for (const grade of byRow.values()) counts[grade]++;
  return counts;
}

function sums(lines: readonly Line[], side: SideKey): string {
  const { good, half, bad, none } = gradesOf(lines, side);
  return `${MARK.good} ${good} · ${MARK.half} ${half} · ${MARK.bad} ${bad} · ${MARK.none} ${none}`;
}

/** The whole page. */
export function pageText(lines: readonly Line[]): string {
  const machine = `Linux ${release()}, Node ${process.versions.node}`;
  const rows = new Set(lines.map(({ row }) => row)).size;
  return `# Head to head with Pi 1.6.0

Written by \`npm run head-to-head\` (in \`interop-tests\`); every verdict is measured by the same code on the same bytes, each case in a process of its own with a limit on time and memory, and nothing below was written by hand. ${machine}; ${process.getuid?.() === 0 ? "root, so disks were mounted" : "not root"}.

Both sides read and write the same files: Pi's \`SessionManager\` of the package \`@earendil-works/pi-coding-agent\` 1.6.0, and our library. Pi is the program that Branchline is compatible with, and what it does on healthy files it does well; these are the unhealthy ones.

${MARK.good} what one would ask for · ${MARK.half} nothing is lost, but something is amiss (the file is changed by opening it, or damage is not reported) · ${MARK.bad} messages are lost or cannot be reached, the program hangs or dies, or writes where it should not · ${MARK.none} not run, with the reason. A message counts as kept where it is in the context that the model receives. A row with several cases counts as its worst.

| ${rows} rows | |
|---|---|
| Pi 1.6.0 | ${sums(lines, "pi")} |
| Branchline | ${sums(lines, "ours")} |

${tableText(lines)}

## 中文摘要

本页由 \`npm run head-to-head\` 生成：同一批损坏的文件与故障事件，由同一段程序分别在 Pi 1.6.0 与 Branchline 上运行并判定，没有一项是手写的。每个用例在独立进程中运行，限制时间与内存；卡死的进程会被结束并如实记录。共 ${rows} 行。

- Pi 1.6.0：${sums(lines, "pi")}
- Branchline：${sums(lines, "ours")}

${MARK.good} 符合要求；${MARK.half} 没有丢失内容，但有缺陷（打开时改动了文件，或没有报告损坏）；${MARK.bad} 丢失消息、无法打开、卡死、崩溃或写到了不该写的地方；${MARK.none} 未运行（附原因）。“保留”指该消息出现在模型收到的上下文里。
`;
}
