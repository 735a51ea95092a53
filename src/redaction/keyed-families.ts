import { entropyOf, looksRandom } from "./randomness.ts";
import { type FamilySet, familySet, hasDigit, type TokenFamily } from "./token-family.ts";

/** Between a name and its value: more of the name, quotes, an assignment, an opening quote. All bounded. */
const LINK = String.raw`(?![a-z])[a-z_ .-]{0,16}["'\x60\]]{0,2}\s{0,3}(?:=>|:=|=|:|(?<=["'\x60]),)\s{0,3}["'\x60]{0,2}`;

/** A value that only its name tells to be a secret. */
function named(kind: string, names: string, value: string): TokenFamily {
  return {
    kind,
    words: [""],
    pattern: new RegExp(`(?:${names})[a-z_ .-]{0,16}${LINK}(${value})(?![\\w/+=-])`, "gi"),
    accept: (secret) => hasDigit(secret) && entropyOf(secret) >= 3,
  };
}

/** Words that documents write where a secret would stand. */
const STAND_IN =
  /^(?:x{3,}|\*+|\.{3}|your|my[_-]|change[_-]?me|example|placeholder|dummy|\[?redacted|process\.env|os\.environ|env[.[(]|import\.meta|\$|\{\{|<|%[a-z(]|https?:|\.{0,2}\/[\w.-]+\/)|^(?:null|none|undefined|true|false|string|secret|password|token|number|unknown)$/i;

/** Whether a value that stands behind the name of a secret is one: no variable, no type, no word. */
function isValue(value: string): boolean {
  if (STAND_IN.test(value) || /[(){}]|\$\{|::|->/.test(value)) return false;
  if (new Set(value).size < 4) return false;
  return hasDigit(value) && (/[A-Za-z]/.test(value) || value.length >= 12);
}

const NAMES = [
  "pass(?:word|wd|phrase)",
  "pwd",
  "secret",
  "api[_.-]?key",
  "(?:access|secret|private|signing|encryption|account|subscription)[_.-]?key",
  "client[_.-]?secret",
  "token",
  "credentials?",
];
const NAME = NAMES.join("|");

/** Secrets that are told by the name in front of them, in any writing: environment, JSON, YAML, code, flags. */
export const KEYED_FAMILIES: readonly TokenFamily[] = [
  named("aws-secret-key", "aws.{0,20}?secret|secret_?access_?key", String.raw`[A-Za-z\d/+]{40}`),
  named("cloudflare-token", "cloudflare|(?:^|[^a-z])cf_api", String.raw`[\w-]{37,45}`),
  named("twilio-token", "twilio", String.raw`[\da-f]{32}`),
  named(
    "azure-key",
    "azure|cognitive|ocp-apim",
    String.raw`[A-Za-z\d]{32,88}|[A-Za-z\d+/]{43,86}={1,2}`,
  ),
  named("tencent-key", "secret_?key|tencent|qcloud|cos_secret", String.raw`[A-Za-z\d]{32}`),
  named("alibaba-key", "access_?key_?secret|aliyun|alibaba|dashscope", String.raw`[A-Za-z\d]{30}`),
  named("baidu-key", "baidu|qianfan|wenxin|ernie|bce_", String.raw`[A-Za-z\d]{24,40}`),
  named(
    "volcengine-key",
    "volc|ark_api|doubao",
    String.raw`[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}`,
  ),
  named(
    "heroku-key",
    "heroku",
    String.raw`[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}`,
  ),
  named(
    "model-key",
    "mistral|cohere|together|minimax|stepfun|hunyuan|spark|iflytek|siliconflow",
    String.raw`[\w-]{32,80}`,
  ),
  named(
    "service-key",
    "datadog|dd_api|wandb|algolia|codecov|okta|auth0|npm_auth|_authtoken|circle(?:ci)?_token",
    String.raw`[\w./+-]{20,100}`,
  ),
  {
    kind: "secret",
    words: [""],
    pattern: new RegExp(`(?:${NAME})${LINK}([^\\s"'\`,;&<>|\\\\]{6,4096})`, "gi"),
    accept: isValue,
  },
  {
    kind: "secret",
    words: [""],
    pattern: new RegExp(`--(?:${NAME})[ =]["']?([^\\s"'\`,;&<>|\\\\]{6,4096})`, "gi"),
    accept: isValue,
  },
];

/** One look for all names, before each family is tried. */
const KEYED_HINT: RegExp =
  /pass|pwd|secret|key|token|credential|cloudflare|cf_api|twilio|azure|cognitive|apim|tencent|qcloud|aliyun|alibaba|dashscope|baidu|qianfan|wenxin|ernie|bce_|volc|ark_|doubao|heroku|mistral|cohere|together|minimax|stepfun|hunyuan|spark|iflytek|siliconflow|datadog|dd_api|wandb|algolia|codecov|okta|auth0|circle/i;

/** The families with their look. */
export const KEYED: FamilySet = familySet(KEYED_FAMILIES, KEYED_HINT);

const SECRET_MEMBER = new RegExp(
  `^(?:[\\w.-]{0,40}[_.-])?(?:${NAME}|authorization|proxy-authorization|cookie|set-cookie|x-api-key|apikey)$`,
  "i",
);
const CAMEL_MEMBER =
  /^[a-z\d]{0,40}(?:Password|Passwd|Secret|ApiKey|AccessKey|SecretKey|PrivateKey|AccessToken|AuthToken|RefreshToken|BotToken|Token|Credential)$/;

/** Whether the member of an object is named like a secret: `apiKey`, `DB_PASSWORD`, `authorization`. */
export function isSecretMember(name: string): boolean {
  return name.length <= 80 && (SECRET_MEMBER.test(name) || CAMEL_MEMBER.test(name));
}

/** Whether the text of such a member is the secret itself: one word that stands for nothing else. */
export function isSecretText(name: string, text: string): boolean {
  if (text.length < 6 || text.length > 4096 || STAND_IN.test(text)) return false;
  if (/cookie$/i.test(name)) return text.includes("=");
  if (/authorization$/i.test(name)) return text.length >= 8;
  if (/[\s(){}]|\$\{/.test(text)) return false;
  // A password may be any word; a "token" may be a word of a language, the name of a page or a count.
  return /pass|pwd/i.test(name) || isValue(text) || looksRandom(text);
}
