/** What of the branches is compared. */
export type Mode = "turns" | "context" | "files" | "numbers";

/** In the order of the switch. */
export const MODES: readonly Mode[] = ["turns", "context", "files", "numbers"];

/** The mode after another one. Pure. */
export const nextMode = (mode: Mode): Mode =>
  MODES[(MODES.indexOf(mode) + 1) % MODES.length] ?? "turns";
