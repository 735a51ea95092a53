/**
 * `npm run tour`: the tour. Lists the sample sessions, draws one as a tree, shows what the model sees,
 * moves the leaf to another branch, and proves with a process of its own that the move lasted. Works
 * on a copy, so that the samples never change.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { styleText } from "node:util";
import { run } from "../src/cli/main.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const SAMPLES = "examples/sessions";
const SAMPLE = "v3-tui-branches.jsonl";
/** The last answer on the branch "Idea A" of the sample. */
const OTHER_BRANCH = "bf55a0f2";

const used: string[] = [];

function say(text: string): void {
  console.log(`\n${styleText("bold", text)}`);
}

/** A word as a shell needs it. */
function quoted(word: string): string {
  return /^[\w./~@:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

async function branchline(...args: string[]): Promise<void> {
  const command = `branchline ${args.map(quoted).join(" ")}`;
  used.push(command);
  console.log(styleText("cyan", `$ ${command}`));
  const code = await run(args);
  if (code !== 0) process.exit(code);
}

/** The leaf's position as a new process reads it. */
function positionInAnotherProcess(session: string): string {
  const args = [path.join(ROOT, "bin/branchline.js"), "status", session, "--json"];
  const done = spawnSync(process.execPath, args, { encoding: "utf8" });
  const status: unknown = done.status === 0 ? JSON.parse(done.stdout) : null;
  const isRow = typeof status === "object" && status !== null && "position" in status;
  return isRow ? String(status.position) : `unknown: ${done.stderr}`;
}

async function tour(): Promise<void> {
  process.chdir(ROOT);
  const copy = path.join(mkdtempSync(path.join(tmpdir(), "branchline-tour-")), SAMPLE);
  copyFileSync(path.join(SAMPLES, SAMPLE), copy);

  say("1. The sample sessions, recorded with real programs");
  await branchline("ls", "--root", SAMPLES);
  say("2. One of them as a tree (a copy: the samples never change); ● is the path to the leaf");
  await branchline("tree", copy);
  say("3. What the model sees at the leaf, shortened");
  await branchline("context", copy, "--short");
  say("4. Move the leaf to the other idea; nothing is deleted");
  const before = positionInAnotherProcess(copy);
  await branchline("switch", OTHER_BRANCH, "-s", copy);
  say("5. What the model sees there, shortened");
  await branchline("context", copy, "--short");
  say("6. A new process opens the session: did the move last?");
  const after = positionInAnotherProcess(copy);
  const lasted = after === OTHER_BRANCH && before !== after;
  console.log(
    `before the move ${before}, now ${after}: ${lasted ? "it lasted" : "IT DID NOT LAST"}`,
  );

  say("The commands (inside this clone: npm run -s branchline -- …)");
  for (const command of used) console.log(`  ${command}`);
  say("Go on with the copy, for example");
  for (const next of [`undo ${copy}`, `log --graph ${copy}`, `fsck ${copy}`, "--help"]) {
    console.log(`  npm run -s branchline -- ${next}`);
  }
  if (!lasted) process.exitCode = 1;
}

await tour();
