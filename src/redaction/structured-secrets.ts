import {
  type FamilySet,
  familyMatches,
  familySet,
  hasDigit,
  type Match,
  type TokenFamily,
} from "./token-family.ts";

/** Whether base64 of HTTP's Basic scheme holds a name and a password. */
function isBasic(base64: string): boolean {
  try {
    return atob(base64).includes(":");
  } catch {
    return false;
  }
}

/** Words that stand for a password in addresses of documents. */
const STAND_IN = /^(?:\$|<|\{|\*+$|x+$|pass(?:word)?$|pw$|pwd$|secret$|\[redacted|%[a-z])/i;

/** Secrets that their surroundings tell: headers, addresses, connection strings. */
export const STRUCTURED_FAMILIES: readonly TokenFamily[] = [
  {
    kind: "authorization",
    words: ["earer", "EARER"],
    pattern: /(?<!\w)bearer["']?\s{1,3}["']?([\w.~+/=-]{16,8192})/gi,
    accept: hasDigit,
  },
  {
    kind: "authorization",
    words: ["asic "],
    pattern: /(?<!\w)basic\s{1,3}([A-Za-z\d+/]{8,4096}={0,2})/gi,
    accept: isBasic,
  },
  {
    kind: "authorization",
    words: ["uthorization", "UTHORIZATION", "-key", "-Key", "-KEY", "-token", "-Token", "-TOKEN"],
    pattern:
      /(?<![\w-])(?:(?:proxy-)?authorization|x-[a-z-]{0,24}(?:key|token))["']?\s{0,3}[:=]\s{0,3}["']?(?:[a-z]{2,10}\s{1,3})?([\w.~+/=:-]{16,8192})/gi,
    accept: hasDigit,
  },
  {
    kind: "cookie",
    words: ["ookie:", "OOKIE:"],
    pattern: /(?<![\w-])(?:set-)?cookie:\s{0,3}([^\r\n"']{8,8192})/gi,
    accept: (secret) => secret.includes("=") && hasDigit(secret),
  },
  {
    kind: "url-credentials",
    words: ["://"],
    pattern:
      /(?<![a-z\d+.-])[a-z][a-z\d+.-]{1,20}:\/\/[^\s/?#@"'`<>:]{0,128}:([^\s/?#@"'`<>]{1,512})(?=@)/gi,
    accept: (secret) => !STAND_IN.test(secret),
  },
  {
    kind: "url-credentials",
    words: ["://"],
    pattern: /(?<![a-z\d+.-])https?:\/\/([\w.~%-]{20,512})(?=@)/gi,
    accept: hasDigit,
  },
  {
    kind: "connection-string",
    words: ["assword", "ASSWORD", "wd=", "WD="],
    pattern: /(?<=[;"'\s]|^)(?:password|pwd)\s{0,2}=\s{0,2}([^\s;"'`]{4,512})(?=;)/gi,
    accept: (secret) => !STAND_IN.test(secret),
  },
];

const STRUCTURED: FamilySet = familySet(STRUCTURED_FAMILIES);

const KEY_BEGIN = /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = "-----END ";
/** Rest of a line of base64, with the headers that old keys have. */
const KEY_LINES = /(?:\s*(?:[A-Za-z\d+/=]{1,200}|[A-Z][\w-]{2,24}: [^\r\n]{0,200}))*/y;
/** Longest key that is cut out as one, in characters. */
const KEY_LENGTH = 65_536;

/**
 * Private keys in PEM, from BEGIN to END; of one without an end the lines that belong to it. Each end is
 * looked for once, so that texts full of beginnings take linear time.
 */
export function privateKeys(text: string): Match[] {
  const found: Match[] = [];
  let done = 0;
  let nextEnd = 0;
  for (const match of text.matchAll(KEY_BEGIN)) {
    const start = match.index;
    if (start < done) continue;
    const body = start + match[0].length;
    if (nextEnd !== -1 && nextEnd < body) nextEnd = text.indexOf(KEY_END, body);
    const end =
      nextEnd === -1 || nextEnd - start > KEY_LENGTH ? linesEnd(text, body) : endOf(text, nextEnd);
    done = end;
    found.push({ kind: "private-key", start, end, secret: text.slice(start, end), rank: 0 });
  }
  return found;
}

function endOf(text: string, from: number): number {
  const close = text.indexOf("-----", from + KEY_END.length);
  return close === -1 || close - from > 80 ? from + KEY_END.length : close + 5;
}

function linesEnd(text: string, from: number): number {
  KEY_LINES.lastIndex = 0;
  const rest = text.slice(from, from + KEY_LENGTH);
  return from + (KEY_LINES.exec(rest)?.[0].length ?? 0);
}

/** Everything that its surroundings tell to be a secret. */
export function structuredMatches(text: string): Match[] {
  const found = familyMatches(STRUCTURED, text);
  return text.includes("PRIVATE KEY") ? [...found, ...privateKeys(text)] : found;
}
