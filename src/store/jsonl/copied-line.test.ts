import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "../../entry/crc32.ts";
import type { Entry } from "../../entry/entry.ts";
import { decodeLine } from "../../entry/line-decode.ts";
import { encodeEntry } from "../../entry/line-encode.ts";
import { copiedLine } from "./copied-line.ts";

const WHERE = { id: "b", parentId: "a" };

function entry(more: object = {}): Entry {
  const message = { role: "user", content: "方案" };
  return { type: "message", ...WHERE, timestamp: "t", message, ...more } as Entry;
}

function ours(stamp: object = {}, more: object = {}): Buffer {
  return Buffer.from(encodeEntry(entry(more), stamp)).subarray(0, -1);
}

test("a line stays the very bytes: of ours, of Pi, with unusual numbers and names said twice (row 26)", () => {
  const said = JSON.stringify(entry());
  for (const line of [
    ours(),
    Buffer.from(said),
    Buffer.from(
      said.replace('"timestamp"', '"n":1.0e+2,"big":12345678901234567890,"n":2,"timestamp"'),
    ),
    Buffer.from(`{"id":"x",${said.slice(1)}`),
    Buffer.from(`{"timestamp":"t","parentId":"a","id":"b","type":"custom","customType":"c"}`),
    Buffer.from(said.replace("方案", `"commit":{"id":"c"},"branchline":{`.replaceAll('"', '\\"'))),
    Buffer.from(
      said.replace('"timestamp":"t"', '"timestamp":"t","key":"k","commit":{"id":"c","i":1,"n":2}'),
    ),
    ours({}, { message: undefined, type: "custom", customType: "c", data: "text at the end" }),
  ]) {
    assert.equal(copiedLine(line, WHERE), line, line.toString());
  }
  const root = Buffer.from(JSON.stringify({ type: "x", id: "方", parentId: null, timestamp: "t" }));
  assert.equal(copiedLine(root, { id: "方", parentId: null }), root);
});

test("key and commit stay behind, the other bytes do not change and the check sum fits them", () => {
  const commit = { id: "c", i: 1, n: 2 };
  const plain = ours().toString();
  for (const stamp of [
    { commit },
    { key: "k" },
    { key: 'a"\\\n中', commit },
    { key: "\u0001".repeat(256) },
  ]) {
    const line = copiedLine(ours(stamp), WHERE);
    assert.equal(Buffer.from(line ?? []).toString(), plain);
    const [part] = decodeLine(line ?? Buffer.of()).parts;
    assert.equal(part?.kind === "record" && part.crc, "right");
  }
});

test("what is not the expected entry, glued, torn, in a blob or stamped elsewhere is not taken over", () => {
  const said = JSON.stringify(entry());
  const commit = { id: "c", i: 1, n: 2 };
  const moved = (stamp: object): Buffer => {
    // The members of our lines, in an order that we do not write.
    const body = Buffer.from(`${JSON.stringify({ ...stamp, ...entry() }).slice(0, -1)},`);
    return Buffer.concat([body, Buffer.from(`"crc":"${crc32(body)}"}`)]);
  };
  for (const line of [
    Buffer.from(said.replace('"id":"b"', '"id":"c"')),
    Buffer.from(said.replace('"parentId":"a"', '"parentId":null')),
    Buffer.from(`{"type":"message","id":"c"}${said}`),
    Buffer.from("no JSON"),
    Buffer.from(""),
    ours({}, { branchline: { blob: { sha256: "0".repeat(64), bytes: 1 } } }),
    moved({ key: "k" }),
    moved({ commit }),
    Buffer.concat([ours({ key: "k" }), Buffer.from("\r")]),
  ]) {
    assert.equal(copiedLine(line, WHERE), null, line.toString());
  }
});
