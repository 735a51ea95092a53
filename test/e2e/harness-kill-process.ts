/**
 * A process that the kill test starts: `harness-kill-process.ts run|resume FILE EFFECTS STEP` runs the
 * script on a session file, or goes on with it, and kills itself at the awaited step with that number.
 * Where it comes to the end, it says what the steps were (JSON).
 */
import { KillSteps } from "../builders/kill-steps.ts";
import { goOn, openScene, PROMPT } from "./harness-kill-scene.ts";

const [mode, file = "", effects = "", step = "0"] = process.argv.slice(2);
const steps = new KillSteps(Number(step));
const scene = await openScene({ file, effects, steps });
if (mode === "run") {
  await scene.harness.prompt(PROMPT);
  await scene.harness.settled();
} else await goOn(scene);
await scene.harness.close();
await scene.store.close();
console.log(JSON.stringify(steps.names));
