import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { crc32 } from "node:zlib";
import { STAMP_MEMBERS } from "../../src/entry/line-encode.ts";
import { type DecodedEntry, SessionDecoder } from "../../src/entry/session-decoder.ts";
import { SessionTree } from "../../src/tree/session-tree.ts";

const DOCUMENT = readFileSync(join(import.meta.dirname, "../../docs/format.md"), "utf8");

/** The code block behind a comment that names it. */
function example(name: string): string {
  const block = new RegExp(`<!-- example: ${name} -->\\n\`\`\`\\w*\\n(.*?)\\n\`\`\``, "s");
  const text = block.exec(DOCUMENT)?.[1];
  assert.ok(text !== undefined, `no example ${name}`);
  return text;
}

const LINES: readonly string[] = example("a whole file").split("\n");

const hex = (text: string): string => crc32(text).toString(16).padStart(8, "0");

describe("docs/format.md", () => {
  it("shows the bytes of the check sum and their CRC-32", () => {
    const body = example("crc body");
    const [, claimedLength, claimedCrc] =
      /these are (\d+) bytes .* CRC-32 is `([0-9a-f]{8})`/.exec(DOCUMENT) ?? [];
    assert.equal(Buffer.byteLength(body), Number(claimedLength));
    assert.equal(hex(body), claimedCrc);
    assert.equal(LINES[1], `${body}"crc":"${claimedCrc}"}`);
  });

  it("shows a file whose check sums are right, by the words of the document", () => {
    assert.equal(LINES.length, 4);
    for (const line of LINES) {
      const end = /"crc":"([0-9a-f]{8})"\}$/.exec(line);
      assert.equal(hex(line.slice(0, end?.index)), end?.[1], line);
    }
  });

  it("shows a file that is read without a problem, as it says", () => {
    const decoder = new SessionDecoder();
    const entries: DecodedEntry[] = [];
    let byteStart = 0;
    for (const [index, line] of LINES.entries()) {
      const bytes = Buffer.from(line);
      const byteEnd = byteStart + bytes.length;
      const at = { line: index + 1, byteStart, byteEnd, bytes, terminated: true };
      for (const each of decoder.push(at)) if (each.kind === "entry") entries.push(each);
      byteStart = byteEnd + 1;
    }
    assert.deepEqual(decoder.problems, []);
    assert.deepEqual(
      entries.map(({ key, commit, ours }) => [key, commit?.i ?? null, ours]),
      [
        ["send-1", null, true],
        [null, 1, true],
        [null, 2, true],
      ],
    );
    const tree = new SessionTree(decoder.header?.id ?? "");
    for (const { entry } of entries) tree.add(entry);
    const [said, marker, summary] = entries.map(({ entry }) => entry.id) as [
      string,
      string,
      string,
    ];
    assert.equal(tree.leaf(), summary);
    assert.equal(tree.branchOf(said), "main");
    assert.equal(tree.branchOf(summary), marker);
  });

  it("names the members of the line", () => {
    for (const member of STAMP_MEMBERS)
      assert.match(DOCUMENT, new RegExp(`^\\| \`${member}\` \\|`, "m"));
  });
});
