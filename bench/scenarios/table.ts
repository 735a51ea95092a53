import type { Scenario } from "../../src/bench/scenario.ts";
import { SCENARIOS as SHIPPED } from "../../src/bench/scenarios/table.ts";
import { PAGE_SCENARIOS } from "./page-scenarios.ts";
import { PROCESS_SCENARIOS } from "./process-scenarios.ts";
import { TREE_SCENARIOS } from "./tree-scenarios.ts";

/** Every scenario: those that the command line ships, and those of the project only. */
export const SCENARIOS: readonly Scenario[] = [
  ...SHIPPED,
  ...TREE_SCENARIOS,
  ...PROCESS_SCENARIOS,
  ...PAGE_SCENARIOS,
];
