import { language } from "../i18n/language.ts";

const en = {
  redacted: "{n} places redacted",
  clean: "Checked for secrets: none found",
  raw: "Not redacted",
  path: "one path",
  all: "all branches",
  made: "Exported {date} with Branchline {version}",
  entries: "{n} entries",
  tree: "Tree",
  failed: "This page cannot be read. It needs a browser with DecompressionStream (2023 or newer).",
} as const;

/** Words of exported pages; the rest are those of the page. */
export type Word = keyof typeof en;

const zh: Readonly<Record<Word, string>> = {
  redacted: "已隐去 {n} 处",
  clean: "已检查敏感信息：未发现",
  raw: "未做隐去处理",
  path: "单条路径",
  all: "全部分支",
  made: "由 Branchline {version} 于 {date} 导出",
  entries: "{n} 条记录",
  tree: "会话树",
  failed: "无法读取此页面：需要支持 DecompressionStream 的浏览器（2023 年或更新）。",
};

/** A word in the chosen language with its values filled in. */
export function word(key: Word, values: Readonly<Record<string, string | number>> = {}): string {
  const text = (language.get() === "zh" ? zh : en)[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
