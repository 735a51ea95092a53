/** Any language model of the AI SDK; see docs/models.md. */
export { type AiSdkOptions, fromLanguageModel } from "./ai-sdk.ts";
export type { AiSdkLanguageModel } from "./ai-sdk-types.ts";
