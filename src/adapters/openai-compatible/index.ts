/** Models behind any server that speaks OpenAI's chat completions; see docs/models.md. */
export { type Environment, openAiCompatibleFromEnv } from "./environment.ts";
export { createOpenAiCompatible, type OpenAiCompatibleOptions } from "./openai-compatible.ts";
