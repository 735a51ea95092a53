import { createHash } from "node:crypto";
import type { Entry } from "../../entry/entry.ts";
import { MAX_ENTRY_ID_LENGTH } from "../../entry/ids.ts";
import { encodeEntry, encodeHeader } from "../../entry/line-encode.ts";
import { gapEntry } from "../../entry/own-state.ts";
import type { LinePlace } from "../../entry/problem.ts";
import { BranchlineError } from "../../errors.ts";
import { isArchivePath } from "../../io/archive-file-system.ts";
import { publish } from "../../io/publish.ts";
import type { Gap } from "../../tree/tree-entry.ts";
import { type Environment, environment } from "./environment.ts";
import { archivedReadOnly } from "./open-elsewhere.ts";
import { planActions, type RepairAction, type RepairPlan } from "./repair-plan.ts";
import { scanBytes } from "./scan-bytes.ts";
import { SessionFile } from "./session-file.ts";
import { presentPath, withSessionLock } from "./session-lock-hold.ts";

/** Characters of an id of our own (80 bits in hex). */
const OWN_ID_LENGTH = 20;

/** What a repair did. */
export interface RepairResult extends RepairPlan {
  /** The file as it was before, or null where nothing was changed. */
  readonly original: string | null;
  /** Side file with the lines that left the file or were written again, or null. */
  readonly quarantine: string | null;
}

/** What {@link planRepair} and {@link applyRepair} run on. Default: this machine. */
export type RepairOptions = Partial<Environment>;

/** Says what a repair would do, and writes nothing. Throws SESSION_UNKNOWN, and as opening the file does. */
export async function planRepair(path: string, options: RepairOptions = {}): Promise<RepairPlan> {
  const env = environment(options);
  const present = await presentPath(env, path);
  const session = await SessionFile.open(env.fileSystem, present, { mode: "read" });
  await session.file.close();
  return planOf(session);
}

/**
 * Repairs a session file under its lock (design.md §2, R8): unreadable lines go to a side file, glued
 * ones are split, gaps get a placeholder that stays visible. The repaired file is published
 * atomically after it was read back; the original stays beside it. Throws SESSION_UNKNOWN, STORE_BUSY,
 * SESSION_READ_ONLY for a newer format, FILE_REPLACED when somebody wrote meanwhile, IO_FAILED.
 */
export async function applyRepair(
  path: string,
  options: RepairOptions = {},
): Promise<RepairResult> {
  const env = environment(options);
  return await withSessionLock(env, path, async (real) => {
    if (isArchivePath(real)) throw archivedReadOnly(real);
    const session = await SessionFile.open(env.fileSystem, real, { mode: "read" });
    try {
      return await repair(session, env);
    } finally {
      await session.file.close();
    }
  });
}

function planOf(session: SessionFile): RepairPlan {
  const actions = planActions(session);
  return {
    file: session.file.path,
    actions,
    changes: actions.some((action) => action.kind !== "leave"),
  };
}

async function repair(session: SessionFile, env: Environment): Promise<RepairResult> {
  const plan = planOf(session);
  if (!plan.changes) return { ...plan, original: null, quarantine: null };
  if (plan.actions.some((action) => action.code === "VERSION_NEWER")) throw newerFormat(plan.file);
  const { fileSystem, random, durability } = env;
  const stamp = new Date(env.clock.now()).toISOString().replace(/[:.]/g, "-");
  const original = `${plan.file}.before-repair-${stamp}`;
  const quarantine = `${plan.file}.quarantine-${stamp}`;
  const unchanged = await fileSystem.stat(plan.file);
  const common = { random, durability, overwrite: "never" } as const;
  await publish(fileSystem, {
    ...common,
    path: quarantine,
    content: quarantined(session, plan.actions),
  });
  await publish(fileSystem, {
    ...common,
    path: original,
    content: scanBytes(fileSystem, plan.file),
  });
  await publish(fileSystem, {
    ...common,
    path: plan.file,
    content: repaired(session, plan.actions),
    overwrite: "replace",
    verify: (temporary) => verify(env, temporary, session),
    ...(unchanged === undefined ? {} : { ifUnchanged: unchanged }),
  });
  return { ...plan, original, quarantine };
}

