import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { describe, it } from "node:test";
import { crc32 } from "node:zlib";
import { randomSession } from "../../test/index/random-session.ts";
import type { Entry } from "../entry/entry.ts";
import { decodeLine } from "../entry/line-decode.ts";
import { encodeEntry, encodeHeader } from "../entry/line-encode.ts";
import { slimEntry } from "./slim-entry.ts";
import { type ByteTools, type ScannedLine, StructureScanner } from "./structure-scanner.ts";

const tools: ByteTools = {
  slice: (bytes, from, to) => Buffer.from(bytes.subarray(from, to)).toString("latin1"),
  isUtf8,
  crc32,
};

interface Scanned {
  readonly scanner: StructureScanner;
  readonly entries: readonly ScannedLine[];
}

/** Feeds lines with their newlines, as one range. */
function scan(lines: readonly (string | Uint8Array)[], refuse: readonly string[] = []): Scanned {
  const entries: ScannedLine[] = [];
  const scanner = new StructureScanner(tools, () => (scanned) => {
    entries.push(scanned);
    return !refuse.includes(scanned.entry.id);
  });
  const bytes = lines.map((line) => Buffer.from(line));
  scanner.range(Buffer.concat(bytes));
  let start = 0;
  for (const line of bytes) {
    scanner.line(line.subarray(0, -1), start);
    start += line.length;
  }
  scanner.pause();
  return { scanner, entries };
}

const time = "2026-01-02T03:04:05.678Z";
const header = { type: "session", version: 3, id: "s", timestamp: time, cwd: "/w" } as const;
const headerLine = `${JSON.stringify(header)}\n`;

function entry(id: string, parentId: string | null, members: object = {}): Entry {
  const message = { role: "user", content: `text of ${id}` };
  return { type: "message", id, parentId, timestamp: time, message, ...members } as Entry;
}

function line(...args: Parameters<typeof entry>): string {
  return `${JSON.stringify(entry(...args))}\n`;
}

