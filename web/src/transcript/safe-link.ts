const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** Characters that browsers drop or that hide what a link is: controls, blanks, direction and zero-width marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is taken out
const HIDDEN = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g;

/**
 * The address of a link that may be followed, or null (S5): http, https and mailto only, seen after hidden
 * characters are gone. Relative addresses are refused: they would point into this page.
 */
export function safeLink(address: string): string | null {
  const clean = address.replace(HIDDEN, "");
  if (!/^[a-z]+:/i.test(clean) || clean.includes("\\")) return null;
  const url = URL.parse(clean);
  return url !== null && SCHEMES.has(url.protocol) ? url.href : null;
}
