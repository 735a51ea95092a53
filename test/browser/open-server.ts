import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** A running `branchline serve` on folders of its own. */
export interface TestServer {
  /** With the token as its fragment. */
  readonly address: string;
  readonly origin: string;
  readonly token: string;
  readonly port: number;
  /** Folder of the sessions. */
  readonly root: string;
  /** Ends the process; `restart` uses it too. */
  readonly stop: () => Promise<void>;
}

/** What a server is started with. */
export interface ServerOptions {
  /** Folder of the sessions; a new one by default. */
  readonly root?: string;
  readonly home?: string;
  /** 0 = any. */
  readonly port?: number;
  readonly samples?: boolean;
  /** Kept over starts, for a page that is to come back by itself; a new one by default. */
  readonly token?: string;
}

/** Starts a server and waits for its address. Throws when it ends before that. */
export async function openServer(options: ServerOptions = {}): Promise<TestServer> {
  const home = options.home ?? (await mkdtemp(path.join(tmpdir(), "branchline-browser-")));
  const root = options.root ?? path.join(home, "sessions");
  const args = [
    "bin/branchline.js",
    "serve",
    "--json",
    "--port",
    String(options.port ?? 0),
    "--root",
    root,
  ];
  if (options.samples !== true) args.push("--without-samples");
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, HOME: home, BRANCHLINE_TOKEN: options.token ?? "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = await firstLine(child);
  const { address, origin, token, port } = JSON.parse(said);
  const stop = async (): Promise<void> => {
    await end(child);
    if (options.home === undefined) await rm(home, { recursive: true, force: true });
  };
  return { address, origin, token, port, root, stop };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new TypeError("no output"));
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new TypeError(`the server ended with ${code}`)));
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}