function newerFormat(path: string): BranchlineError<"SESSION_READ_ONLY"> {
  const reason = "its format is newer than this program";
  return new BranchlineError(
    "SESSION_READ_ONLY",
    { reason },
    { message: `${path} cannot be repaired: ${reason}.`, place: { file: path } },
  );
}

/** Every touched line as it was: one JSON line each, the bytes in base64, so that nothing is lost. */
async function* quarantined(
  session: SessionFile,
  actions: readonly RepairAction[],
): AsyncGenerator<Uint8Array> {
  const touched = actions.filter(({ kind }) => kind === "quarantine" || kind === "rewrite-line");
  for (const { code, line, byteStart, byteEnd } of touched) {
    const bytes = await session.file.read(byteStart, byteEnd - byteStart);
    const base64 = Buffer.from(bytes).toString("base64");
    yield Buffer.from(`${JSON.stringify({ code, line, byteStart, byteEnd, base64 })}\n`);
  }
}

async function* repaired(
  session: SessionFile,
  actions: readonly RepairAction[],
): AsyncGenerator<Uint8Array> {
  const rewrite = new LineRanges(actions.filter(({ kind }) => kind === "rewrite-line"));
  yield encodeHeader(session.header);
  const placeholders = new Set<string>();
  for (const at of session.tree.entries()) {
    const entry = session.get(at.id) as Entry;
    const place = session.placeOf(at.id) as LinePlace;
    let { parentId } = entry;
    if (at.gap !== null && !session.isHalf) {
      const { timestamp, gap } = at;
      parentId = placeholderId(session, at.id, gap);
      if (!placeholders.has(parentId)) {
        const place = { id: parentId, parentId: at.parent?.id ?? null, timestamp };
        yield encodeEntry(gapEntry({ ...place, ...gap, session: session.header.id }));
      }
      placeholders.add(parentId);
    }
    const isUntouched =
      session.version === 3 && parentId === entry.parentId && !rewrite.covers(place);
    if (isUntouched) yield await rawLine(session, place);
    else yield encodeEntry({ ...entry, parentId });
  }
}

/**
 * The missing entry's own id where it has one, so that every child of it is bridged at once; else one
 * made from the entry behind the gap, so that the same file is always repaired to the same bytes.
 */
function placeholderId(session: SessionFile, behind: string, { reason, missingId }: Gap): string {
  const isOwn = reason === "missing-parent" && missingId !== "";
  if (isOwn && missingId.length <= MAX_ENTRY_ID_LENGTH) return missingId;
  for (let number = 0; ; number++) {
    const seed = JSON.stringify([session.header.id, behind, number]);
    const id = createHash("sha256").update(seed).digest("hex").slice(0, OWN_ID_LENGTH);
    if (!session.tree.has(id)) return id;
  }
}

async function rawLine(session: SessionFile, place: LinePlace): Promise<Uint8Array> {
  const bytes = await session.file.read(place.byteStart, place.byteEnd - place.byteStart);
  return Buffer.concat([bytes, Uint8Array.of(0x0a)]);
}

/** The repaired file must hold every entry of the old one, and no gap without its placeholder. */
async function verify(env: Environment, path: string, before: SessionFile): Promise<void> {
  const after = await SessionFile.open(env.fileSystem, path, { mode: "read" });
  await after.file.close();
  const isMissing = [...before.tree.entries()].some((at) => !after.tree.has(at.id));
  const isDamaged = planActions(after).some(({ kind }) => kind !== "leave");
  if (!isMissing && !isDamaged) return;
  throw new BranchlineError(
    "LOG_DAMAGED",
    { problems: planActions(after).length },
    {
      message: `The repair of ${before.file.path} would not come out clean; nothing was changed.`,
      place: { file: before.file.path },
    },
  );
}

/** Answers whether a line lies in one of many byte ranges, by binary search. */
class LineRanges {
  readonly #starts: readonly number[];
  readonly #ends: readonly number[];

  constructor(places: readonly LinePlace[]) {
    const sorted = [...places].sort((a, b) => a.byteStart - b.byteStart);
    this.#starts = sorted.map((place) => place.byteStart);
    let end = 0;
    this.#ends = sorted.map((place) => {
      end = Math.max(end, place.byteEnd);
      return end;
    });
  }

  covers(place: LinePlace): boolean {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= place.byteStart) low = middle + 1;
      else high = middle;
    }
    return low > 0 && (this.#ends[low - 1] as number) > place.byteStart;
  }
}
