import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { SECRET_KINDS } from "./find-secrets.ts";
import { Redactor, redactEntry, reviewEntries } from "./redactor.ts";
import { innocentTexts, secretSamples } from "./testing/secret-samples.ts";

const entry = (text: unknown, id = "e1"): Entry => ({
  type: "message",
  id,
  parentId: null,
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { role: "user", content: text } as never,
});

const textOf = (one: Entry): string => JSON.stringify(one);

test("S15: each of the families is found as it stands, escaped, coloured, in addresses and in base64", () => {
  const samples = secretSamples();
  const kinds = new Set(samples.map(({ kind }) => kind));
  assert.ok(kinds.size >= 60, `${kinds.size} kinds`);
  assert.deepEqual(
    SECRET_KINDS.filter((kind) => !kinds.has(kind)),
    [],
    "every kind has a sample",
  );
  for (const { kind, text, secret } of samples) {
    const twice = JSON.stringify(JSON.stringify({ a: `x\n${text}\n` }));
    const shapes = {
      plain: `before ${text} after`,
      escaped: JSON.stringify({ out: `line\n${text}\tmore` }),
      twice,
      coloured: `\u001b[1;32m${text}\u001b[0m`,
      percent: `https://example.com/?x=${encodeURIComponent(text)}`,
      "wrapped base64": Buffer.from(`# some settings in a file\n${text}\nother: value\n`)
        .toString("base64")
        .replace(/.{76}/g, "$&\n"),
      base64: Buffer.from(`{"settings": "${text}", "other": 12}`).toString("base64"),
      "base64 of addresses": Buffer.from(`>>>???  ${text} ???>>>`).toString("base64url"),
    };
    for (const [shape, whole] of Object.entries(shapes)) {
      const redactor = new Redactor();
      const after = textOf(redactor.entry(entry(`see: ${whole}`)));
      assert.ok(!after.includes(secret), `${kind} ${shape}: ${after}`);
      assert.ok(
        !after.includes(whole) && after.includes("[redacted: "),
        `${kind} ${shape}: ${after}`,
      );
      const { kinds: found } = redactor.review();
      assert.ok(
        found.some((one) => one.kind === kind),
        `${kind} ${shape}: found as ${found.map((one) => one.kind).join()}`,
      );
    }
  }
});

test("S15: hashes, ids, UUIDs, images, code, prose and lock files are no secrets", () => {
  for (const text of innocentTexts()) {
    const before = entry(text);
    const redactor = new Redactor({ cwd: "/srv/other", homes: ["/home/zoe"] });
    const after = redactor.entry(before);
    assert.equal(after, before, JSON.stringify(redactor.review().findings));
  }
});

test("the entry itself is never changed; without findings it comes back as it is", () => {
  const before = entry([{ type: "text", text: "ghp_0123456789abcdefghijABCDEFGHIJ012345" }]);
  const copy = structuredClone(before);
  const after = redactEntry(before);
  assert.deepEqual(before, copy);
  assert.notEqual(after, before);
  const plain = entry("nothing here");
  assert.equal(redactEntry(plain), plain);
});

