/**
 * Measures the budgets of the page on sessions of 10,000 and 100,000 entries and writes them down.
 *
 * Run: `node test/browser/ui-bench.ts [--write]`; with `--write` into docs/ui-budgets.md. Takes about a minute.
 */
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import path from "node:path";
import { openBench } from "./browser-bench.ts";
import { type Budget, type Figures, LIMITS, measureBudgets } from "./budgets.ts";
import { largeSession } from "./large-session.ts";

const SIZES = [10_000, 100_000] as const;
const DOCUMENT = path.resolve(import.meta.dirname, "../../docs/ui-budgets.md");

const WORDS: Readonly<
  Record<Budget, { readonly en: string; readonly zh: string; readonly unit: string }>
> = {
  firstRow: { en: "first row of the transcript visible", zh: "首行可见", unit: "ms" },
  elements: { en: "elements of the document, at most", zh: "DOM 元素（最多）", unit: "" },
  branchSwitch: { en: "branch switch, click to frame", zh: "切换分支", unit: "ms" },
  key: { en: "key to frame, in the composer", zh: "输入框按键到显示", unit: "ms" },
  searchKey: {
    en: "key to frame, in the search of the tree",
    zh: "树内搜索按键到显示",
    unit: "ms",
  },
  blank: { en: "longest blank while scrolling", zh: "滚动时最长空白", unit: "ms" },
  payload: { en: "answers before the first view, packed", zh: "首屏数据（压缩后）", unit: "kB" },
  code: { en: "page: markup, scripts, styles, packed", zh: "页面代码（压缩后）", unit: "kB" },
  heap: { en: "JavaScript heap", zh: "JavaScript 堆", unit: "MB" },
  window: { en: "API: one window of the path", zh: "API：一段路径窗口", unit: "ms" },
};

const NAMES = Object.keys(LIMITS) as Budget[];

async function measured(entries: number): Promise<Figures> {
  const { root, session } = await largeSession(entries);
  const bench = await openBench({ root });
  if (typeof bench === "string") throw new TypeError(bench);
  try {
    return await measureBudgets(bench, session, { until: "all" });
  } finally {
    await bench.close();
  }
}

function table(language: "en" | "zh", all: readonly Figures[]): string {
  const head = { en: ["what", "limit"], zh: ["项目", "上限"] }[language];
  const size = (entries: number): string =>
    `${entries.toLocaleString("en-US")} ${language === "en" ? "entries" : "个条目"}`;
  const withUnit = (value: number, unit: string): string =>
    `${value.toLocaleString("en-US")} ${unit}`.trim();
  const lines = NAMES.map((name) => {
    const { unit, [language]: words } = WORDS[name];
    const cells = [LIMITS[name], ...all.map((figures) => figures[name])];
    return `| ${words} | ${cells.map((value) => withUnit(value, unit)).join(" | ")} |`;
  });
  return [
    `| ${[...head, ...SIZES.map(size)].join(" | ")} |`,
    `|---|${"---:|".repeat(SIZES.length + 1)}`,
    ...lines,
  ].join("\n");
}

function document(all: readonly Figures[]): string {
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? "?"}, headless Chromium, Node ${process.versions.node}`;
  return `# Budgets of the page

Measured ${day} on ${machine}, best of eight rounds, by \`node test/browser/ui-bench.ts --write\`. The limits hold for 10,000 entries and are gates of \`npm test\` (test/browser/budgets.test.ts); 100,000 entries have no limit, they must open and be usable.

${table("en", all)}

The first two kinds of bytes are counted apart: answers of the server before the first view (state, tree as columns, one window), and the page's own code, which the browser keeps for ever. An exported file of 10,000 entries has its own gate, 1.5 s to the first row (test/browser/export-page.test.ts).

## 中文摘要

测量条件同上；上限针对 10,000 个条目的会话，由 \`npm test\` 检查。100,000 个条目没有上限，但必须能打开并使用。

${table("zh", all)}
`;
}

async function main(): Promise<void> {
  const all: Figures[] = [];
  for (const entries of SIZES) {
    const figures = await measured(entries);
    console.log(entries, figures);
    all.push(figures);
  }
  if (process.argv.includes("--write")) await writeFile(DOCUMENT, document(all));
}

await main();
