/** Prints what this machine does without any engine: `node bench/limits.ts [SESSION.jsonl]`, as JSON. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeSession } from "../src/bench/generated-files.ts";
import { measureLimits } from "../src/bench/machine-limits.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "branchline-limits-"));
try {
  const [, , given] = process.argv;
  const sample =
    given ??
    (await writeSession(path.join(scratch, "s.jsonl"), { seed: 1, bytes: 2e7, profile: "agent" }))
      .path;
  console.log(JSON.stringify(measureLimits({ scratch, sample }), null, 2));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
