import { hasDigit, type TokenFamily } from "./token-family.ts";

/** Tokens of clouds, forges, registries and services that are known by their beginning. */
export const SERVICE_FAMILIES: readonly TokenFamily[] = [
  {
    kind: "github-token",
    words: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: /gh[pousr]_[A-Za-z\d]{30,255}|github_pat_\w{30,255}/g,
  },
  {
    kind: "gitlab-token",
    words: [
      "glpat-",
      "glptt-",
      "gldt-",
      "glrt-",
      "glsoat-",
      "glft-",
      "glimt-",
      "glagent-",
      "glcbt-",
      "gloas-",
      "glffct-",
      "GR1348941",
    ],
    pattern:
      /(?<![A-Za-z\d])gl(?:pat|ptt|dt|rt|soat|ft|imt|agent|cbt|oas|ffct)-[\w.-]{20,}|GR1348941[\w-]{20,}/g,
  },
  {
    kind: "aws-access-key",
    words: ["AKIA", "ASIA", "ABIA", "ACCA", "ABSK"],
    pattern:
      /(?<![A-Za-z\d])(?:(?:AKIA|ASIA|ABIA|ACCA)[A-Z\d]{16}(?![A-Za-z\d])|ABSK[A-Za-z\d+/]{80,}={0,2})/g,
  },
  { kind: "google-api-key", words: ["AIza"], pattern: /AIza[\w-]{35}/g },
  {
    kind: "google-oauth",
    words: ["ya29.", "GOCSPX-", "1//0"],
    pattern: /ya29\.[\w.-]{20,}|GOCSPX-[\w-]{20,}|(?<![\w/:])1\/\/0[\w-]{30,}/g,
  },
  {
    kind: "slack-token",
    words: ["xox", "xapp-"],
    pattern: /xox[abeoprs](?:\.xox[bp])?-[A-Za-z\d-]{10,}|xapp-\d-[A-Za-z\d-]{20,}/g,
  },
  {
    kind: "chat-webhook",
    words: [
      "hooks.slack.com",
      "/api/webhooks/",
      "webhook.office.com",
      "dingtalk.com",
      "feishu.cn",
      "larksuite.com",
      "qyapi.weixin.qq.com",
    ],
    pattern:
      /hooks\.slack\.com\/(?:services|workflows)\/([\w/-]{20,})|\/api\/webhooks\/\d{5,25}\/[\w-]{20,}|webhook\.office\.com\/webhookb2\/[\w@/.-]{20,}|dingtalk\.com\/robot\/send\?access_token=[\da-f]{20,}|(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/[\w-]{20,}|qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=[\w-]{20,}/g,
  },
  {
    kind: "stripe-key",
    words: ["_live_", "_test_", "whsec_"],
    pattern:
      /(?<![A-Za-z\d])(?:sk|rk)_(?:live|test)_[A-Za-z\d]{16,}|whsec_[A-Za-z\d+/]{20,}={0,2}/g,
  },
  { kind: "npm-token", words: ["npm_"], pattern: /(?<!\w)npm_[A-Za-z\d]{36,}/g },
  { kind: "pypi-token", words: ["pypi-"], pattern: /pypi-[\w-]{40,}/g },
  { kind: "rubygems-key", words: ["rubygems_"], pattern: /rubygems_[\da-f]{48}/g },
  {
    kind: "crates-token",
    words: ["cio"],
    pattern: /(?<!\w)cio[A-Za-z\d]{32}(?!\w)/g,
    accept: hasDigit,
  },
  { kind: "docker-token", words: ["dckr_"], pattern: /dckr_(?:pat|oat)_[\w-]{20,}/g },
  {
    kind: "azure-key",
    words: ["AccountKey=", "SharedAccessKey=", "sig=", "Q~"],
    pattern:
      /(?:AccountKey|SharedAccessKey)=([A-Za-z\d+/]{30,}={0,2})|[?&]sig=([A-Za-z\d%+/]{30,}={0,2})|(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/g,
  },
  { kind: "telegram-token", words: [":AA"], pattern: /(?<!\d)\d{8,10}:AA[\w-]{30,}/g },
  {
    kind: "discord-token",
    words: [],
    pattern: /(?<![\w.-])[MNO][A-Za-z\d_-]{22,27}\.[\w-]{6}\.[\w-]{27,45}(?![\w.-])/g,
    accept: hasDigit,
  },
  { kind: "twilio-key", words: ["SK"], pattern: /(?<![A-Za-z\d])SK[\da-f]{32}(?![A-Za-z\d])/g },
  { kind: "sendgrid-key", words: ["SG."], pattern: /(?<!\w)SG\.[\w-]{16,32}\.[\w-]{16,64}/g },
  {
    kind: "mailgun-key",
    words: ["key-"],
    pattern: /(?<![\w-])key-[\da-f]{32}(?!\w)/g,
  },
  {
    kind: "mailgun-key",
    words: [],
    pattern: /(?<![\w-])[\da-f]{32}-[\da-f]{8}-[\da-f]{8}(?![\w-])/g,
  },
  {
    kind: "mailchimp-key",
    words: ["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"],
    pattern: /(?<!\w)[\da-f]{32}-us\d{1,2}(?!\w)/g,
  },
  { kind: "digitalocean-token", words: ["_v1_"], pattern: /do[oprt]_v1_[\da-f]{64}/g },
  {
    kind: "cloudflare-token",
    words: ["v1.0-", "cfut_", "cfat_", "cfk_"],
    pattern: /v1\.0-[\da-f]{24}-[\da-f]{100,}|(?<!\w)cf(?:ut|at|k)_[\w-]{36,}/g,
  },
  {
    kind: "alibaba-key",
    words: ["LTAI"],
    pattern: /(?<![A-Za-z\d])LTAI[A-Za-z\d]{12,30}(?![A-Za-z\d])/g,
  },
  {
    kind: "tencent-key",
    words: ["AKID"],
    pattern: /(?<![A-Za-z\d])AKID[A-Za-z\d]{13,60}(?![A-Za-z\d])/g,
  },
  { kind: "volcengine-key", words: ["AKLT"], pattern: /(?<![A-Za-z\d])AKLT[A-Za-z\d]{20,}/g },
  {
    kind: "shopify-token",
    words: ["shpat_", "shpca_", "shppa_", "shpss_"],
    pattern: /shp(?:at|ca|pa|ss)_[\da-fA-F]{32}/g,
  },
  { kind: "square-token", words: ["sq0"], pattern: /sq0(?:atp|csp|idp)-[\w-]{22,}/g },
  {
    kind: "facebook-token",
    words: ["EAA"],
    pattern: /(?<![\w+/])EAA[A-Za-z\d]{60,}/g,
    accept: hasDigit,
  },
  {
    kind: "notion-token",
    words: ["ntn_", "secret_"],
    pattern: /(?<!\w)(?:ntn_[A-Za-z\d]{40,}|secret_[A-Za-z\d]{43})/g,
  },
  { kind: "linear-key", words: ["lin_"], pattern: /lin_(?:api|oauth)_[A-Za-z\d]{32,}/g },
  { kind: "figma-token", words: ["figd_"], pattern: /figd_[\w-]{30,}/g },
  {
    kind: "atlassian-token",
    words: ["ATATT3", "ATBB", "ATCTT3"],
    pattern: /AT(?:ATT3|CTT3|BB)[\w=-]{28,}/g,
  },
  { kind: "databricks-token", words: ["dapi"], pattern: /(?<!\w)dapi[\da-f]{32}(?:-\d)?(?!\w)/g },
  { kind: "vault-token", words: ["hvs.", "hvb.", "hvr."], pattern: /(?<!\w)hv[sbr]\.[\w-]{20,}/g },
  {
    kind: "terraform-token",
    words: [".atlasv1."],
    pattern: /[A-Za-z\d]{14}\.atlasv1\.[\w-]{40,}/g,
  },
  { kind: "grafana-token", words: ["glsa_", "glc_"], pattern: /(?<!\w)gl(?:sa|c)_[\w+/=]{30,}/g },
  { kind: "newrelic-key", words: ["NRAK-", "NRII-"], pattern: /NR(?:AK|II)-[\w-]{20,}/g },
  { kind: "sentry-token", words: ["sntry"], pattern: /sntry[su]_[\w+/=-]{40,}/g },
  { kind: "postman-key", words: ["PMAK-"], pattern: /PMAK-[\da-f]{24}-[\da-f]{34}/g },
  {
    kind: "supabase-key",
    words: ["sbp_", "sb_secret_"],
    pattern: /sbp_[\da-f]{40}|sb_secret_[\w-]{20,}/g,
  },
  {
    kind: "planetscale-token",
    words: ["pscale_"],
    pattern: /pscale_(?:tkn|pw|oauth)_[\w.-]{30,}/g,
  },
  { kind: "heroku-key", words: ["HRKU-"], pattern: /HRKU-[\w-]{30,}/g },
  { kind: "netlify-token", words: ["nfp_"], pattern: /(?<!\w)nfp_[A-Za-z\d]{30,}/g },
  {
    kind: "flyio-token",
    words: ["fm1r_", "fm2_", "FlyV1"],
    pattern: /(?<!\w)fm(?:1r|2)_[A-Za-z\d+/=_-]{40,}/g,
  },
  { kind: "tailscale-key", words: ["tskey-"], pattern: /tskey-[\w-]{20,}/g },
  {
    kind: "doppler-token",
    words: ["dp."],
    pattern: /(?<!\w)dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}/g,
  },
  { kind: "pulumi-token", words: ["pul-"], pattern: /(?<!\w)pul-[\da-f]{40}/g },
  { kind: "artifactory-key", words: ["AKCp"], pattern: /(?<!\w)AKCp[A-Za-z\d]{60,}/g },
  { kind: "sourcegraph-token", words: ["sgp_"], pattern: /(?<!\w)sgp_\w{40,}/g },
  { kind: "age-key", words: ["AGE-SECRET-KEY-"], pattern: /AGE-SECRET-KEY-1[A-Z\d]{50,}/g },
  { kind: "onepassword-token", words: ["ops_ey"], pattern: /ops_ey[\w-]{60,}/g },
  {
    kind: "jwt",
    words: ["eyJ"],
    pattern: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{4,}(?:\.[\w-]*)?/g,
  },
];
