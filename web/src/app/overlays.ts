import { Signal } from "./signal.ts";

/** What lies over the page. */
export type Overlay = "palette" | "keys" | "model" | "export" | "tree" | null;

/** The overlay that is open; at most one. */
export const overlay: Signal<Overlay> = new Signal<Overlay>(null);

/** The entries that the page marks as chosen and opened; shared by tree, transcript and keys. */
export const chosenEntry: Signal<string | null> = new Signal<string | null>(null);

/** The text that the composer was asked to take, with what it edits. */
export interface ComposerDraft {
  readonly text: string;
  /** Entry whose answer is asked again: the message goes under its parent. */
  readonly edits: string | null;
}

/** A draft for the composer; it takes it and sets undefined. */
export const draft: Signal<ComposerDraft | undefined> = new Signal<ComposerDraft | undefined>(
  undefined,
);

/** First side of a comparison that is being picked. */
export const pickedSide: Signal<string | null> = new Signal<string | null>(null);
