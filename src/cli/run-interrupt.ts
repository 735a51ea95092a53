import process from "node:process";

/**
 * Lets Ctrl-C end what runs: the first one calls `abort`, which may take its time to settle; the second
 * one leaves at once, as a crash would: what was acknowledged is on disk. Gives what ends the watch.
 */
export function onInterrupt(abort: () => void): () => void {
  let count = 0;
  const hear = (): void => {
    count++;
    if (count > 1) process.exit(130);
    abort();
  };
  process.on("SIGINT", hear);
  return () => void process.off("SIGINT", hear);
}
