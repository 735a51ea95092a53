import { sameFile } from "../../io/file-identity.ts";
import type { FileHandle } from "../../io/file-system.ts";
import { appendUnknown } from "./append-unknown.ts";
import type { Environment } from "./environment.ts";
import type { SessionFile } from "./session-file.ts";

/** Brings all that was read to stable storage. Throws APPEND_UNKNOWN where that fails. */
export async function syncFile(session: SessionFile, env: Environment): Promise<void> {
  try {
    if (env.durability === "full") await withFile(session, env, (handle) => handle.datasync());
    session.markDurable();
  } catch (error) {
    throw appendUnknown(session.file.path, error);
  }
}

/**
 * Cuts bytes whose sync failed, so that nobody takes them for written: the kernel may hold them in
 * memory as clean and never write them, then a retry that finds them would promise too much (R6). The
 * retry writes them anew. Under the lock; what other programs added behind them stays, and so do they.
 */
export async function takeBackUnsynced(
  session: SessionFile,
  range: { readonly start: number; readonly length: number },
  env: Environment,
): Promise<void> {
  const { start, length } = range;
  const cut = withFile(session, env, async (handle) => {
    const present = await handle.stat();
    const isOurs = sameFile(present, session.file.identity) && present.size === start + length;
    if (!isOurs) return;
    await handle.truncate(start);
    await handle.datasync();
  });
  // The failed sync is the one to report.
  await cut.catch(() => undefined);
}

/** A descriptor of its own: the one whose sync failed is never trusted again. */
async function withFile(
  session: SessionFile,
  env: Environment,
  work: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const handle = await env.fileSystem.open(session.file.path, "append");
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}
