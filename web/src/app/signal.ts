import { useSyncExternalStore } from "react";

/** One value that components can follow. Setting an equal value tells nobody. */
export class Signal<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  /** The value now. */
  readonly get = (): T => this.#value;

  /** Puts another value in its place. */
  readonly set = (value: T): void => {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  };

  /** Puts what `make` returns in its place. */
  readonly update = (make: (value: T) => T): void => this.set(make(this.#value));

  /** Calls back after each change; returns the end of it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** The value of a signal; the component renders again when it changes. */
export function useSignal<T>(signal: Signal<T>): T {
  return useSyncExternalStore(signal.subscribe, signal.get);
}
