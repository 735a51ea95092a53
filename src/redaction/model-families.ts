import { hasDigit, type TokenFamily } from "./token-family.ts";

/** Keys of model providers and of what agents use beside them. */
export const MODEL_FAMILIES: readonly TokenFamily[] = [
  { kind: "anthropic-key", words: ["sk-ant-"], pattern: /sk-ant-[\w-]{16,}/g },
  { kind: "openrouter-key", words: ["sk-or-"], pattern: /sk-or-[\w-]{20,}/g },
  { kind: "langfuse-key", words: ["-lf-"], pattern: /[sp]k-lf-[\da-f-]{36}/g },
  { kind: "cerebras-key", words: ["csk-"], pattern: /(?<!\w)csk-[a-z\d]{30,}/g },
  {
    kind: "openai-key",
    words: ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "T3BlbkFJ", "sess-"],
    pattern:
      /(?<![\w-])(?:sk-(?:proj|svcacct|admin|None)-[\w-]{20,}|sk-[A-Za-z\d_-]{16,200}?T3BlbkFJ[\w-]{16,}|sess-[A-Za-z\d]{40})/g,
  },
  { kind: "deepseek-key", words: ["sk-"], pattern: /(?<![\w-])sk-[\da-f]{32}(?![\w-])/g },
  {
    kind: "moonshot-key",
    words: ["sk-"],
    pattern: /(?<![\w-])sk-(?:kimi-)?[A-Za-z\d]{48,}(?![\w-])/g,
    accept: hasDigit,
  },
  {
    kind: "zhipu-key",
    words: [],
    pattern: /(?<![\w.])[\da-f]{32}\.[A-Za-z\d]{16}(?![\w.])/g,
  },
  {
    kind: "api-key",
    words: ["sk-"],
    pattern: /(?<![\w-])sk-[\w-]{20,}/g,
    accept: hasDigit,
  },
  { kind: "xai-key", words: ["xai-"], pattern: /(?<![\w-])xai-[A-Za-z\d]{40,}/g },
  { kind: "groq-key", words: ["gsk_"], pattern: /(?<![\w-])gsk_[A-Za-z\d]{40,}/g },
  { kind: "perplexity-key", words: ["pplx-"], pattern: /(?<![\w-])pplx-[A-Za-z\d]{32,}/g },
  { kind: "replicate-token", words: ["r8_"], pattern: /(?<![\w-])r8_[A-Za-z\d]{30,}/g },
  {
    kind: "fireworks-key",
    words: ["fw_"],
    pattern: /(?<![\w-])fw_[A-Za-z\d]{20,}/g,
    accept: hasDigit,
  },
  { kind: "together-key", words: ["tgp_v1_"], pattern: /tgp_v1_[\w-]{30,}/g },
  { kind: "nvidia-key", words: ["nvapi-"], pattern: /nvapi-[\w-]{40,}/g },
  {
    kind: "huggingface-token",
    words: ["hf_", "api_org_"],
    pattern: /(?<!\w)(?:hf|api_org)_[A-Za-z\d]{30,}/g,
  },
  {
    kind: "langsmith-key",
    words: ["lsv2_"],
    pattern: /lsv2_(?:pt|sk)_[\da-f]{32}(?:_[\da-f]{10})?/g,
  },
  { kind: "tavily-key", words: ["tvly-"], pattern: /(?<![\w-])tvly-[\w-]{20,}/g },
  { kind: "firecrawl-key", words: ["fc-"], pattern: /(?<![\w-])fc-[\da-f]{32}(?!\w)/g },
  { kind: "jina-key", words: ["jina_"], pattern: /(?<!\w)jina_[\w-]{40,}/g },
  { kind: "pinecone-key", words: ["pcsk_"], pattern: /(?<!\w)pcsk_\w{30,}/g },
  { kind: "elevenlabs-key", words: ["sk_"], pattern: /(?<!\w)sk_[\da-f]{48}(?!\w)/g },
  {
    kind: "baidu-key",
    words: ["bce-v3/", "ALTAK"],
    pattern: /bce-v3\/ALTAK-[A-Za-z\d]{10,64}\/[\da-f]{40}|ALTAK[-A-Za-z\d]{12,}/g,
  },
];
