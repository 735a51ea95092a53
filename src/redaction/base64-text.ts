/** A run of base64 and the bytes behind it, one character each. */
export interface Base64Run {
  readonly start: number;
  readonly end: number;
  readonly decoded: string;
  /** Whether a person could read the bytes. */
  readonly isText: boolean;
}

/** Also over several lines of one width, also in the alphabet of addresses. */
const RUN = /[A-Za-z\d+/_-]{20,}(?:\r?\n[A-Za-z\d+/_-]{16,})*={0,2}/g;
/** Characters that say whether the rest is text. */
const LOOKED_AT = 256;
/** Shorter runs of bytes hold no secret that begins with a known word. */
const SHORTEST_DATA = 64;

/** Runs of base64 that may hold a text; hexadecimal and plain words are left out. */
export function* base64Runs(text: string): IterableIterator<Base64Run> {
  for (const match of text.matchAll(RUN)) {
    const clean = match[0]
      .replace(/[\r\n=]+/g, "")
      .replaceAll("-", "+")
      .replaceAll("_", "/");
    if (clean.length % 4 === 1 || /^[\da-fA-F]*$/.test(clean)) continue;
    const isText = looksReadable(atob(wholeGroups(clean.slice(0, LOOKED_AT))));
    if (!isText && clean.length < SHORTEST_DATA) continue;
    // Texts of UTF-16 have a zero beside each letter.
    const decoded = atob(clean).replaceAll("\0", "");
    yield { start: match.index, end: match.index + match[0].length, decoded, isText };
  }
}

function wholeGroups(base64: string): string {
  return base64.length < LOOKED_AT ? base64 : base64.slice(0, LOOKED_AT);
}

function looksReadable(bytes: string): boolean {
  const text = bytes.replaceAll("\0", "");
  let readable = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code >= 32 && code < 127) || code === 10 || code === 13 || code === 9) readable++;
  }
  return text.length >= 8 && readable / text.length > 0.9;
}
