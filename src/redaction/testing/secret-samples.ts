import { seededText } from "./seeded-text.ts";

/** A text that holds one secret of a kind. */
export interface SecretSample {
  readonly kind: string;
  readonly text: string;
  /** The part that must be gone. */
  readonly secret: string;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const MIXED = `${LETTERS}0123456789`;
const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX = "0123456789abcdef";
const SMALL = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Made up and random, of the right shapes; written in pieces so that scanners of repositories stay calm. */
export function secretSamples(): readonly SecretSample[] {
  const random = seededText(41);
  const m = (n: number): string => `${random(MIXED, n - 1)}7`;
  const h = (n: number): string => `${random(HEX, n - 1)}3`;
  const uuid = (): string => [h(8), h(4), h(4), h(4), h(12)].join("-");
  const begun: readonly (readonly [string, string, string])[] = [
    ["anthropic-key", "sk-ant-", `api03-${m(80)}`],
    ["openrouter-key", "sk-or-", `v1-${h(64)}`],
    ["openai-key", "sk-proj-", m(80)],
    ["openai-key", "sk-", `${m(20)}T3Blbk${"FJ"}${m(20)}`],
    ["openai-key", "sess-", m(40)],
    ["deepseek-key", "sk-", h(32)],
    ["moonshot-key", "sk-", m(48)],
    ["api-key", "sk-", `org-1_${m(24)}`],
    ["zhipu-key", "", `${h(32)}.${m(16)}`],
    ["langfuse-key", "sk-lf-", uuid()],
    ["cerebras-key", "csk-", random(SMALL, 48)],
    ["xai-key", "xai-", m(80)],
    ["groq-key", "gsk_", m(52)],
    ["perplexity-key", "pplx-", m(48)],
    ["replicate-token", "r8_", m(37)],
    ["fireworks-key", "fw_", m(24)],
    ["together-key", "tgp_v1_", m(43)],
    ["nvidia-key", "nvapi-", m(64)],
    ["huggingface-token", "hf_", m(34)],
    ["langsmith-key", "lsv2_pt_", `${h(32)}_${h(10)}`],
    ["tavily-key", "tvly-", `dev-${m(32)}`],
    ["firecrawl-key", "fc-", h(32)],
    ["jina-key", "jina_", m(60)],
    ["pinecone-key", "pcsk_", m(60)],
    ["elevenlabs-key", "sk_", h(48)],
    ["baidu-key", "bce-v3/ALTAK-", `${m(21)}/${h(40)}`],
    ["github-token", "ghp_", m(36)],
    ["github-token", "gho_", m(36)],
    ["github-token", "ghu_", m(36)],
    ["github-token", "ghs_", m(36)],
    ["github-token", "ghr_", m(76)],
    ["github-token", "github_pat_", `${m(22)}_${m(59)}`],
    ["gitlab-token", "glpat-", m(20)],
    ["gitlab-token", "gldt-", m(20)],
    ["aws-access-key", "AKIA", random(CAPITALS, 16)],
    ["aws-access-key", "ASIA", random(CAPITALS, 16)],
    ["google-api-key", "AIza", m(35)],
    ["google-oauth", "ya29.", m(60)],
    ["google-oauth", "GOCSPX-", m(28)],
    ["slack-token", "xoxb-", `123456789012-123456789012-${m(24)}`],
    ["slack-token", "xapp-1-", `A012345-123456789012-${h(64)}`],
    ["chat-webhook", "https://hooks.slack.com/services/", `T0123456/B0123456/${m(24)}`],
    ["chat-webhook", "https://oapi.dingtalk.com/robot/send?access_token=", h(64)],
    ["stripe-key", "sk_live_", m(24)],
    ["stripe-key", "rk_test_", m(24)],
    ["npm-token", "npm_", m(36)],
    ["pypi-token", "pypi-", `AgEIcHlwaS5vcmc${m(60)}`],
    ["rubygems-key", "rubygems_", h(48)],
    ["crates-token", "cio", m(32)],
    ["docker-token", "dckr_pat_", m(27)],
    ["azure-key", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", `${m(86)}==`],
    ["azure-key", "", `${m(3)}8Q~${m(34)}`],
    ["telegram-token", "", `1234567890:AA${m(33)}`],
    ["discord-token", "", `M${m(23)}.${m(6)}.${m(38)}`],
    ["twilio-key", "SK", h(32)],
    ["sendgrid-key", "SG.", `${m(22)}.${m(43)}`],
    ["mailgun-key", "key-", h(32)],
    ["mailchimp-key", "", `${h(32)}-us12`],
    ["digitalocean-token", "dop_v1_", h(64)],
    ["cloudflare-token", "v1.0-", `${h(24)}-${h(146)}`],
    ["cloudflare-token", "CLOUDFLARE_API_TOKEN=", m(40)],
    ["alibaba-key", "LTAI", m(20)],
    ["tencent-key", "AKID", m(32)],
    ["tencent-key", "TENCENTCLOUD_SECRET_KEY=", m(32)],
    ["volcengine-key", "AKLT", m(44)],
    ["shopify-token", "shpat_", h(32)],
    ["square-token", "sq0atp-", m(22)],
    ["facebook-token", "EAA", m(120)],
    ["notion-token", "ntn_", m(46)],
    ["linear-key", "lin_api_", m(40)],
    ["figma-token", "figd_", m(40)],
    ["atlassian-token", "ATATT3", `xFfGF0${m(180)}`],
    ["databricks-token", "dapi", h(32)],
    ["vault-token", "hvs.", m(90)],
    ["terraform-token", "", `${m(14)}.atlasv1.${m(64)}`],
    ["grafana-token", "glsa_", `${m(32)}_${h(8)}`],
    ["newrelic-key", "NRAK-", random(CAPITALS, 27)],
    ["sentry-token", "sntrys_", m(80)],
    ["postman-key", "PMAK-", `${h(24)}-${h(34)}`],
    ["supabase-key", "sbp_", h(40)],
    ["planetscale-token", "pscale_tkn_", m(43)],
    ["heroku-key", "HRKU-", uuid()],
    ["netlify-token", "nfp_", m(36)],
    ["flyio-token", "fm2_", m(80)],
    ["tailscale-key", "tskey-auth-", m(30)],
    ["doppler-token", "dp.pt.", m(43)],
    ["pulumi-token", "pul-", h(40)],
    ["artifactory-key", "AKCp", m(69)],
    ["sourcegraph-token", "sgp_", h(40)],
    ["age-key", "AGE-SECRET-KEY-1", random(CAPITALS, 58)],
    ["onepassword-token", "ops_ey", m(120)],
    ["jwt", "eyJ", `${m(30)}.eyJ${m(60)}.${m(43)}`],
    ["aws-secret-key", "aws_secret_access_key = ", m(40)],
    ["twilio-token", "TWILIO_AUTH_TOKEN=", h(32)],
    ["model-key", "MISTRAL_API_KEY=", m(32)],
    ["service-key", "DATADOG_API_KEY=", h(32)],
    ["authorization", "curl -H 'Authorization: Bearer ", m(43)],
    ["authorization", "Proxy-Authorization: Basic ", Buffer.from(`ada:${m(9)}`).toString("base64")],
    ["cookie", "Cookie: ", `sid=${h(24)}; theme=dark`],
    ["url-credentials", "postgres://admin:", `${m(12)}@db.example.com:5432/x`],
    ["url-credentials", "https://", `${m(30)}@example.com/repo.git`],
    ["connection-string", "Server=db;User Id=sa;Password=", "onlyletters;"],
    ["secret", "DB_PASSWORD=", "hunter2x"],
    ["secret", "api_key: ", m(24)],
    ["secret", "--client-secret ", m(24)],
    ["random-text", "", "q7Rz2LmX9vTb4KdW8sYc3NfH6jPa1GeU5"],
  ];
  const key = [
    "-----BEGIN OPENSSH ",
    "PRIVATE KEY-----\n",
    `${m(64)}\n${m(64)}\n`,
    "-----END OPENSSH PRIVATE KEY-----",
  ];
  return [
    ...begun.map(([kind, before, secret]) => ({
      kind,
      text: before + secret,
      secret: secret.replace(/@.*|;$/, "").replace(/==$/, ""),
    })),
    { kind: "private-key", text: key.join(""), secret: (key[2] ?? "").slice(0, 40) },
  ];
}

/** Texts of everyday sessions without any secret. */
export function innocentTexts(): readonly string[] {
  const random = seededText(43);
  const h = (n: number): string => random(HEX, n);
  const image = Buffer.from(
    Uint8Array.from({ length: 6000 }, (_, at) => (at * 7919 + ((at * at) % 251)) % 256),
  ).toString("base64");
  const certificate = Array.from({ length: 12 }, () => random(`${MIXED}+/`, 64)).join("\n");
  return [
    `commit ${h(40)}\nAuthor: A <a@example.com>\n\nFix the token counter (#12)`,
    `sha256:${h(64)} md5 ${h(32)} ${h(8)}-${h(4)}-4${h(3)}-a${h(3)}-${h(12)}`,
    `"integrity": "sha512-${random(`${MIXED}+/`, 86)}==",`,
    `golang.org/x/sys v0.1.0 h1:${random(`${MIXED}+/`, 43)}=`,
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random(MIXED, 43)} user@host`,
    `SHA256:${random(`${MIXED}+/`, 43)}`,
    `data:image/png;base64,${image}`,
    image,
    `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----`,
    `toolu_${random(MIXED, 24)} call_${random(MIXED, 24)} chatcmpl-${random(MIXED, 29)} msg_${random(MIXED, 40)}`,
    "getElementsByClassNameV2AndUpdate3State4FromRegistryConnectionPool2",
    "src/components/navigation/SideBar2/useKeyboardNavigation3.test.tsx",
    "const token = await getToken(); if (!token) throw new Error('no token');",
    ["password: string; apiKey?: string; secret: process.env.APP_SECRET; token: $", "{TOKEN}"].join(
      "",
    ),
    "export API_KEY=your-api-key-here-1234 && echo $API_KEY; PASSWORD=<password1>",
    "usage: 12345 tokens, max_tokens: 8192, tokenizer: cl100k_base, total tokens=1500000",
    "The password must have 8 characters. Tokens per second: 42. Secret: none",
    "https://user@example.com/path http://localhost:3000/@scope/pkg postgres://user:password@localhost/db",
    "git clone git@github.com:owner/repo.git; npm i @scope/name@1.2.3",
    ".sk-loading-spinner-container-inner-wrapper { color: red } .fc-toolbar-title-large-screens {}",
    "npm_config_registry_something_longer_than_thirty_six_characters_name",
    "basic understanding of the bearer of this message and authorization: required for everyone",
    "2026-01-02T03:04:05.678Z 192.168.0.1:8080 v1.2.3-beta.4+build.567 0x7ffee4c0a1b2c3d4",
    "token count 2024-01-02T03:04:05Z; secret sauce: 3 eggs; api key rotation: 30d",
    "验证令牌：请在设置中生成 token，不要写进代码。密码：见保险箱",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    `\\u0041\\n${"word ".repeat(40)}`,
    "eyJ is how a JWT begins; AKIA how a key of AWS begins; ghp_ how one of GitHub; sk-... of OpenAI",
  ];
}
