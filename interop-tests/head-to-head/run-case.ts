import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Facts, Outcome, Row, Verdict } from "./row.ts";
import type { SideName } from "./side.ts";

const CHILD = join(import.meta.dirname, "child.ts");
const SECONDS = 12;
/** Enough for the largest case that is meant to work, in MB of heap. */
const HEAP_MB = 2048;

/** Runs one case on one side and judges it. `seconds` is a limit for all cases, where it is less. */
export async function runCase(
  row: Row,
  index: number,
  options: { readonly side: SideName; readonly seconds?: number },
): Promise<Verdict> {
  const { side } = options;
  const reason = row.notRun?.[side] ?? row.needs?.() ?? null;
  if (reason !== null) return { grade: "none", text: `not run: ${reason}` };
  const base = mkdtempSync(join(tmpdir(), "branchline-head-to-head-"));
  const folder = join(base, "sessions");
  mkdirSync(folder);
  const file = join(folder, "session.jsonl");
  const undo = row.prepare?.(folder, file);
  try {
    const seconds = Math.min(row.seconds ?? SECONDS, options.seconds ?? Number.POSITIVE_INFINITY);
    return row.judge(await runChild([side, `${index}`, folder, file], seconds));
  } finally {
    undo?.();
    rmSync(base, { recursive: true, force: true });
  }
}

async function runChild(args: readonly string[], seconds: number): Promise<Outcome> {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${HEAP_MB}`, CHILD, ...args],
    { stdio: ["ignore", "ignore", "pipe", "pipe"], detached: true, env: plainEnvironment() },
  );
  let facts: Facts = {};
  let last: Readonly<Record<string, unknown>> = {};
  let said = "";
  let hung = false;
  child.stderr?.on("data", (data: Buffer) => {
    said += data;
  });
  const told = createInterface({ input: child.stdio[3] as Readable });
  told.on("line", (line) => {
    const piece = JSON.parse(line) as Readonly<Record<string, unknown>>;
    facts = { ...facts, ...(piece.facts as Facts | undefined) };
    last = { ...last, ...piece };
  });
  const limit = setTimeout(() => {
    hung = true;
    // Its own children with it.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, seconds * 1000);
  const [code, signal] = await once(child, "close");
  clearTimeout(limit);
  // What does not even begin says nothing about an engine.
  if (last.step === undefined) throw new Error(`the case could not be started: ${said}`);
  const step = String(last.step);
  const rest = { facts: { ...facts, rssMb: last.rssMb }, step, spoke: said !== "" };
  if (hung) return { ...rest, how: "hang", detail: `${seconds} s` };
  if (last.end === undefined)
    return { ...rest, how: "died", detail: `${signal ?? `exit ${code}`}` };
  if (last.end === "threw") return { ...rest, how: "threw", detail: String(last.detail) };
  return { ...rest, how: "ended", detail: "" };
}

/** Without the condition by which scripts of this project find their sources: Pi's packages know it too. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const options = (process.env.NODE_OPTIONS ?? "").replace(/--conditions[= ]source/g, "");
  return { ...process.env, NODE_OPTIONS: options };
}
