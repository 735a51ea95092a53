import { crc32, deflateSync, inflateSync } from "node:zlib";

/** Pixels of a picture, three bytes each. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 256;

/** The same picture with at most 256 colours: a third of the size. Takes what browsers write: 8 bits, no interlace. */
export function smallPng(png: Buffer): Buffer {
  const pixels = decoded(png);
  const { palette, indexes } = withPalette(pixels);
  const { width, height } = pixels;
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    lines.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const made = Buffer.alloc(body.length + 8);
  made.writeUInt32BE(data.length, 0);
  made.set(body, 4);
  made.writeUInt32BE(crc32(body), body.length + 4);
  return made;
}

function decoded(png: Buffer): Pixels {
  const parts: Buffer[] = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") {
      width = data.readUInt32BE(0);
      height = data.readUInt32BE(4);
      channels = data[9] === 6 ? 4 : 3;
    } else if (type === "IDAT") parts.push(data);
    at += length + 12;
  }
  const raw = unfiltered(inflateSync(Buffer.concat(parts)), { width, height, channels });
  const rgb = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    rgb.set(raw.subarray(pixel * channels, pixel * channels + 3), pixel * 3);
  }
  return { width, height, rgb };
}

interface Shape {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/** Takes back what each line was predicted from (PNG specification §9). */
function unfiltered(data: Buffer, { width, height, channels }: Shape): Uint8Array {
  const stride = width * channels;
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < channels ? 0 : (out[at - channels] ?? 0);
      const up = y === 0 ? 0 : (out[at - stride] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (out[at - stride - channels] ?? 0);
      const guess = predicted(filter, { left, up, corner });
      out[at] = (data[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return out;
}

interface Near {
  readonly left: number;
  readonly up: number;
  readonly corner: number;
}

function predicted(filter: number, { left, up, corner }: Near): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const sum = left + up - corner;
  const [a, b, c] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

type Colour = readonly [number, number, number];

/** The most frequent colours, similar ones once; every pixel takes the nearest. */
function withPalette({ rgb }: Pixels): {
  readonly palette: readonly Colour[];
  readonly indexes: Uint8Array;
} {
  const counts = new Map<number, number>();
  const codes = new Uint32Array(rgb.length / 3);
  for (let pixel = 0; pixel < codes.length; pixel++) {
    const [r = 0, g = 0, b = 0] = rgb.subarray(pixel * 3, pixel * 3 + 3);
    const code = (r << 16) | (g << 8) | b;
    codes[pixel] = code;
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const palette = chosen(counts);
  const nearest = new Map<number, number>();
  for (const code of counts.keys()) nearest.set(code, nearestOf(palette, colourOf(code)));
  return { palette, indexes: Uint8Array.from(codes, (code) => nearest.get(code) ?? 0) };
}

const colourOf = (code: number): Colour => [code >> 16, (code >> 8) & 255, code & 255];

const distance = (a: Colour, b: Colour): number =>
  (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;

/** Frequent colours first; one that is very near a chosen one has to be much more frequent than the rest. */
function chosen(counts: ReadonlyMap<number, number>): Colour[] {
  const byCount = [...counts].sort((a, b) => b[1] - a[1]).map(([code]) => colourOf(code));
  for (let apart = 0; ; apart += 24) {
    const palette: Colour[] = [];
    for (const colour of byCount) {
      if (palette.every((other) => distance(other, colour) > apart)) palette.push(colour);
      if (palette.length > MOST_COLOURS) break;
    }
    if (palette.length <= MOST_COLOURS) return palette;
  }
}

function nearestOf(palette: readonly Colour[], colour: Colour): number {
  let best = 0;
  for (let at = 1; at < palette.length; at++) {
    const other = palette[at] ?? colour;
    if (distance(other, colour) < distance(palette[best] ?? colour, colour)) best = at;
  }
  return best;
}
