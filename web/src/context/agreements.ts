import { Signal } from "../app/signal.ts";

/** Counts up with each word about held texts: what was read of contexts before is no longer true. */
export const agreements: Signal<number> = new Signal(0);
