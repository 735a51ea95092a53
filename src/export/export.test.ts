import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { BranchlineError } from "../errors.ts";
import type { ExportHead } from "../protocol/export.ts";
import type { EntryPreview } from "../protocol/tree.ts";
import type { Session } from "../session/session.ts";
import {
  add,
  assistant,
  compaction,
  newFixture,
  talk,
  user,
} from "../session/testing/session-fixture.ts";
import { type ExportOptions, exportSession, reviewSession } from "./export.ts";
import { DATA_MARK, TITLE_MARK } from "./html-export.ts";

const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const PAGE = { template: `<t>${TITLE_MARK}</t>${DATA_MARK}end`, version: "1.0", now: new Date(0) };

async function exported(session: Session, options: Partial<ExportOptions>): Promise<string> {
  const pieces: string[] = [];
  const all = { to: "html", at: session.leaf, redaction: {}, page: PAGE, ...options } as const;
  for await (const piece of exportSession(session, all)) pieces.push(piece);
  return pieces.join("");
}

const rows = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

function block<T>(page: string, id: string): T {
  const base64 = new RegExp(`id="branchline-${id}">([^<]+)<`).exec(page)?.[1] ?? "";
  return JSON.parse(inflateRawSync(Buffer.from(base64, "base64")).toString());
}

/** Two branches with a secret on each. */
async function branched(): Promise<{ session: Session; left: string }> {
  const { session } = await newFixture();
  const [first] = await session.append(user("start"));
  const [left] = await session.append(assistant(`left ${TOKEN}`));
  await session.createBranch("other", first?.id ?? null);
  await session.moveToBranch("other");
  await session.append(user("right password=hunter22"));
  await session.setLabel(first?.id ?? "", `label ${TOKEN}`);
  return { session, left: left?.id ?? "" };
}

test("S15: only the active path leaves unless all is asked for; own state stays at home", async () => {
  const { session, left } = await branched();
  const path = await exported(session, { to: "jsonl", redaction: null });
  assert.ok(!path.includes(left) && !path.includes("branchline."));
  const all = rows(await exported(session, { to: "jsonl", redaction: null, scope: "all" }));
  assert.ok(all.some(({ id }) => id === left));
  const ids = new Set(all.slice(1).map(({ id }) => id));
  for (const { parentId } of all.slice(1)) assert.ok(parentId === null || ids.has(parentId));
});

test("a file of all branches ends on the active one, so that Pi continues there", async () => {
  const { session, left } = await branched();
  await session.moveLeaf(left);
  const all = rows(await exported(session, { to: "jsonl", redaction: null, scope: "all" }));
  assert.equal(all.at(-1)?.parentId, left);
  assert.equal(all.at(-1)?.type, "custom");
});

test("S15: redaction reaches entries, labels, names and the header in every format", async () => {
  const { session } = await branched();
  await session.rename(`name ${TOKEN}`);
  for (const to of ["html", "md", "jsonl"] as const) {
    const text = await exported(session, { to, redaction: { cwd: "/project" } });
    const shown =
      to === "html"
        ? JSON.stringify([block(text, "head"), block(text, "entries-0"), block(text, "previews-0")])
        : "";
    for (const secret of [TOKEN, "hunter22"]) assert.ok(!`${text}${shown}`.includes(secret), to);
    const raw = await exported(session, { to, redaction: null });
    if (to !== "html") assert.ok(raw.includes("hunter22"));
  }
  const review = await reviewSession(session, { at: session.leaf, redaction: {} });
  assert.deepEqual(review.kinds.map(({ kind }) => kind).toSorted(), ["github-token", "secret"]);
});

