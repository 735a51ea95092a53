import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";

const { latin1Slice } = Buffer.prototype as unknown as {
  latin1Slice(this: Uint8Array, from: number, to: number): string;
};

/** What this machine does with bytes faster than the pure layers could. */
export const byteTools: {
  /** The bytes of a range as text, one character a byte. */
  readonly slice: (bytes: Uint8Array, from: number, to: number) => string;
  isUtf8(bytes: Uint8Array): boolean;
  /** CRC-32 of zlib. */
  crc32(bytes: Uint8Array): number;
} = {
  slice: (bytes, from, to) => latin1Slice.call(bytes, from, to),
  isUtf8,
  crc32: (bytes) => crc32(bytes),
};
