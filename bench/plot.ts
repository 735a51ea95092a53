/** Growth plots as SVG: log-log, one panel for each kind of size. Own small code, no package. */

/** One line of a plot: points of (size, ms). */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
}

/** One panel. */
export interface Panel {
  /** What the horizontal axis counts. */
  readonly axis: string;
  readonly series: readonly Series[];
}

const WIDTH = 440;
const HEIGHT = 340;
const LEFT = 56;
const TOP = 34;
const INNER = { width: WIDTH - LEFT - 18, height: 210 };
const COLORS = ["#0b6e99", "#c2410c", "#15803d", "#7c3aed", "#b91c1c", "#4d7c0f"];

interface Range {
  readonly low: number;
  readonly high: number;
}

/** Whole powers of ten around the values. */
function decades(values: readonly number[]): Range {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  const low = Math.floor(Math.min(...logs));
  return { low, high: Math.max(low + 1, Math.ceil(Math.max(...logs))) };
}

function place(value: number, range: Range): number {
  return (Math.log10(value) - range.low) / (range.high - range.low);
}

function label(exponent: number, unit: string): string {
  const value = 10 ** exponent;
  return `${value >= 1000 ? value.toLocaleString("en-US") : value}${unit}`;
}

function text(
  x: number,
  y: number,
  rest: { readonly words: string; readonly anchor?: string },
): string {
  const words = escaped(rest.words);
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${rest.anchor ?? "start"}">${words}</text>`;
}

function grid(x: Range, y: Range): string[] {
  const parts: string[] = [];
  for (let exponent = x.low; exponent <= x.high; exponent++) {
    const at = LEFT + place(10 ** exponent, x) * INNER.width;
    parts.push(`<path class="grid" d="M${at.toFixed(1)} ${TOP}v${INNER.height}"/>`);
    parts.push(text(at, TOP + INNER.height + 15, { words: label(exponent, ""), anchor: "middle" }));
  }
  for (let exponent = y.low; exponent <= y.high; exponent++) {
    const at = TOP + (1 - place(10 ** exponent, y)) * INNER.height;
    parts.push(`<path class="grid" d="M${LEFT} ${at.toFixed(1)}h${INNER.width}"/>`);
    parts.push(text(LEFT - 6, at + 4, { words: label(exponent, " ms"), anchor: "end" }));
  }
  return parts;
}

function line(
  series: Series,
  index: number,
  ranges: { readonly x: Range; readonly y: Range },
): string[] {
  const color = COLORS[index % COLORS.length];
  const points = series.points
    .filter(([size, ms]) => size > 0 && ms > 0)
    .map(([size, ms]) => {
      const x = LEFT + place(size, ranges.x) * INNER.width;
      const y = TOP + (1 - place(ms, ranges.y)) * INNER.height;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
  const row = TOP + INNER.height + 50 + 16 * Math.floor(index / 2);
  const column = LEFT + (index % 2) * (INNER.width / 2);
  return [
    `<polyline fill="none" stroke="${color}" stroke-width="2" points="${points.join(" ")}"/>`,
    ...points.map((point) => {
      const [x, y] = point.split(",");
      return `<circle cx="${x}" cy="${y}" r="3" fill="${color}"/>`;
    }),
    `<path stroke="${color}" stroke-width="3" d="M${column} ${row - 4}h14"/>`,
    text(column + 19, row, { words: series.name }),
  ];
}

function panelParts(panel: Panel): string[] {
  const points = panel.series.flatMap((series) => series.points);
  if (points.length === 0) return [];
  const x = decades(points.map(([size]) => size));
  const y = decades(points.map(([, ms]) => ms));
  const middle = LEFT + INNER.width / 2;
  return [
    ...grid(x, y),
    text(middle, TOP + INNER.height + 31, { words: panel.axis, anchor: "middle" }),
    ...panel.series.flatMap((series, index) => line(series, index, { x, y })),
  ];
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** The plot as an SVG document, panels side by side. */
export function plot(title: string, panels: readonly Panel[]): string {
  const width = WIDTH * panels.length;
  const style =
    "text{font:12px system-ui,sans-serif;fill:#222}.title{font-weight:600}.grid{stroke:#ddd;fill:none}";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    `<rect width="${width}" height="${HEIGHT}" fill="#fff"/>`,
    `<text class="title" x="${LEFT}" y="20">${escaped(title)}</text>`,
    ...panels.map((panel, index) => {
      return `<g transform="translate(${index * WIDTH} 0)">\n${panelParts(panel).join("\n")}\n</g>`;
    }),
    "</svg>",
    "",
  ].join("\n");
}
