/** Most characters of a failure's text: it is stored with the answer. */
const LONGEST = 2000;
/** Causes that are followed: an error that is its own cause has no end. */
const DEEPEST = 5;
const HIDDEN = "[redacted]";

/** Shorter keys are none: servers on one's own machine are given "x" or "none", which stand in any text. */
const SHORTEST_KEY = 8;
/** Characters that are looked at: far more than are kept. */
const LOOKED_AT = 64 * 1024;

/** Texts that carry a secret, whoever wrote them. Each keeps what says which secret it was. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  // Not every word behind "bearer" is a token: these have a digit or a padding in them, or stand in a header.
  [/\b(bearer|basic)\s+(?=[^\s"',;]*[\d=])[^\s"',;]{4,}/gi, `$1 ${HIDDEN}`],
  [
    /(\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic)\s+)(?!\[redacted)[^\s"',;]+/gi,
    `$1${HIDDEN}`,
  ],
  [
    /(\b(?:x-)?(?:api[-_ ]?key|authorization|access[-_]token|secret)["']?\s*[:=]\s*["']?)(?!\[redacted|(?:bearer|basic) )[^\s"',;&)]{4,}/gi,
    `$1${HIDDEN}`,
  ],
  [/([?&](?:key|api_key|apikey|token|access_token)=)[^\s"'&#]+/gi, `$1${HIDDEN}`],
  [/(\/\/)[^\s/@:]+:[^\s/@]+@/g, `$1${HIDDEN}@`],
  [
    /(?<![\w-])(?:sk|pk|rk|gsk|xai|tp|hf|ghp|gho|AKIA|AIza)[-_]?[A-Za-z0-9_*-]*[A-Z0-9*][A-Za-z0-9_*-]{7,}/g,
    HIDDEN,
  ],
];

/**
 * The text without keys: the ones given, wherever they stand, and whatever looks like one. Failures are
 * stored, shown and exported, and providers like to repeat the key that they refuse.
 */
export function withoutSecrets(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_KEY) clean = clean.replaceAll(secret, HIDDEN);
  }
  for (const [pattern, replacement] of SECRETS) clean = clean.replace(pattern, replacement);
  return clean;
}

/** What a provider says of a failure, thrown inside an adapter on its way into the final message. */
export class ProviderFailure extends Error {}

type Members = {
  readonly [Name in "message" | "code" | "cause" | "status" | "statusCode"]?: unknown;
};

/** Members of whatever was thrown. */
function membersOf(thrown: unknown): Members {
  return typeof thrown === "object" && thrown !== null ? thrown : { message: thrown };
}

/** The messages of an error and of what caused it, each once, outermost first. */
function messagesOf(error: unknown): readonly string[] {
  const messages: string[] = [];
  let current = error;
  for (let depth = 0; depth < DEEPEST && current !== undefined && current !== null; depth++) {
    const { message, code, cause } = membersOf(current);
    const text = String(message || code || "");
    if (text !== "" && !messages.some((known) => known.includes(text))) messages.push(text);
    current = cause;
  }
  return messages;
}

function statusOf(error: unknown): number | null {
  const { statusCode, status } = membersOf(error);
  if (typeof statusCode === "number") return statusCode;
  return typeof status === "number" ? status : null;
}

/**
 * One text for what was thrown: the HTTP status where it has one, its message, the messages of its causes
 * (`fetch failed` alone says nothing), without secrets, at most 2,000 characters.
 */
export function failureText(error: unknown, secrets: readonly string[] = []): string {
  const said = messagesOf(error).join(": ") || "unknown error";
  const status = statusOf(error);
  const text = status === null || said.includes(String(status)) ? said : `${status} ${said}`;
  return withoutSecrets(text.slice(0, LOOKED_AT), secrets).slice(0, LONGEST);
}
