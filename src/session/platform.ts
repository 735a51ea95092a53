import type { RandomBytes } from "../entry/ids.ts";
import type { WallClock } from "./session-handle.ts";

/** The wall clock of any JavaScript platform. */
export const platformClock: WallClock = { now: () => Date.now() };

/** The random source of any JavaScript platform, browsers included. */
export const platformRandom: RandomBytes = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};
