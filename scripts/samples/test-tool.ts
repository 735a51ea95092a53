import { spawnSync } from "node:child_process";
import path from "node:path";
import type { Tool } from "../../src/harness/tool.ts";

/** What of the TAP of a test run is the same in every run: no times, no places of this machine. */
const KEPT = /^(?:(?:not )?ok \d+ - .*|# (?:tests|pass|fail) \d+| {2}(?:expected|actual): .*)$/;

/** A tool that runs the tests of a small module in the workspace, in a process of its own. */
export function createTestTool(workspace: string): Tool {
  return {
    name: "run_tests",
    label: "Run tests",
    description: "Runs the tests in width/ and gives their results, without times.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    replay: "safe",
    async execute() {
      const { stdout, status } = spawnSync(
        process.execPath,
        ["--test", "--test-reporter=tap", "column-width.test.mjs"],
        // Not the environment of this process: in a test run it would change what is printed.
        { cwd: path.join(workspace, "width"), encoding: "utf8", env: {} },
      );
      const lines = stdout.split("\n").filter((line) => KEPT.test(line));
      if (lines.length === 0) throw new TypeError("no test was run");
      return { content: [{ type: "text", text: lines.join("\n") }], isError: status !== 0 };
    },
  };
}