test("the same secret has the same placeholder everywhere, also as an id; numbers follow the order", () => {
  const first = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const second = "ghp_9876543210abcdefghijABCDEFGHIJ012345";
  const redactor = new Redactor();
  const one = redactor.entry(entry(`${second} ${first} ${second}`, first));
  const two = redactor.entry({ ...entry(first, "e2"), parentId: first });
  // The id stands first in the entry.
  assert.equal(one.id, "[redacted: github-token #1]");
  assert.equal(two.parentId, one.id);
  assert.match(
    textOf(one),
    /\[redacted: github-token #2\] \[redacted: github-token #1\] \[redacted: github-token #2\]/,
  );
  const again = new Redactor();
  assert.equal(textOf(again.entry(one)), textOf(one), "a second redaction changes nothing");
  assert.equal(again.review().total, 0);
});

test("names of members, headers, flags and pairs tell what a text is", () => {
  const data = {
    password: "correct-horse-battery",
    dbPassword: "x9!kkkk",
    headers: { Authorization: "Bearer abc.def", cookie: "sid=1234; theme=dark" },
    env: [{ name: "API_KEY", value: "k3y-of-mine-77" }],
    argv: ["run", "--token", "abcd1234efgh"],
    token: "word",
    max_tokens: 4096,
    nextPageToken: "CAUQAA1234567",
    usage: { totalTokens: 12 },
  };
  const after = new Redactor().data(data, "test") as typeof data;
  for (const secret of ["correct-horse", "x9!k", "abc.def", "sid=1234", "k3y-of", "abcd1234"]) {
    assert.ok(!JSON.stringify(after).includes(secret), secret);
  }
  assert.equal(after.token, "word");
  assert.equal(after.nextPageToken, data.nextPageToken);
  assert.equal(after.max_tokens, 4096);
});

test("secrets in the names of members go too; __proto__ stays a member", () => {
  const data: unknown = JSON.parse(
    '{"ghp_0123456789abcdefghijABCDEFGHIJ012345":1,"__proto__":{"password":"hunter22"}}',
  );
  const after = JSON.stringify(new Redactor().data(data, "test"));
  assert.equal(
    after,
    '{"[redacted: github-token #1]":1,"__proto__":{"password":"[redacted: secret #1]"}}',
  );
});

test("S15: home folders, the working folder and the user's name go; what is escaped too", () => {
  const redactor = new Redactor({ cwd: "/home/ada.l/code/engine", userNames: ["alovelace"] });
  const text = [
    "/home/ada.l/code/engine/src/a.ts and /home/ada.l/code/engine-old/b.ts",
    "cd /home/ada.l && ls -l: drwxr-xr-x 2 ada.l staff",
    String.raw`C:\Users\alovelace\Desktop and {"path":"C:\\Users\\bob\\x"}`,
    "/Users/eve/Library /Users/Shared/x https://example.com/home/page ~/home/y",
    "--home-ada.l-code-engine-- alovelace@box",
  ].join("\n");
  const after = (redactor.entry(entry(text)) as { message?: { content?: string } }).message
    ?.content;
  assert.equal(
    after,
    [
      "engine/src/a.ts and ~/code/engine-old/b.ts",
      "cd ~ && ls -l: drwxr-xr-x 2 [user] staff",
      String.raw`~\Desktop and {"path":"~\\x"}`,
      "~/Library /Users/Shared/x https://example.com/home/page ~/home/y",
      "--home-[user]-code-engine-- [user]@box",
    ].join("\n"),
  );
  const kinds = redactor.review().kinds.map(({ kind }) => kind);
  assert.deepEqual(kinds.toSorted(), ["home-folder", "user-name", "working-folder"]);
});

test("kinds can be kept, randomness can be switched off", () => {
  const random = "q7Rz2LmX9vTb4KdW8sYc3NfH6jPa1GeU5";
  assert.ok(!textOf(redactEntry(entry(random))).includes(random));
  assert.ok(textOf(redactEntry(entry(random), { randomness: "off" })).includes(random));
  const kept = redactEntry(entry("/home/zoe/x AIzaSyA-1234567890abcdefghijklmnopqrstu"), {
    keep: ["home-folder"],
  });
  assert.match(textOf(kept), /\/home\/zoe\/x \[redacted: google-api-key #1\]/);
});

test("the review says where, how often and masked, and never the secret", async () => {
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const entries = [
    entry([{ type: "text", text: `a ${secret} b ${secret}` }], "e1"),
    entry("nothing", "e2"),
    entry(`password=hunter2x ${secret}`, "e3"),
  ];
  const review = await reviewEntries(entries);
  assert.equal(review.entries, 3);
  assert.equal(review.changed, 2);
  assert.equal(review.total, 4);
  assert.deepEqual(review.kinds, [
    { kind: "github-token", count: 3, distinct: 1 },
    { kind: "secret", count: 1, distinct: 1 },
  ]);
  assert.deepEqual(review.findings[0], {
    kind: "github-token",
    entry: "e1",
    place: "message.content[0].text",
    masked: "ghp_••••45 (40)",
    placeholder: "[redacted: github-token #1]",
    count: 3,
    entries: 2,
  });
  assert.ok(!JSON.stringify(review).includes("hunter2x"));
  assert.ok(!JSON.stringify(review).includes(secret));
});

test("S7: hostile texts of 1 MB take linear time", () => {
  const size = 1_000_000;
  const fill = (part: string): string => part.repeat(Math.ceil(size / part.length)).slice(0, size);
  const texts = [
    "eyJ",
    "eyJhbGciOiJI.",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n",
    "sk-",
    "ghp_",
    "password=",
    "password ",
    "token : ",
    "cloudflare ",
    "aws secret ",
    "http://a:",
    "http://",
    "a://",
    "bearer ",
    "Authorization: ",
    "cookie: ",
    "\\",
    '\\\\\\"',
    "\\u005c",
    "%41",
    "A",
    "Aa0",
    "a1B",
    "AAAA\n",
    "A-",
    "/home/",
    "/home/a",
    "C:\\Users\\",
    "sha256:",
    "xox",
    "1//0",
    "key-",
    "AKIA",
    "Q~a1",
    ".",
    "a.",
    "0123456789abcdef",
    '{"password":"',
    "'\"`",
    " ",
    "\n",
    "Q1JFREVOVElBTFM=",
    "hooks.slack.com/services/",
    "--token ",
    "secret,",
    "azure_",
  ];
  let worst = { ms: 0, of: "" };
  for (const part of texts) {
    const before = process.cpuUsage();
    redactEntry(entry(fill(part)), { cwd: "/home/zoe/x" });
    const { user } = process.cpuUsage(before);
    if (user / 1000 > worst.ms) worst = { ms: user / 1000, of: part };
    assert.ok(user < 4_000_000, `${JSON.stringify(part)}: ${user / 1000} ms`);
  }
  console.log(
    `worst of ${texts.length}: ${worst.ms.toFixed(0)} ms for ${JSON.stringify(worst.of)}`,
  );
});

test("data that is nested too deep is left out instead of overflowing", () => {
  let deep: unknown = "password=hunter2x";
  for (let level = 0; level < 5000; level++) deep = [deep];
  assert.match(JSON.stringify(new Redactor().data(deep, "deep")), /too deep/);
});
