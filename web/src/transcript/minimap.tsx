import { type ReactElement, useEffect, useRef } from "react";
import { useSignal } from "../app/signal.ts";
import { theme } from "../app/theme.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { marksOfPath, type PathMarks } from "../tree/path-marks.ts";

const WIDTH = 14;

/** The whole path in a strip: questions, forks, compactions, labels, and what is in view. A click jumps. */
export function Minimap(parts: {
  readonly model: SessionModel;
  readonly first: number;
  readonly last: number;
  readonly onJump: (index: number) => void;
}): ReactElement | null {
  const t = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const shape = useSignal(parts.model.shape);
  const choice = useSignal(theme);
  const marks = shape === undefined ? undefined : marksOfPath(shape);
  const total = marks?.places.length ?? 0;
  const { first, last } = parts;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read
  useEffect(() => {
    if (canvas.current !== null && marks !== undefined)
      draw(canvas.current, marks, { first, last });
  }, [marks, first, last, choice]);
  if (total < 12) return null;
  return (
    <canvas
      ref={canvas}
      className="minimap"
      width={WIDTH}
      aria-label={t("transcript.minimap")}
      role="img"
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        parts.onJump(Math.floor(((event.clientY - box.top) / box.height) * total));
      }}
    />
  );
}

function draw(
  canvas: HTMLCanvasElement,
  marks: PathMarks,
  view: { readonly first: number; readonly last: number },
): void {
  const scale = devicePixelRatio || 1;
  const height = canvas.clientHeight;
  canvas.width = WIDTH * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const total = marks.places.length;
  const y = (index: number): number => (index / total) * (height - 4) + 2;
  context.fillStyle = style.getPropertyValue("--hover");
  context.fillRect(0, y(view.first), WIDTH, Math.max(6, y(view.last + 1) - y(view.first)));
  const stripe = (
    indexes: readonly number[],
    name: string,
    box: { x: number; width: number; height: number },
  ): void => {
    context.fillStyle = style.getPropertyValue(name);
    for (const index of indexes)
      context.fillRect(box.x, y(index) - box.height / 2, box.width, box.height);
  };
  // Closer together than they can be told apart, questions say nothing.
  if (marks.prompts.length < height / 3)
    stripe(marks.prompts, "--user", { x: 5, width: 4, height: total > 400 ? 1 : 2 });
  stripe(marks.forks, "--ink-3", { x: 10, width: 3, height: 2 });
  stripe(marks.compactions, "--compaction", { x: 1, width: 12, height: 2 });
  stripe(marks.labels, "--tool", { x: 1, width: 3, height: 3 });
}
