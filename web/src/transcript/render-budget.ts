/** Longest text that becomes markdown, in characters. */
const LONGEST = 20_000;
/** Signs that markdown parsers must look back and forth for; too many of them and the text stays plain (S7). */
const SIGNS = 2500;
/** Quotes or list levels inside one another. */
const DEEPEST = 24;

/** Whether a text is cheap enough to be rendered as markdown; others are shown as plain text. */
export function isWithinBudget(source: string): boolean {
  if (source.length > LONGEST) return false;
  let signs = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    // * _ [ ` ~ <
    const isSign =
      code === 42 || code === 95 || code === 91 || code === 96 || code === 126 || code === 60;
    if (isSign && ++signs > SIGNS) return false;
  }
  return !hasDeepLine(source);
}

function hasDeepLine(source: string): boolean {
  for (const line of source.split("\n")) {
    const prefix = /^[\s>*+-]{0,200}/.exec(line)?.[0] ?? "";
    const marks = prefix.replace(/\s/g, "").length;
    if (marks > DEEPEST && !/^[-*_\s]*$/.test(line)) return true;
    if (/^\s{96}/.test(line) && /[>*+-]/.test(line.trimStart()[0] ?? "")) return true;
  }
  return false;
}

/** Whether a text uses any markdown at all; plain sentences need no parser. */
export function usesMarkdown(source: string): boolean {
  return /[*_`#[\]|~>]|^\s*(?:[-+]|\d+[.)])\s|https?:\/\/|\n\n/m.test(source);
}
