import { BranchlineError } from "../../errors.ts";
import type { ModelProvider } from "../../model/model.ts";
import { createOpenAiCompatible, type OpenAiCompatibleOptions } from "./openai-compatible.ts";

/** Variables of the environment, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = "OPENAI_COMPATIBLE_";

function unusable(name: string, reason: string): BranchlineError<"USAGE"> {
  return new BranchlineError("USAGE", {}, { message: `${PREFIX}${name} ${reason}.` });
}

/** A number of tokens; null where the variable is not set. */
function tokens(env: Environment, name: string): number | null {
  const text = env[`${PREFIX}${name}`]?.trim() ?? "";
  if (text === "") return null;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw unusable(name, "is no whole number of tokens above 0");
}

function authHeader(env: Environment): "authorization" | "api-key" {
  const text = env[`${PREFIX}AUTH_HEADER`]?.trim().toLowerCase() ?? "";
  if (text === "" || text === "authorization") return "authorization";
  if (text === "api-key") return "api-key";
  throw unusable("AUTH_HEADER", 'must be "authorization" or "api-key"');
}

/**
 * The provider that the environment describes, or null without `OPENAI_COMPATIBLE_BASE_URL`. Further:
 * `…_MODEL` (needed), `…_API_KEY`, `…_AUTH_HEADER` ("authorization" or "api-key"), `…_CONTEXT_WINDOW` and
 * `…_MAX_OUTPUT` (tokens). Throws USAGE that names the variable which does not fit; no value is repeated.
 */
export function openAiCompatibleFromEnv(
  env: Environment,
  options: Partial<OpenAiCompatibleOptions> = {},
): ModelProvider | null {
  const baseUrl = env[`${PREFIX}BASE_URL`]?.trim() ?? "";
  if (baseUrl === "") return null;
  const model = env[`${PREFIX}MODEL`]?.trim() ?? "";
  if (model === "") throw unusable("MODEL", "is not set: it names the model");
  const apiKey = env[`${PREFIX}API_KEY`]?.trim() ?? "";
  return createOpenAiCompatible({
    baseUrl,
    model,
    ...(apiKey !== "" && { apiKey }),
    authHeader: authHeader(env),
    contextWindow: tokens(env, "CONTEXT_WINDOW"),
    maxOutput: tokens(env, "MAX_OUTPUT"),
    ...options,
  });
}
