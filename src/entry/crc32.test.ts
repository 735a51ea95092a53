import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { crc32 } from "./crc32.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("crc32 gives the published check values", () => {
  assert.equal(crc32(bytes("")), "00000000");
  assert.equal(crc32(bytes("123456789")), "cbf43926");
  assert.equal(crc32(bytes("The quick brown fox jumps over the lazy dog")), "414fa339");
  assert.equal(crc32(new Uint8Array(32)), "190a55ad");
  assert.equal(crc32(new Uint8Array(32).fill(0xff)), "ff6cab0b");
});

test("crc32 is that of zlib for any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (data) => {
      assert.equal(crc32(data), zlibCrc32(data).toString(16).padStart(8, "0"));
    }),
  );
});
