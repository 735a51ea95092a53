import type { Entry } from "../../entry/entry.ts";
import { BranchlineError } from "../../errors.ts";
import { planCommit } from "../commit-plan.ts";
import { replayCommit } from "../commit-replay.ts";
import { storeClosed } from "../refusals.ts";
import { appendUnknown } from "./append-unknown.ts";
import type { WaitingCommit } from "./commit-pump.ts";
import { encodeCommit } from "./encoded-commit.ts";
import type { Environment } from "./environment.ts";
import { PlannedTree } from "./planned-tree.ts";
import type { SessionFile } from "./session-file.ts";
import { syncFile, takeBackUnsynced } from "./sync-file.ts";
import { repairTail } from "./tail-repair.ts";
import { upgradeFile } from "./upgrade-file.ts";
import type { WrittenEntry } from "./written-entry.ts";

const NOTHING: Uint8Array = new Uint8Array(0);

interface PlannedCommit {
  readonly waiting: WaitingCommit;
  readonly entries: readonly Entry[];
  readonly lines: readonly Uint8Array[];
}

interface Batch {
  readonly planned: readonly PlannedCommit[];
  /** Commits whose key is known, or used by an earlier one of this batch: they are answered last. */
  readonly repeated: readonly WaitingCommit[];
}

/** What came of a batch besides the answers. */
export interface BatchOutcome {
  /** The file to go on with: another one after an upgrade. The caller closes the old one. */
  readonly session: SessionFile;
  /** Ids of the entries that were added. */
  readonly added: ReadonlySet<string>;
  /** Why the handle has to be given up, or undefined. */
  readonly failure: unknown;
  /** Tells the callers whose commits went through; call it when they can read them. */
  readonly answer: () => void;
}

/**
 * Writes one batch of commits to a session file that was just caught up, under the lock: each is
 * decided against the tree with the ones before it, then all go out in one write and one sync. Nobody
 * sees them before, so a failed write has changed nothing (P5). Answers every commit; throws nothing.
 */
export async function writeBatch(
  session: SessionFile,
  commits: readonly WaitingCommit[],
  env: Environment,
): Promise<BatchOutcome> {
  const { planned, repeated } = planBatch(session, commits, env);
  let written = session;
  try {
    if (planned.length > 0) written = await write(session, planned, env);
  } catch (error) {
    const refuse = (waiting: WaitingCommit): void =>
      waiting.reject(withKey(error, session.file.path, waiting.request.key));
    for (const { waiting } of planned) refuse(waiting);
    repeated.forEach(refuse);
    const failure = isUnknown(error) ? storeClosed() : undefined;
    return { session, added: new Set(), failure, answer: () => undefined };
  }
  const failure = repeated.length === 0 ? undefined : await replayAll(written, repeated, env);
  const added = new Set(planned.flatMap(({ entries }) => entries.map(({ id }) => id)));
  const answer = (): void => {
    for (const { waiting, entries } of planned) waiting.resolve({ entries, replayed: false });
  };
  return { session: written, added, failure, answer };
}

function planBatch(
  session: SessionFile,
  commits: readonly WaitingCommit[],
  env: Environment,
): Batch {
  const planned: PlannedCommit[] = [];
  const repeated: WaitingCommit[] = [];
  const keys = new Set<string>();
  const tree = new PlannedTree(session.tree);
  let last: readonly Entry[] = [];
  for (const waiting of commits) {
    const { key } = waiting.request;
    if (key !== undefined && (keys.has(key) || session.idsOfKey(key) !== undefined)) {
      repeated.push(waiting);
      continue;
    }
    // Not before somebody is to be decided behind them.
    for (const entry of last) tree.add(entry);
    last = [];
    try {
      const made = plan(tree, waiting, env);
      planned.push(made);
      last = made.entries;
      if (key !== undefined) keys.add(key);
    } catch (error) {
      waiting.reject(error);
    }
  }
  return { planned, repeated };
}

function plan(tree: PlannedTree, waiting: WaitingCommit, env: Environment): PlannedCommit {
  const { request, texts } = waiting;
  const entries = planCommit(request, { tree, now: env.clock.now(), random: env.random });
  const drafts = request.entries.map((draft, index) => ({ draft, text: texts[index] as string }));
  const lines = encodeCommit(entries, { key: request.key, random: env.random, drafts });
  return { waiting, entries, lines };
}