describe("StructureScanner", () => {
  it("tells of random sessions what the decoder tells", () => {
    let read = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const { id, lines } = randomSession(seed, 40);
      const { scanner, entries } = scan(lines);
      assert.equal(scanner.odd, null, `seed ${seed}`);
      assert.equal(scanner.header?.id, id);
      assert.equal(scanner.known, Buffer.byteLength(lines.join("")));
      assert.equal(scanner.nextLine, lines.length + 1);
      assert.equal(entries.length, lines.length - 1);
      for (const [at, scanned] of entries.entries()) {
        const text = lines[at + 1] as string;
        const [part] = decodeLine(Buffer.from(text.slice(0, -1))).parts;
        assert.ok(part?.kind === "record");
        const { type, id: entryId, parentId, timestamp } = part.value;
        const { entry: slim, key, start, end, line: number } = scanned;
        const base = { type, id: entryId, parentId, timestamp };
        assert.deepEqual({ ...slim, ...base }, slim, `seed ${seed}`);
        assert.deepEqual(
          [key ?? undefined, number, end - start],
          [part.key, at + 2, Buffer.byteLength(text) - 1],
        );
        if (type !== "message") assert.deepEqual(slim, slimEntry(part.value as Entry));
        read++;
      }
    }
    assert.ok(read > 500);
  });

  it("passes over blank lines", () => {
    const { scanner, entries } = scan([headerLine, "\n", line("a", null), " \r\n", line("b", "a")]);
    assert.equal(scanner.odd, null);
    assert.deepEqual(
      entries.map(({ entry: { id }, line: number }) => [id, number]),
      [
        ["a", 3],
        ["b", 5],
      ],
    );
  });

  it("counts a blank line before the header", () => {
    assert.equal(scan(["\n", headerLine, line("a", null)]).entries[0]?.line, 3);
  });

  it("leaves an incomplete commit at the end for later", () => {
    const commit = { id: "c", n: 2 };
    const first = encodeEntry(entry("b", "a"), { key: "k", commit: { ...commit, i: 1 } });
    const second = encodeEntry(entry("c", "b"), { key: "k", commit: { ...commit, i: 2 } });
    const before = [encodeHeader(header), encodeEntry(entry("a", null))];
    const torn = scan([...before, first]);
    assert.deepEqual([torn.scanner.odd, torn.entries.length, torn.scanner.nextLine], [null, 1, 3]);
    assert.equal(torn.scanner.known, Buffer.concat(before).length);
    const whole = scan([...before, first, second]);
    assert.deepEqual(
      whole.entries.map(({ key }) => key),
      [null, "k", "k"],
    );
    assert.equal(whole.scanner.nextLine, 5);
  });

  const stamp = { commit: { id: "c", i: 1, n: 2 } };
  const ours = Buffer.from(encodeEntry(entry("a", null))).toString();
  const glued = `${line("a", null).slice(0, -20)}${line("b", "a")}`;
  const odd: Readonly<Record<string, readonly (string | Uint8Array)[]>> = {
    "no header": [line("a", null)],
    "a header of another version": [`${JSON.stringify({ ...header, version: 2 })}\n`],
    "a header with an unsafe id": [`${JSON.stringify({ ...header, id: "../x" })}\n`],
    "a header of a newer format": [`${JSON.stringify({ ...header, branchline: { format: 9 } })}\n`],
    "a first line that is no JSON": ["{\n"],
    "a second header": [headerLine, headerLine],
    "no JSON": [headerLine, line("a", null), "{\n"],
    "two records on a line": [headerLine, `${line("a", null).slice(0, -1)}${line("b", "a")}`],
    "a torn line with another one behind it": [headerLine, glued, line("c", "b")],
    "the same at the end": [headerLine, glued],
    "a line that was changed": [headerLine, ours.replace("text of", "talk of")],
    "another line that was changed": [
      headerLine,
      Buffer.from(encodeEntry(entry("a", null, { type: "novel" })))
        .toString()
        .replace("text of", "talk of"),
    ],
    "no UTF-8": [headerLine, Buffer.from(line("a", null).replace("text", "t\xffxt"), "latin1")],
    "a control byte": [headerLine, line("a", null).replace("text", "t\u0001xt")],
    "NUL bytes": [headerLine, `\0${line("a", null)}`],
    "no entry": [headerLine, '{"type":"label"}\n'],
    "no parent": [headerLine, line("a", null).replace('"parentId":null', '"parentId":7')],
    "no time": [headerLine, line("a", null, { timestamp: 5 })],
    "an entry without the members of its type": [headerLine, line("a", null, { type: "label" })],
    "a commit without its first line": [
      headerLine,
      encodeEntry(entry("a", null), { commit: { ...stamp.commit, i: 2 } }),
    ],
    "a commit without its last line": [
      headerLine,
      encodeEntry(entry("a", null), stamp),
      line("b", "a"),
    ],
    "a commit that goes on as another": [
      headerLine,
      encodeEntry(entry("a", null), stamp),
      encodeEntry(entry("b", "a"), { commit: { id: "d", i: 2, n: 2 } }),
    ],
  };
  for (const [what, lines] of Object.entries(odd)) {
    it(`stops at the first oddity: ${what}`, () => {
      const { scanner } = scan([...lines, line("z", null)]);
      assert.notEqual(scanner.odd, null);
      assert.equal(scanner.pause(), false);
    });
  }

  it("stops where a commit is none", () => {
    const commit = { id: "c", i: 3, n: 2 };
    const { scanner } = scan([headerLine, encodeEntry(entry("a", null), { commit })]);
    assert.notEqual(scanner.odd, null);
  });

  it("stops where an entry is refused", () => {
    const { scanner } = scan([headerLine, line("a", null), line("b", "a")], ["a"]);
    assert.notEqual(scanner.odd, null);
    assert.equal(scanner.known, headerLine.length);
  });
});
