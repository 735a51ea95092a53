import type { Scenario } from "../scenario.ts";
import { CORPUS_SCENARIOS } from "./corpus-scenarios.ts";
import { SESSION_SCENARIOS } from "./session-scenarios.ts";

/** The scenarios that `branchline bench` runs; the project's own benchmark adds more. */
export const SCENARIOS: readonly Scenario[] = [...SESSION_SCENARIOS, ...CORPUS_SCENARIOS];

/** What {@link Job.module} has to be for them. */
export const SCENARIOS_MODULE: string = import.meta.url;
