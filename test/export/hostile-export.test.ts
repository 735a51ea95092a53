import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { exportSession } from "../../src/export/export.ts";
import { DATA_MARK, TITLE_MARK } from "../../src/export/html-export.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { LEAVES, PAYLOADS, sessionWithAll, sessionWithLeaf } from "../builders/hostile-entries.ts";

const TEMPLATE = `<title>${TITLE_MARK}</title>\n${DATA_MARK}\n<script>code</script>`;
const ELEMENT =
  /^<script type="application\/octet-stream" id="branchline-[a-z]+(?:-\d+)?">[A-Za-z0-9+/=]+<\/script>$/;

async function pageOf(folder: string, text: string): Promise<string> {
  const file = path.join(folder, "hostile.jsonl");
  writeFileSync(file, text);
  const store = createJsonlStore({ root: folder });
  await using session = await Session.attach(await store.openFile(file));
  const pieces: string[] = [];
  const page = { template: TEMPLATE, version: "1", now: new Date(0) };
  const options = { to: "html", at: session.leaf, scope: "all", redaction: null, page } as const;
  for await (const piece of exportSession(session, options)) pieces.push(piece);
  return pieces.join("");
}

/** Everything but data elements and the frame of the template; must be nothing. */
function strayLines(page: string): readonly string[] {
  const lines = page.split("\n").filter((line) => line !== "");
  return lines.filter((line) => !ELEMENT.test(line) && !/^<title>[^<>"']*<\/title>$/.test(line));
}

test("S5: a page holds nothing of a session outside of its data, whatever text of whatever entry is hostile", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "branchline-hostile-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  assert.ok(LEAVES.length >= 70, `${LEAVES.length} leaves`);
  let pages = 0;
  for (const payload of PAYLOADS) {
    for (const leaf of LEAVES) {
      const page = await pageOf(folder, sessionWithLeaf(leaf, payload));
      const where = `${leaf.shape} ${leaf.way.join(".")} ${payload}`;
      assert.deepEqual(strayLines(page), ["<script>code</script>"], where);
      pages++;
    }
    const page = await pageOf(folder, sessionWithAll(payload));
    assert.deepEqual(strayLines(page), ["<script>code</script>"], payload);
    const blocks = [...page.matchAll(/branchline-entries-\d+">([^<]+)</g)].map((match) =>
      inflateRawSync(Buffer.from(match[1] ?? "", "base64")).toString(),
    );
    assert.ok(blocks.join("").includes(JSON.stringify(payload)), "the data holds it as it is");
  }
  console.log(`${pages} pages, ${LEAVES.length} texts of entries × ${PAYLOADS.length} payloads`);
});
