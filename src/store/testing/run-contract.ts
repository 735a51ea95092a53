import assert from "node:assert/strict";
import { type BindCase, type ContractTarget, runCase, selectCases } from "./contract.ts";
import { contractCases } from "./contract-cases.ts";

/**
 * Binds the whole suite to a test runner and gives the number of cases.
 *
 * @example
 * import { test } from "node:test";
 * runContract({ name: "mine", capabilities, makeFixture }, test);
 */
export function runContract(target: ContractTarget, bind: BindCase): number {
  const { name, capabilities, makeFixture } = target;
  bind(`${name}: capabilities are as stated`, async () => {
    await using fixture = await makeFixture();
    assert.deepEqual(fixture.store.capabilities, capabilities);
  });
  const selected = selectCases(contractCases, capabilities);
  for (const one of selected) {
    bind(`${name}: ${one.group}: ${one.name}`, () => runCase(one, makeFixture));
  }
  return selected.length + 1;
}
