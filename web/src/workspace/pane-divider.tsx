import type { PointerEvent, ReactElement } from "react";
import { type Signal, useSignal } from "../app/signal.ts";
import { storedSignal } from "../app/stored-signal.ts";
import { useText } from "../i18n/language.ts";

const LEAST = 220;
const MOST = 560;

/** Width of the tree rail in px; remembered. */
export const paneWidth: Signal<number> = storedSignal<number>(
  "tree-width",
  300,
  (value): value is number => typeof value === "number" && value >= LEAST && value <= MOST,
);

const clamp = (width: number): number => Math.max(LEAST, Math.min(MOST, Math.round(width)));

/** The line between rail and transcript; drag it, or focus it and use the arrow keys. */
export function PaneDivider(): ReactElement {
  const t = useText();
  const width = useSignal(paneWidth);
  const drag = (event: PointerEvent<HTMLElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const left = event.currentTarget.parentElement?.getBoundingClientRect().left ?? 0;
    paneWidth.set(clamp(event.clientX - left));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: hr takes no value
    <div
      className="pane-divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t("tree.title")}
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={(event) => {
        const by = event.key === "ArrowLeft" ? -16 : event.key === "ArrowRight" ? 16 : 0;
        if (by === 0) return;
        event.preventDefault();
        event.stopPropagation();
        paneWidth.set(clamp(width + by));
      }}
    />
  );
}
