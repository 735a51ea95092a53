const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** A number of bytes for people, in powers of 1,000: `12.3 MB`. */
export function byteSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || Math.abs(value) >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** The bytes that a text such as `64KiB`, `10MB` or `4096` means, or null. */
export function parseByteSize(text: string): number | null {
  const [, number, prefix = "", binary] = /^(\d+)\s*([kmgt]?)(i?)b?$/i.exec(text) ?? [];
  if (number === undefined) return null;
  const power = ["", "k", "m", "g", "t"].indexOf(prefix.toLowerCase());
  return Number(number) * (binary === "" ? 1000 : 1024) ** power;
}
