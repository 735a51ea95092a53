import { appendCases } from "./cases/append-cases.ts";
import { branchCases } from "./cases/branch-cases.ts";
import { conflictCases } from "./cases/conflict-cases.ts";
import { failureCases } from "./cases/failure-cases.ts";
import { followCases } from "./cases/follow-cases.ts";
import { handleCases } from "./cases/handle-cases.ts";
import { keyCases } from "./cases/key-cases.ts";
import { lifecycleCases } from "./cases/lifecycle-cases.ts";
import { listCases } from "./cases/list-cases.ts";
import { modelCases } from "./cases/model-cases.ts";
import { readCases } from "./cases/read-cases.ts";
import { runLockCases } from "./cases/run-lock-cases.ts";
import { traitCases } from "./cases/trait-cases.ts";
import { trashCases } from "./cases/trash-cases.ts";
import { valueCases } from "./cases/value-cases.ts";
import type { ContractCase } from "./contract.ts";

/** The store contract as data: what every store must do, whatever it is built on. */
export const contractCases: readonly ContractCase[] = [
  ...lifecycleCases,
  ...appendCases,
  ...conflictCases,
  ...failureCases,
  ...keyCases,
  ...readCases,
  ...branchCases,
  ...handleCases,
  ...runLockCases,
  ...followCases,
  ...listCases,
  ...trashCases,
  ...valueCases,
  ...traitCases,
  ...modelCases,
];
