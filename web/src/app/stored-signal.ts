import { Signal } from "./signal.ts";

/** Prefix of our keys in the browser's storage; holds taste only, never content or tokens. */
const PREFIX = "branchline.";

/**
 * A signal that the browser remembers. Values other than those `accept` lets through are forgotten;
 * without storage (private windows) it is a plain signal.
 */
export function storedSignal<T>(
  name: string,
  initial: T,
  accept: (value: unknown) => value is T,
): Signal<T> {
  const signal = new Signal<T>(read(name, accept) ?? initial);
  signal.subscribe(() => write(name, signal.get()));
  return signal;
}

function read<T>(name: string, accept: (value: unknown) => value is T): T | undefined {
  try {
    const text = localStorage.getItem(PREFIX + name);
    const value: unknown = text === null ? undefined : JSON.parse(text);
    return accept(value) ? value : undefined;
  } catch (error) {
    console.debug("storage", error);
    return undefined;
  }
}

function write(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch (error) {
    console.debug("storage", error);
  }
}
