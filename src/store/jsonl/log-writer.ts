import type { Entry } from "../../entry/entry.ts";
import type { DecodedEntry } from "../../entry/session-decoder.ts";
import { BranchlineError } from "../../errors.ts";
import { planCommit } from "../commit-plan.ts";
import { replayCommit } from "../commit-replay.ts";
import type { CommitResult } from "../store.ts";
import type { WaitingCommit } from "./commit-pump.ts";
import { encodeCommit } from "./encoded-commit.ts";
import type { Environment } from "./environment.ts";
import type { SessionFile } from "./session-file.ts";
import { repairTail } from "./tail-repair.ts";

interface PlannedCommit {
  readonly waiting: WaitingCommit;
  readonly entries: readonly Entry[];
  readonly lines: readonly Uint8Array[];
}

/**
 * Writes one batch of commits to a session file that was just caught up, under the lock: each is
 * decided against the tree with the ones before it, then all go out in one write and one sync. A
 * failed write takes all of it back (P5). Gives the entries that were added.
 */
export async function writeBatch(
  session: SessionFile,
  batch: readonly WaitingCommit[],
  env: Environment,
): Promise<readonly Entry[]> {
  const before = session.tree.size;
  const planned: PlannedCommit[] = [];
  const repeated: WaitingCommit[] = [];
  for (const waiting of batch) {
    const { key } = waiting.request;
    // The first commit with this key goes out in this very batch; the answer waits for it.
    if (planned.some((one) => key !== undefined && one.waiting.request.key === key)) {
      repeated.push(waiting);
      continue;
    }
    const one = plan(session, waiting, env);
    if (one !== null) planned.push(one);
  }
  if (planned.length === 0) return [];
  const entries = planned.flatMap((one) => one.entries);
  try {
    await write(session, planned, env);
  } catch (error) {
    session.tree.rollback(session.tree.size - before);
    const waiting = [...planned.map((one) => one.waiting), ...repeated];
    for (const one of waiting) one.reject(withKey(error, one.request.key));
    return [];
  }
  for (const one of planned) one.waiting.resolve({ entries: one.entries, replayed: false });
  for (const waiting of repeated) plan(session, waiting, env);
  return entries;
}

/** A retry is safe with the same key, so the error of an unknown outcome names it. */
function withKey(error: unknown, key: string | undefined): unknown {
  if (!BranchlineError.is(error, "APPEND_UNKNOWN")) return error;
  const { message, hint, place, cause } = error;
  return new BranchlineError(
    "APPEND_UNKNOWN",
    { key: key ?? null },
    {
      message,
      cause,
      ...(hint === undefined ? {} : { hint }),
      ...(place === undefined ? {} : { place }),
    },
  );
}

/** Decides one commit and puts its entries into the tree, or answers it and gives null. */
function plan(
  session: SessionFile,
  waiting: WaitingCommit,
  env: Environment,
): PlannedCommit | null {
  const { request } = waiting;
  try {
    const replay = replayed(session, request);
    if (replay !== null) {
      waiting.resolve(replay);
      return null;
    }
    const context = { tree: session.tree, now: env.clock.now(), random: env.random };
    const entries = planCommit(request, context);
    const lines = encodeCommit(entries, { key: request.key, random: env.random });
    for (const entry of entries) session.tree.add(entry);
    return { waiting, entries, lines };
  } catch (error) {
    waiting.reject(error);
    return null;
  }
}

function replayed(session: SessionFile, request: WaitingCommit["request"]): CommitResult | null {
  const { key } = request;
  const ids = key === undefined ? undefined : session.idsOfKey(key);
  if (key === undefined || ids === undefined) return null;
  const stored = ids.map((id) => session.get(id) as Entry);
  return replayCommit({ key, stored, drafts: request.entries });
}

async function write(
  session: SessionFile,
  planned: readonly PlannedCommit[],
  env: Environment,
): Promise<void> {
  const prefix = await repairTail(session);
  const lines = planned.flatMap((one) => one.lines);
  const range = await session.file.append(Buffer.concat([prefix, ...lines]), {
    durability: env.durability,
  });
  if (range === undefined) {
    // A program without our lock wrote in between; both are on disk, in the order of the file.
    session.tree.rollback(planned.reduce((count, one) => count + one.entries.length, 0));
    await session.catchUp();
    return;
  }
  session.accept(placeLines(planned, range.start + prefix.length, session.nextLine));
}

function placeLines(
  planned: readonly PlannedCommit[],
  start: number,
  firstLine: number,
): readonly DecodedEntry[] {
  const placed: DecodedEntry[] = [];
  let byteStart = start;
  let line = firstLine;
  for (const { entries, lines, waiting } of planned) {
    for (const [index, entry] of entries.entries()) {
      const byteEnd = byteStart + (lines[index] as Uint8Array).length - 1;
      const place = { line, byteStart, byteEnd };
      const key = waiting.request.key ?? null;
      placed.push({ kind: "entry", entry, place, key, commit: null, ours: true });
      byteStart = byteEnd + 1;
      line++;
    }
  }
  return placed;
}
