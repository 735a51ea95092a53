/** How the demos print: headings, names in front of values, dim remarks. */
import { styleText } from "node:util";

/** A heading with an empty line above. */
export function heading(text: string): void {
  console.log(`\n${styleText("bold", text)}`);
}

/** A name and its value. Chinese characters take two columns of a terminal. */
export function row(name: string, value: string | number): void {
  const wide = name.match(/\p{Script=Han}/gu)?.length ?? 0;
  console.log(`  ${styleText("cyan", name.padEnd(22 - wide))} ${value}`);
}

/** A remark. */
export function remark(text: string): void {
  console.log(styleText("dim", `  ${text}`));
}

/** One line of a text, cut to fit. */
export function brief(text: string, length = 90): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length)}…` : line;
}

/** The texts of a message's content, with its tool calls as `→ name`. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const blocks: readonly { readonly text?: string; readonly name?: string }[] = content;
  return blocks.map(({ text, name }) => text ?? (name === undefined ? "" : `→ ${name}`)).join(" ");
}
