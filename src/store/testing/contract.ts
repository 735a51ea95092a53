import type { Capabilities } from "../capabilities.ts";
import type { SessionStore } from "../store.ts";

/** Data of one case: a fresh, empty store, and the same data through a new store. */
export interface StoreFixture extends AsyncDisposable {
  readonly store: SessionStore;
  /** A new store on the same data. Only asked of durable stores; the fixture closes it. */
  reopen(): Promise<SessionStore>;
}

/** Makes the data of one case. The suite disposes it. */
export type MakeFixture = () => Promise<StoreFixture>;

/** Capabilities that a case may need: those that a store has or has not. */
export type NeededCapability = Exclude<keyof Capabilities, "contract">;

/** One statement about every store, or about every store with some capabilities. */
export interface ContractCase {
  readonly group: string;
  readonly name: string;
  /** The case is for stores that have all of these. */
  readonly needs?: readonly NeededCapability[];
  /** Resolves where the store keeps the promise; rejects with an assertion error where not. */
  run(fixture: StoreFixture): Promise<void>;
}

/** What the suite is run on. */
export interface ContractTarget {
  /** Stands before the title of each case. */
  readonly name: string;
  /** Decides which cases apply; a case checks that the store says the same. */
  readonly capabilities: Capabilities;
  readonly makeFixture: MakeFixture;
}

/** Hands one case to a test runner; `test` of `node:test` fits, and `it` of others. */
export type BindCase = (title: string, run: () => Promise<void>) => unknown;

/** The cases for a store with these capabilities, in order. */
export function selectCases(
  cases: readonly ContractCase[],
  capabilities: Capabilities,
): readonly ContractCase[] {
  return cases.filter(({ needs = [] }) => needs.every((name) => capabilities[name]));
}

/** Runs one case on data of its own and disposes it, also after a failure. */
export async function runCase(one: ContractCase, makeFixture: MakeFixture): Promise<void> {
  await using fixture = await makeFixture();
  await one.run(fixture);
}