test("the same session gives the same page; a page has every entry, its preview and the tree", async () => {
  const { session } = await branched();
  const page = await exported(session, { scope: "all" });
  assert.equal(await exported(session, { scope: "all" }), page);
  assert.ok(page.endsWith("end"));
  const head = block<ExportHead>(page, "head");
  const entries = block<{ id: string; parentId: string | null }[]>(page, "entries-0");
  const previews = block<EntryPreview[]>(page, "previews-0");
  assert.equal(head.columns.size, entries.length);
  assert.equal(head.columns.kinds.length, entries.length);
  assert.deepEqual(
    previews.map(({ id, parentId, place }) => [id, parentId, place]),
    entries.map(({ id, parentId }, place) => [id, parentId, place]),
  );
  for (const [place, distance] of head.columns.parents.entries()) {
    const parent = distance === 0 ? null : (entries[place - distance]?.id ?? "?");
    assert.equal(entries[place]?.parentId, parent);
  }
  assert.equal(head.redaction?.total, 4);
  assert.equal(head.columns.labels[0]?.[1], "label [redacted: github-token #1]");
});

test("compactions, uncompact and edits: the page knows what the context holds", async () => {
  const { session } = await newFixture();
  const [, , u2] = await talk(session, 2);
  await session.append(compaction(u2 ?? ""));
  const one = await add(session, user("after"));
  await session.hide(one);
  const head = block<ExportHead>(await exported(session, {}), "head");
  const place = head.columns.kinds.indexOf("c");
  assert.deepEqual(head.compactions, [[place, 0, 1]]);
  assert.deepEqual(head.contexts, [
    [0, -1, 0],
    [place, place, 2],
  ]);
  assert.deepEqual(head.leafContext, [place, 2]);
  assert.deepEqual(head.edits, [[place + 2, place + 1, "hidden", 0]]);
  await session.unhide(one);
  await session.uncompact();
  const after = block<ExportHead>(await exported(session, {}), "head");
  assert.deepEqual(after.leafContext, [-1, 0]);
  assert.equal(after.edits.at(-1)?.[2], "original");
});

test("a title cannot leave its element; an empty session is a page too", async () => {
  const { session } = await newFixture();
  assert.equal(block<ExportHead>(await exported(session, {}), "head").columns.size, 0);
  await session.rename("</t><script>x$&$'</script>");
  const page = await exported(session, {});
  assert.match(page, /^<t>&#60;\/t&#62;&#60;script&#62;x\$&#38;\$&#39;&#60;\/script&#62;<\/t>/);
});

test("pages without a template and Markdown of all branches are not supported", async () => {
  const { session } = await newFixture();
  const options = { to: "md", at: null, redaction: null } as const;
  const run = async (more: Partial<ExportOptions>): Promise<void> => {
    for await (const _piece of exportSession(session, { ...options, ...more })) assert.fail();
  };
  for (const more of [{ to: "html" }, { scope: "all" }] as const) {
    await assert.rejects(run(more), (error) => BranchlineError.is(error, "NOT_SUPPORTED"));
  }
});

test("M8 two compactions, the newer keeps from another branch: the page begins where the projection does", async () => {
  const { session } = await newFixture();
  const [u1, , u2] = await talk(session, 3);
  await session.append(compaction(u2 ?? ""));
  const first = session.leaf;
  await session.moveLeaf(u1 ?? null);
  const other = await add(session, user("left"));
  await session.moveLeaf(first);
  await add(session, user("between"));
  await session.append(compaction(other, "second"));
  const last = await add(session, user("after"));
  const head = block<ExportHead>(await exported(session, { scope: "path" }), "head");
  const [older, newer] = [head.columns.kinds.indexOf("c"), head.columns.kinds.lastIndexOf("c")];
  assert.deepEqual(head.contexts, [
    [0, -1, 0],
    [older, older, 2],
    [newer, newer, 2],
  ]);
  assert.deepEqual(head.leafContext, [newer, 2]);
  // The projection names the compaction first and then keeps what the older one kept.
  const { entries } = await session.context({ at: last });
  assert.deepEqual([entries[1], entries.at(-1)], [u2, last]);
});
