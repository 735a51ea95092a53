/**
 * `branchline/store/testing`: the store contract as test cases, for authors of stores, and doubles of a
 * store for those who test against one. Needs no test runner.
 */
export {
  type BindCase,
  type ContractCase,
  type ContractTarget,
  type MakeFixture,
  type NeededCapability,
  runCase,
  type StoreFixture,
  selectCases,
} from "./contract.ts";
export { contractCases } from "./contract-cases.ts";
export { CommitGate, type FailureMoment, GatingStore } from "./gating-store.ts";
export { runContract } from "./run-contract.ts";
export { SessionDecorator, StoreDecorator } from "./store-decorator.ts";
