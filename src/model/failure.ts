import type { AssistantMessage } from "../entry/message.ts";
import type { ModelInfo } from "./model.ts";

/**
 * What the loop does about an answer: nothing; nothing, a person ended it; compact and try once more; wait
 * and try again; give up.
 */
export type FailureKind = "none" | "aborted" | "overflow" | "transient" | "fatal";

/** Any of the phrases, in any case. Facts about what providers send; the list grows with what is met. */
function anyOf(...phrases: readonly string[]): RegExp {
  return new RegExp(phrases.join("|"), "i");
}

/** The account is used up or barred: waiting some seconds does not help, whatever the status says. */
const EXHAUSTED = anyOf(
  "insufficient[ _]?(quota|balance|funds|credit)",
  "quota[ _]exceeded",
  "exceeded your current quota",
  "credit balance is too low",
  "(usage|monthly|spend|spending|billing)[ _](hard[ _])?limit[ _](has been[ _])?(reached|exceeded)",
  "UsageLimitError",
  "out of budget",
  "payment required",
);

/** Said together with 429 and the like; then a word about tokens means the rate, not the window. */
const THROTTLED = anyOf(
  "rate.?limit",
  "too many requests",
  "throttl",
  "(tokens|requests) per (minute|day)",
);

/** One request that is larger than what a minute allows: waiting does not make it smaller. */
const TOO_LARGE_FOR_RATE = /request too large.{0,120}tokens per min/i;

/** The request does not fit the model's window or the provider's size of a request. */
const OVERFLOW = anyOf(
  // Anthropic, Bedrock, z.ai, Ollama
  "(prompt|input|request) (is )?too (long|large)",
  "request_too_large",
  "exceeds? (the )?max(imum)? (prompt |input |allowed )?(length|size)",
  // OpenAI and its many likes, vLLM, LiteLLM, OpenRouter, Mistral, Together, LM Studio, llama.cpp, MiniMax
  "context[ _-]?(length|window|size)s?[ _](is[ _])?exceed",
  "exceed(s|ed|ing)? (the |this )?(model'?s |available )?(maximum |max )?(context|allowed input) ?(length|window|size)?",
  "maximum (context|prompt) length is",
  "with \\d+ maximum context length",
  "(longer|greater) than the (model'?s )?context length",
  "context window exceeds",
  "configured context size is",
  "range of input length should be",
  // Google
  "input token count.{0,40}exceeds the maximum",
  // Groq, Copilot, Kimi
  "reduce the length of (the|your) (messages|prompt|input)",
  "token count of \\d+ exceeds",
  "(model )?token limit exceeded|exceeded model token limit",
  "too many tokens",
  // Chinese texts of the same
  "(上下文|输入|提示词?).{0,12}(超出|超过|过长)",
);

/** The status 413 as the status of the answer, not as a number in a text. */
const TOO_LARGE_STATUS = /^(?:[\w .-]+\bAPI error \()?(?:HTTP )?413\b/i;

/** Load, limits of a rate, gateways and the network: the same request may succeed later. */
const TRANSIENT = anyOf(
  // A number that is the status, not part of an id, a size or a price.
  "(?<![\\w.-])(408|409|425|429|500|502|503|504|520|521|522|523|524|529)(?![\\w.-]*\\w)",
  "overloaded",
  "rate.?limit",
  "too many requests",
  "throttl",
  "resource.?exhausted",
  "(at|over) capacity",
  "high (demand|load)|currently busy|server_busy",
  "(service|temporarily)( is)?( temporarily)? unavailable",
  "(internal|server)[ _]?error",
  "bad gateway",
  "(provider|upstream).{0,24}(error|fail|disconnect|connect)",
  "timed?[ -]?out",
  "fetch failed|failed to fetch",
  "(network|connection|socket|stream)[ _](error|reset|refused|closed|lost|aborted|hang up|failed|was)",
  "(premature|unexpected)(ly)? (close|end)",
  "(closed|ended|cut|stopped|disconnected|interrupted) (without|before|in the middle)",
  "other side closed|terminated",
  "(?<!\\w)(ECONN(RESET|REFUSED|ABORTED)|E(TIMEDOUT|PIPE|AI_AGAIN|NOTFOUND|HOSTUNREACH|NETUNREACH)|ENOTFOUND|UND_ERR_\\w+)(?!\\w)",
  "try (your request )?again|retry (your|the) request",
  "请求过于频繁|服务(器)?(繁忙|不可用)|稍后(再试|重试)",
);

function isOverflowText(text: string): boolean {
  if (TOO_LARGE_FOR_RATE.test(text)) return true;
  if (THROTTLED.test(text)) return false;
  return TOO_LARGE_STATUS.test(text) || OVERFLOW.test(text);
}

/** Tokens that the provider counted for the request; null = it counted none. */
function countedInput(message: AssistantMessage): number | null {
  const { usage } = message;
  if (usage === undefined) return null;
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return input + usage.output === 0 ? null : input;
}

/**
 * A window that overflowed without an error: more input counted than the window holds, or an answer that
 * stopped for its length before it had the length that it was allowed.
 */
function isSilentOverflow(
  message: AssistantMessage,
  info: ModelInfo,
  maxTokens: number | null,
): boolean {
  const input = countedInput(message);
  if (input === null) return false;
  if (message.stopReason === "stop")
    return info.contextWindow !== null && input > info.contextWindow;
  if (message.stopReason !== "length") return false;
  const output = message.usage?.output ?? 0;
  return output === 0 || (maxTokens !== null && output < maxTokens);
}

/**
 * Sorts a final message by what can be done about it. Only texts tell apart what providers mean, so the
 * kinds are decided by phrases: an exhausted account is fatal though it comes as 429, and a limit of
 * tokens a minute is transient though it speaks of tokens. Anything unknown is fatal: trying again what
 * was refused for a reason is worse than asking a person.
 *
 * @param maxTokens the limit that the request asked for; default: the model's.
 */
export function failureKind(
  message: AssistantMessage,
  info: ModelInfo,
  maxTokens: number | null = info.maxOutput,
): FailureKind {
  if (message.stopReason === "aborted") return "aborted";
  if (message.stopReason !== "error") {
    return isSilentOverflow(message, info, maxTokens) ? "overflow" : "none";
  }
  const text = message.errorMessage ?? "";
  if (EXHAUSTED.test(text)) return "fatal";
  if (isOverflowText(text)) return "overflow";
  return TRANSIENT.test(text) ? "transient" : "fatal";
}

const RETRY_AFTER = /retry[- ]after:? (\d+(?:\.\d+)?) ?(ms|s)\b/i;

/**
 * How long the provider asked to wait, in ms, where the text of the failure says so (our own adapters
 * write `(retry after 2 s)`); null otherwise. A policy takes the longer of this and its own delay.
 */
export function retryAfterMs(message: AssistantMessage): number | null {
  const found = RETRY_AFTER.exec(message.errorMessage ?? "");
  if (found === null) return null;
  return Math.ceil(Number(found[1]) * (found[2] === "s" ? 1000 : 1));
}
