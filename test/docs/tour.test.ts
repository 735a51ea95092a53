import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

interface Step {
  readonly command: string;
  readonly output: readonly string[];
}

/** The commands of all console blocks and what the document says they print. */
function steps(markdown: string): readonly Step[] {
  const found: { command: string; output: string[] }[] = [];
  for (const [, block = ""] of markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    for (const line of block.trimEnd().split("\n")) {
      if (line.startsWith("$ ")) found.push({ command: line.slice(2), output: [] });
      else found.at(-1)?.output.push(line);
    }
  }
  return found;
}

/** New ids differ from run to run; whatever looks like one counts as equal. */
function withoutIds(line: string): string {
  return line.replaceAll(/\b[0-9a-f]{8,20}\b/g, "ID").trimEnd();
}

/** A line that is only an ellipsis stands for any number of lines; what stands between is exact. */
function assertShown(step: Step, printed: string): void {
  if (step.output.length === 0) return;
  const escaped = step.output
    .map(withoutIds)
    .map((line) => (line === "…" ? "(?:.*\\n)*?" : `${RegExp.escape(line)}\\n`));
  const lines = printed.trimEnd().split("\n").map(withoutIds);
  assert.match(`${lines.join("\n")}\n`, new RegExp(`^${escaped.join("")}$`), step.command);
}

for (const document of ["README.md", "README.zh-CN.md"]) {
  test(`the tour of ${document} prints what it says`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "branchline-tour-"));
    try {
      await cp(join(ROOT, "examples"), join(folder, "examples"), { recursive: true });
      const all = steps(await readFile(join(ROOT, document), "utf8"));
      assert.ok(all.length >= 5);
      const bin = join(ROOT, "bin/branchline.js");
      const env = { ...process.env, BRANCHLINE_HOME: join(folder, "home"), NO_COLOR: "1" };
      for (const step of all) {
        const script = `exec 2>&1; branchline() { "${process.execPath}" "${bin}" "$@"; }; ${step.command}`;
        const { stdout } = await run("bash", ["-c", script], { cwd: folder, env });
        assertShown(step, stdout);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
