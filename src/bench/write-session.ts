import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { ioFailed } from "../io/io-failure.ts";
import type { GeneratorOptions } from "./session-generator.ts";

/** A session file that is to be written. */
export interface SessionJob {
  /** Is overwritten. */
  readonly file: string;
  readonly options: GeneratorOptions;
  /** Name of the session. */
  readonly name: string;
}

/** `.ts` in a clone, `.js` in the built package. */
const PROCESS_FILE = join(
  import.meta.dirname,
  `session-process${import.meta.filename.slice(import.meta.filename.lastIndexOf("."))}`,
);

/** Writes a generated session in a process of low priority. Throws IO_FAILED where that fails. */
export async function writeSession(
  job: SessionJob,
  onProgress: (entries: number) => void,
): Promise<void> {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", PROCESS_FILE, JSON.stringify(job)],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let talk = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    talk = (talk + text).slice(-1000);
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.once("error", (error) => {
    talk += error.message;
  });
  for await (const line of createInterface(child.stdout)) onProgress(Number(line));
  if ((await closed) === 0) return;
  throw ioFailed({ operation: "write", path: job.file }, "UNKNOWN", talk);
}
