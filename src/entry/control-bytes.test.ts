import assert from "node:assert/strict";
import { test } from "node:test";
import { hasControlBytes } from "./control-bytes.ts";

test("a control byte is found at any place of a range of any length and alignment", () => {
  const backing = new Uint8Array(80).fill(0x80);
  for (let offset = 0; offset < 5; offset++) {
    for (let length = 0; length < 60; length++) {
      const range = backing.subarray(offset, offset + length);
      assert.equal(hasControlBytes(range), false);
      for (let at = 0; at < length; at++) {
        for (const byte of [0x00, 0x09, 0x1f]) {
          range[at] = byte;
          assert.equal(hasControlBytes(range), true, `${offset} ${length} ${at} ${byte}`);
        }
        range[at] = 0x80;
      }
    }
  }
});

test("newlines, spaces and high bytes are none, also beside each other", () => {
  const bytes = Uint8Array.from(
    { length: 64 },
    (_, at) => [0x0a, 0x20, 0xff, 0x7f, 0x80][at % 5] as number,
  );
  assert.equal(hasControlBytes(bytes), false);
});
