import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { processIo } from "../../src/cli/cli-io.ts";
import { parseCommand } from "../../src/cli/parse-command.ts";
import { type Desk, makeDesk } from "./run-cli.ts";

const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/** A session with a secret on its path and one beside it. */
function sessionWithSecrets(desk: Desk): string {
  const file = path.join(desk.home, "secrets.jsonl");
  const timestamp = "2026-01-01T00:00:00.000Z";
  const entry = (id: string, parentId: string | null, content: string): unknown => ({
    ...{ type: "message", id, parentId, timestamp },
    message: { role: "user", content },
  });
  const lines = [
    { type: "session", version: 3, id: "secrets", timestamp, cwd: "/home/ada/engine" },
    entry("e1", null, `see /home/ada/engine/a.ts and ${TOKEN}`),
    entry("e2", "e1", "left password=hunter22"),
    entry("e3", "e1", "here"),
  ];
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  return file;
}

test("S15: Markdown is redacted unless --no-redact says otherwise, which is said; jsonl only with --redact", async (t) => {
  const desk = makeDesk(t);
  const file = sessionWithSecrets(desk);
  const before = readFileSync(file);
  for (const [args, holds] of [
    [["--to", "md"], false],
    [["--to", "md", "--no-redact"], true],
    [["--to", "jsonl"], true],
    [["--to", "jsonl", "--redact"], false],
  ] as const) {
    const { out, err } = await desk.ok(["export", file, ...args]);
    assert.equal(out.includes(TOKEN), holds, args.join(" "));
    assert.equal(/not redacted/.test(err), args.includes("--no-redact" as never));
    assert.ok(!out.includes("hunter22"), "another branch");
    if (!holds) assert.match(out, /engine\/a\.ts and \[redacted: github-token #1\]/);
  }
  const all = await desk.ok(["export", file, "--to", "jsonl", "--all"]);
  assert.match(all.out, /hunter22/);
  assert.equal((await desk.cli(["export", file, "--to", "md", "--redact", "--no-redact"])).code, 2);
  // In a form that only the full parser reads.
  assert.equal((await desk.cli(["export", file, "--to=md", "--redact", "--no-redact"])).code, 2);
  assert.deepEqual(readFileSync(file), before);
});

test("export --review counts, masks and writes nothing; --keep leaves a kind alone", async (t) => {
  const desk = makeDesk(t);
  const file = sessionWithSecrets(desk);
  const [review] = (await desk.ok(["export", file, "--review", "--all", "--json"])).rows;
  const kinds = review?.kinds as unknown as { kind: string; count: number }[];
  assert.deepEqual(Object.fromEntries(kinds.map(({ kind, count }) => [kind, count])), {
    "working-folder": 2,
    "github-token": 1,
    secret: 1,
  });
  assert.ok(!JSON.stringify(review).includes(TOKEN));
  const { out } = await desk.ok(["export", file, "--review"]);
  assert.match(out, /ghp_••••45 \(40\)/);
  const kept = await desk.ok(["export", file, "--to", "md", "--keep", "working-folder"]);
  assert.match(kept.out, /\/home\/ada\/engine\/a\.ts/);
});

test("S14: --out makes a new file that only its owner reads; a page needs the built template", async (t) => {
  const desk = makeDesk(t);
  const file = sessionWithSecrets(desk);
  const out = path.join(desk.home, "talk.md");
  await desk.ok(["export", file, "--to", "md", "--out", out]);
  assert.equal(statSync(out).mode & 0o777, 0o600);
  assert.equal((await desk.cli(["export", file, "--to", "md", "--out", out])).code, 2);
  const page = await desk.cli(["export", file, "--to", "html"]);
  const isBuilt = existsSync(path.resolve(import.meta.dirname, "../../web/dist/export.html"));
  assert.equal(page.code, isBuilt ? 0 : 2);
  if (isBuilt) {
    assert.match(page.out, /Content-Security-Policy/);
    assert.ok(!page.out.includes(TOKEN));
  }
});

test("both readers of command lines know --redact and --no-redact apart", async () => {
  const seen: unknown[] = [];
  const sink = { write: () => undefined };
  const io = { ...processIo(), stdout: sink, stderr: sink };
  for (const words of [["--redact"], ["--no-redact"], []]) {
    await parseCommand(["export", "x", ...words], io, async ({ options }) => {
      seen.push([options.redact === true, options["no-redact"] === true]);
    });
  }
  assert.deepEqual(seen, [
    [true, false],
    [false, true],
    [false, false],
  ]);
});
