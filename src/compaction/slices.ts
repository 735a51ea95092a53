import { throwIfAborted } from "../io/clock.ts";
import { LoopTurns } from "../io/loop-turns.ts";

/** Work in small steps: it says with each `yield` that it may be interrupted there. */
export type Steps<T> = Generator<undefined, T, undefined>;

/**
 * Does the work and gives the event loop its turns between the steps, so that a context of any size holds up
 * neither an abort nor a server's other answers. Throws ABORTED, and what the work throws.
 */
export async function inSlices<T>(work: Steps<T>, signal?: AbortSignal): Promise<T> {
  const turns = new LoopTurns();
  for (;;) {
    throwIfAborted(signal);
    const step = work.next();
    if (step.done === true) return step.value;
    if (turns.isDue) await turns.take();
  }
}

/** Does the same work in one go. */
export function atOnce<T>(work: Steps<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