/** Gives the file that the entries stand in, on stable storage. */
async function write(
  session: SessionFile,
  planned: readonly PlannedCommit[],
  env: Environment,
): Promise<SessionFile> {
  const lines = planned.flatMap((one) => one.lines);
  if (session.version < 3) return await upgradeFile(session, lines, env);
  const seal = session.isClean ? NOTHING : await repairTail(session);
  const bytes = joined(seal.length === 0 ? lines : [seal, ...lines]);
  const range = await append(session, bytes, env);
  if (range === undefined || session.file.known !== range.end) {
    // Something unknown stands before our lines: a sealed line, or what a program without our lock
    // wrote in between. All of it is on disk, in the order of the file.
    await readBack(session);
  } else session.accept(writtenEntries(planned), { start: range.start, sealed: seal.length });
  return session;
}

/** Lines that stand one behind the other in memory, the usual case, are not copied. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const { buffer, byteOffset } = parts[0] as Uint8Array;
  let end = byteOffset;
  for (const part of parts) {
    if (part.buffer !== buffer || part.byteOffset !== end) return Buffer.concat(parts);
    end += part.length;
  }
  return new Uint8Array(buffer, byteOffset, end - byteOffset);
}

async function append(
  session: SessionFile,
  bytes: Uint8Array,
  env: Environment,
): Promise<{ readonly start: number; readonly end: number } | undefined> {
  const { file } = session;
  const start = file.size;
  try {
    return await file.append(bytes, { durability: env.durability });
  } catch (error) {
    if (isUnknown(error)) await takeBackUnsynced(session, { start, length: bytes.length }, env);
    // Where something is left behind, readers may find whole lines of ours in it.
    else if (file.torn || file.size !== start) throw appendUnknown(file.path, error);
    throw error;
  }
}

async function readBack(session: SessionFile): Promise<void> {
  try {
    await session.catchUp();
    session.markDurable();
  } catch (error) {
    throw appendUnknown(session.file.path, error);
  }
}

function writtenEntries(planned: readonly PlannedCommit[]): readonly WrittenEntry[] {
  return planned.flatMap(({ entries, lines, waiting }) =>
    entries.map((entry, index) => ({
      entry,
      bytes: (lines[index] as Uint8Array).length,
      key: waiting.request.key,
    })),
  );
}

/**
 * Answers commits whose key is known. What another handle wrote may not have reached the disk when
 * its writer died, so it is synced first (P1). Gives the failure of that.
 */
async function replayAll(
  session: SessionFile,
  repeated: readonly WaitingCommit[],
  env: Environment,
): Promise<unknown> {
  const idsOf = (waiting: WaitingCommit): readonly string[] =>
    session.idsOfKey(waiting.request.key as string) as readonly string[];
  try {
    const isDurable = repeated.every((waiting) =>
      idsOf(waiting).every((id) => session.isDurable(id)),
    );
    if (!isDurable) await syncFile(session, env);
  } catch (error) {
    for (const waiting of repeated) {
      waiting.reject(withKey(error, session.file.path, waiting.request.key));
    }
    return storeClosed();
  }
  for (const waiting of repeated) {
    const { key, entries: drafts } = waiting.request;
    try {
      const stored = await storedEntries(session, idsOf(waiting), env);
      waiting.resolve(replayCommit({ key: key as string, stored, drafts }));
    } catch (error) {
      waiting.reject(error);
    }
  }
  return undefined;
}

async function storedEntries(
  session: SessionFile,
  ids: readonly string[],
  env: Environment,
): Promise<readonly Entry[]> {
  const found = await session.load(ids);
  const whole = async (id: string): Promise<Entry> => {
    const entry = found?.get(id) as Entry;
    return (await env.resolvePayload(entry)) ?? entry;
  };
  if (found !== null) return await Promise.all(ids.map(whole));
  throw new BranchlineError(
    "FILE_REPLACED",
    { path: session.file.path },
    {
      message: `${session.file.path} holds something else than the index says.`,
      hint: "Open the session again: it will be read as a whole.",
    },
  );
}

function isUnknown(error: unknown): boolean {
  return BranchlineError.is(error, "APPEND_UNKNOWN");
}

/** A retry is safe with the same key, so the error of an unknown outcome names it. */
function withKey(error: unknown, path: string, key: string | undefined): unknown {
  return isUnknown(error) ? appendUnknown(path, error, key) : error;
}
