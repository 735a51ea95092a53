import type { Virtualizer } from "@tanstack/react-virtual";

/** The virtual list of the transcript. */
export type RowList = Virtualizer<HTMLDivElement, Element>;
