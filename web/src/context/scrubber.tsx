import type { ContextCurve } from "branchline/protocol/tree.ts";
import { type ReactElement, useEffect, useRef } from "react";
import { useSignal } from "../app/signal.ts";
import { theme } from "../app/theme.ts";
import { tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";

const HEIGHT = 56;

/** The size of the context along the path; moving the handle shows the context at that entry. */
export function Scrubber(parts: {
  readonly curve: ContextCurve;
  readonly index: number;
  readonly onMove: (index: number) => void;
}): ReactElement {
  const t = useText();
  const { curve, index, onMove } = parts;
  const canvas = useRef<HTMLCanvasElement>(null);
  const choice = useSignal(theme);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const paint = (): void => draw(element, curve, index);
    paint();
    const watch = new ResizeObserver(paint);
    watch.observe(element);
    return () => watch.disconnect();
  }, [curve, index, choice]);
  const point = curve.points[index];
  return (
    <section className="scrubber">
      <canvas ref={canvas} height={HEIGHT} />
      <input
        type="range"
        min={0}
        max={Math.max(0, curve.points.length - 1)}
        value={index}
        aria-label={t("context.scrub")}
        aria-valuetext={
          point ? `${index + 1} / ${curve.points.length}, ${tokensText(point.tokens)}` : ""
        }
        onChange={(event) => onMove(Number(event.target.value))}
      />
    </section>
  );
}

function draw(canvas: HTMLCanvasElement, { points }: ContextCurve, index: number): void {
  const scale = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  canvas.width = width * scale;
  canvas.height = HEIGHT * scale;
  const context = canvas.getContext("2d");
  if (context === null || points.length === 0) return;
  const style = getComputedStyle(canvas);
  const color = (name: string): string => style.getPropertyValue(name);
  context.scale(scale, scale);
  const most = points.reduce((max, { tokens }) => Math.max(max, tokens), 1);
  const x = (at: number): number => 8 + (at / Math.max(1, points.length - 1)) * (width - 16);
  const y = (tokens: number): number => HEIGHT - 2 - (tokens / most) * (HEIGHT - 12);
  const line = (to: number): void => {
    context.beginPath();
    context.moveTo(x(0), HEIGHT);
    const by = Math.max(1, Math.floor(points.length / (width * 2)));
    for (let at = 0; at <= to; at += by) context.lineTo(x(at), y(points[at]?.tokens ?? 0));
    context.lineTo(x(to), y(points[to]?.tokens ?? 0));
    context.lineTo(x(to), HEIGHT);
  };
  line(points.length - 1);
  context.fillStyle = color("--hover");
  context.fill();
  line(index);
  context.fillStyle = color("--accent-soft");
  context.fill();
  context.fillStyle = color("--compaction");
  for (const [at, { kind, tokens }] of points.entries()) {
    if (kind === "c") context.fillRect(x(at) - 1, y(tokens) - 6, 2, HEIGHT);
  }
  context.fillStyle = color("--accent");
  context.fillRect(x(index) - 1, 0, 2, HEIGHT);
}
