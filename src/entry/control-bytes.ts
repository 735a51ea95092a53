const NEWLINE = 0x0a;
/** Bytes that one step looks at. */
const STEP = 16;

/**
 * True where a byte below 0x20 other than a newline stands in the range: no JSON text holds one, so one
 * of the lines is damaged. Looks at sixteen bytes at a time: no primitive of the machine searches for a
 * range of bytes, and a regular expression takes ten times as long.
 */
export function hasControlBytes(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  const start = Math.min((4 - (byteOffset % 4)) % 4, length);
  const count = Math.floor((length - start) / STEP) * 4;
  // A view of words has to begin at a multiple of four, which a short range may not reach.
  if (count === 0) return hasControl(bytes, 0, length);
  if (hasControl(bytes, 0, start)) return true;
  const words = new Int32Array(buffer, byteOffset + start, count);
  for (let at = 0; at < count; at += 4) {
    const a = words[at] as number;
    const b = words[at + 1] as number;
    const c = words[at + 2] as number;
    const d = words[at + 3] as number;
    // The high bit of a byte that is below 0x20, and at worst of the one above it.
    const low =
      ((a - 0x20202020) & ~a) |
      ((b - 0x20202020) & ~b) |
      ((c - 0x20202020) & ~c) |
      ((d - 0x20202020) & ~d);
    const from = start + at * 4;
    if ((low & 0x80808080) !== 0 && hasControl(bytes, from, from + STEP)) return true;
  }
  return hasControl(bytes, start + count * 4, length);
}

function hasControl(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x20 && byte !== NEWLINE) return true;
  }
  return false;
}
