import { compareCodePoints } from "../code-point-order.ts";
import { jsonCopy } from "../json-copy.ts";
import { storeClosed } from "../refusals.ts";
import type { ValueScope, ValueStore } from "../store.ts";
import { scopeName } from "../value-scope.ts";

/** Values of a memory store. Closed by its store. */
export class MemoryValues implements ValueStore {
  readonly #scopes = new Map<string, Map<string, unknown>>();
  #closed = false;

  async get(scope: ValueScope, key: string): Promise<unknown> {
    return this.#scope(scope)?.get(key);
  }

  async set(scope: ValueScope, key: string, value: unknown): Promise<void> {
    const name = this.#check(scope);
    const copy = jsonCopy(value);
    const values = this.#scopes.get(name) ?? new Map<string, unknown>();
    this.#scopes.set(name, values.set(key, copy));
  }

  async delete(scope: ValueScope, key: string): Promise<void> {
    this.#scope(scope)?.delete(key);
  }

  async keys(scope: ValueScope): Promise<readonly string[]> {
    return [...(this.#scope(scope)?.keys() ?? [])].sort(compareCodePoints);
  }

  /** Forgets everything of a scope. */
  drop(scope: ValueScope): void {
    this.#scopes.delete(this.#check(scope));
  }

  /** From here on every call throws STORE_CLOSED. */
  close(): void {
    this.#closed = true;
  }

  #check(scope: ValueScope): string {
    if (this.#closed) throw storeClosed();
    return scopeName(scope);
  }

  #scope(scope: ValueScope): Map<string, unknown> | undefined {
    return this.#scopes.get(this.#check(scope));
  }
}
