import type { Side } from "./side.ts";

/** Loads one engine and not the other. */
export async function loadSide(name: string): Promise<Side> {
  if (name === "pi") return (await import("./pi-side.ts")).piSide;
  return (await import("./branchline-side.ts")).branchlineSide;
}
