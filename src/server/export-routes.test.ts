import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { DATA_MARK, TITLE_MARK } from "../export/html-export.ts";
import { Session } from "../session/session.ts";
import { type ServerRig, serverRig } from "./testing/server-rig.ts";

const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

async function sessionWithSecret(rig: ServerRig): Promise<string> {
  await using session = await Session.attach(await rig.store.create({ cwd: rig.folder }));
  await session.append({ type: "message", message: { role: "user", content: `use ${TOKEN}` } });
  return session.id;
}

function asked(rig: ServerRig, where: string): Promise<Response> {
  const { origin, token } = rig.server;
  return fetch(`${origin}${where}`, { headers: { authorization: `Bearer ${token}` } });
}

test("S15: exports are attachments, redacted unless asked otherwise; the review is masked", async (t) => {
  const page = mkdtempSync(path.join(tmpdir(), "branchline-page-"));
  t.after(() => rmSync(page, { recursive: true, force: true }));
  writeFileSync(path.join(page, "export.html"), `<title>${TITLE_MARK}</title>${DATA_MARK}`);
  const rig = await serverRig(t, { page });
  const id = await sessionWithSecret(rig);
  const base = `/api/sessions/${id}/export`;
  for (const [to, redact, holds] of [
    ["md", "", false],
    ["md", "&redact=0", true],
    ["jsonl", "", true],
    ["jsonl", "&redact=1", false],
    ["html", "&scope=all", false],
  ] as const) {
    const answer = await asked(rig, `${base}?to=${to}${redact}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-disposition"), `attachment; filename="${id}.${to}"`);
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    assert.equal((await answer.text()).includes(TOKEN), holds, `${to}${redact}`);
  }
  const review = await asked(rig, `${base}/review`);
  const text = await review.text();
  assert.ok(!text.includes(TOKEN));
  const { kinds } = JSON.parse(text);
  assert.ok(
    kinds.some(
      ({ kind, count }: { kind: string; count: number }) => kind === "github-token" && count === 1,
    ),
  );
  const health = JSON.parse(await (await asked(rig, `/api/sessions/${id}/fsck`)).text());
  assert.deepEqual(
    health.secrets.map(({ kind }: { kind: string }) => kind),
    ["github-token"],
  );
});

test("exports need the token and a format; without the built page there is no HTML", async (t) => {
  const rig = await serverRig(t);
  const id = await sessionWithSecret(rig);
  const base = `/api/sessions/${id}/export`;
  assert.equal((await fetch(`${rig.server.origin}${base}?to=md`)).status, 401);
  assert.equal((await asked(rig, base)).status, 400);
  assert.equal((await asked(rig, `${base}?to=pdf`)).status, 400);
  assert.equal((await asked(rig, `${base}?to=md&scope=all`)).status, 400);
  assert.equal((await asked(rig, `${base}?to=md&at=nobody`)).status, 404);
  assert.equal((await asked(rig, `${base}?to=html`)).status, 404);
});
