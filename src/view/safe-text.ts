/**
 * The one sink for text that comes from data: titles, messages, labels, file names, error texts
 * (reliability.md S16). A terminal obeys escape sequences, so nothing from a file may reach it as is.
 */

/** C0 except TAB and LF, DEL, C1. */
const CONTROL = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
/** Marks and overrides of direction. */
const BIDI = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
/** Characters without a width or a picture: joiners, fillers, separators, tags, annotations. */
const INVISIBLE =
  "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2028\\u2029" +
  "\\u2060-\\u2065\\u206a-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}" +
  "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}";
/** Variation selectors change the character before them; without one, or in a row, they only hide. */
const STRAY_SELECTOR =
  "(?<=^|[\\s\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}])[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]";
/** Joiners inside one emoji (family, profession) are part of its picture. */
const EMOJI_JOINER =
  "(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic})";

const UNSAFE = new RegExp(
  `(${EMOJI_JOINER})|${STRAY_SELECTOR}|[${CONTROL}${BIDI}${INVISIBLE}\\p{Surrogate}]`,
  "gu",
);
const UNSAFE_IN_JSON = new RegExp(`[\\u007f-\\u009f${BIDI}${INVISIBLE}]`, "gu");

function visible(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return `\\u{${code.toString(16)}}`;
}

/**
 * Text that a terminal shows and does not obey: controls except LF and TAB, DEL, C1, direction marks,
 * zero-width characters and lone surrogates become visible escapes such as `\x1b` or `\u{202e}`.
 * CR LF becomes LF.
 */
export function safeText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(UNSAFE, (found, joiner: string | undefined) =>
      joiner === undefined ? visible(found) : found,
    );
}

/** {@link safeText} on one line: line ends and tabs become spaces, runs of spaces one space. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/gu, " ").trim());
}

/** Makes JSON text harmless for a terminal without changing what it means. */
export function safeJson(json: string): string {
  return json.replace(UNSAFE_IN_JSON, (found) => {
    let escaped = "";
    for (let at = 0; at < found.length; at++) {
      escaped += `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`;
    }
    return escaped;
  });
}
