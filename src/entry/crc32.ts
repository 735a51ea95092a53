/** What a byte does to the check sum; the last of the eight bytes that one step takes in. */
const T0: Uint32Array = new Uint32Array(256);
// Each further table is for a byte with one more byte behind it ("slicing by eight").
const T1: Uint32Array = new Uint32Array(256);
const T2: Uint32Array = new Uint32Array(256);
const T3: Uint32Array = new Uint32Array(256);
const T4: Uint32Array = new Uint32Array(256);
const T5: Uint32Array = new Uint32Array(256);
const T6: Uint32Array = new Uint32Array(256);
const T7: Uint32Array = new Uint32Array(256);

/** Makes the tables, for the first check sum and not before: that takes 1 ms, and a reader may need none (T14). */
function fillTables(): void {
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    T0[byte] = value;
  }
  for (let byte = 0; byte < 256; byte++) {
    let value = at(T0, byte);
    for (const table of [T1, T2, T3, T4, T5, T6, T7]) {
      value = at(T0, value & 0xff) ^ (value >>> 8);
      table[byte] = value;
    }
  }
}

function at(table: Uint32Array, index: number): number {
  return table[index] as number;
}

/** {@link crc32Of} as 8 lower-case hex digits. */
export function crc32(bytes: Uint8Array): string {
  return crc32Of(bytes).toString(16).padStart(8, "0");
}

/**
 * CRC-32 (ISO-HDLC, the one of zlib) of bytes. Written here and not taken from zlib because the entry
 * layer runs in a browser; on the way of every append and every read line, so it takes eight bytes a
 * step.
 */
export function crc32Of(bytes: Uint8Array): number {
  if (at(T0, 1) === 0) fillTables();
  const whole = bytes.length - (bytes.length % 8);
  let value = 0xffffffff;
  let i = 0;
  for (; i < whole; i += 8) {
    value ^= byteAt(bytes, i) | (byteAt(bytes, i + 1) << 8);
    value ^= (byteAt(bytes, i + 2) << 16) | (byteAt(bytes, i + 3) << 24);
    value =
      at(T7, value & 0xff) ^
      at(T6, (value >>> 8) & 0xff) ^
      at(T5, (value >>> 16) & 0xff) ^
      at(T4, value >>> 24) ^
      at(T3, byteAt(bytes, i + 4)) ^
      at(T2, byteAt(bytes, i + 5)) ^
      at(T1, byteAt(bytes, i + 6)) ^
      at(T0, byteAt(bytes, i + 7));
  }
  for (; i < bytes.length; i++) value = at(T0, (value ^ byteAt(bytes, i)) & 0xff) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** Apart from {@link at}, so that each reads from one kind of array only. */
function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}
