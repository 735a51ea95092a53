/** What {@link orAborted} gives where the signal came first. */
export const ABORTED: unique symbol = Symbol("aborted");

/**
 * Waits for the promise or for the signal, whichever comes first, and leaves no listener behind. The work
 * behind the promise goes on; its late failure is nobody's concern. Rejects as the promise does.
 */
export async function orAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | typeof ABORTED> {
  if (signal === undefined) return work;
  const { promise, resolve, reject } = Promise.withResolvers<T | typeof ABORTED>();
  const onAbort = (): void => resolve(ABORTED);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  work.then(resolve, reject);
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
