import { unarchivedPath } from "../../io/archive-file-system.ts";
import { sessionUnknown } from "../refusals.ts";
import type { Environment } from "./environment.ts";

/**
 * The path, or that of the archive which the session at this path has become since. Throws
 * SESSION_UNKNOWN where nothing is.
 */
export async function presentPath(env: Environment, path: string): Promise<string> {
  for (const present of path.endsWith(".jsonl") ? [path, `${path}.zst`] : [path]) {
    if ((await env.fileSystem.stat(present)) !== undefined) return present;
  }
  throw sessionUnknown(path);
}

/**
 * Runs `work` with the real path of a session file while its lock is held; a session has one lock,
 * archived or not. Throws SESSION_UNKNOWN, STORE_BUSY and what `work` throws.
 */
export async function withSessionLock<T>(
  env: Environment,
  path: string,
  work: (real: string) => Promise<T>,
): Promise<T> {
  const real = await env.fileSystem.realpath(await presentPath(env, path));
  const lock = env.makeLock(unarchivedPath(real));
  try {
    await lock.acquire({ timeoutMs: env.lockTimeoutMs });
    return await work(real);
  } finally {
    await lock.close();
  }
}
