import type { HarnessStore } from "./harness-rig.ts";

/** One thing that a harness promises, on any store. */
export interface HarnessCase {
  readonly name: string;
  run(made: HarnessStore): Promise<void>;
}
