import { crc32 } from "node:zlib";

/** Thrown where a row is not what was written: the database is damaged and has to be built anew. */
export class DamagedRow extends Error {}

/**
 * Check sum of what a row says. SQLite notices pages that are broken, not bytes that changed inside a
 * value; an index that answered with those would change what a session is.
 */
export function sealOf(values: readonly unknown[]): number {
  return crc32(values.join("\n"));
}

/** Throws {@link DamagedRow} where the values are not those that the seal was made of. */
export function checkSeal(seal: unknown, values: readonly unknown[]): void {
  if (seal !== sealOf(values)) throw new DamagedRow("a row of the index was changed");
}
