import process from "node:process";

/** Runs something long; Ctrl-C cancels it through the signal instead of ending the process at once. */
export async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  process.once("SIGINT", abort);
  try {
    return await work(stop.signal);
  } finally {
    process.off("SIGINT", abort);
  }
}
