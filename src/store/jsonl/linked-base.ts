import { createHash } from "node:crypto";
import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { freezeDeep } from "../../entry/freeze.ts";
import { gapEntry, uncompactEntry } from "../../entry/own-state.ts";
import type { Problem } from "../../entry/problem.ts";
import type { SessionBase } from "../../entry/session-base.ts";
import { copiedPath } from "../../tree/copied-path.ts";
import { PathBase } from "../../tree/path-base.ts";
import type { TreeBase } from "../../tree/tree-base.ts";
import type { TreeEntry } from "../../tree/tree-entry.ts";
import type { SessionLink, StoreSession } from "../store.ts";

/** Characters of an id of our own (80 bits in hex). */
const OWN_ID_LENGTH = 20;

/** What a session file reads from the session that it is linked to. */
export interface EntriesBelow {
  readonly link: SessionLink;
  /** The entries of the path, as this session has them. Worked out when it is first asked for. */
  readonly tree: TreeBase;
  readonly problems: readonly Problem[];
  /** The entries with these ids, frozen, as many as there are. Throws FILE_MISSING, and as reading the base does. */
  load(ids: readonly string[]): Promise<ReadonlyMap<string, Entry>>;
  /** Lets go of the base. */
  close(): Promise<void>;
}

/** A session that is read as a base. Whoever took it releases it, once. */
export interface TakenBase {
  readonly session: StoreSession;
  release(): Promise<void>;
}

/** What a {@link LinkedBase} is made of. */
export interface LinkedBaseOptions {
  /** The header of the linked session, and the base that it names. */
  readonly header: SessionHeader;
  readonly base: SessionBase;
  /** The path in the base, root first, asked for once; what is missing of it. */
  readonly path: () => readonly TreeEntry[];
  /** Why the end of the path is not there, or null. */
  readonly missing: string | null;
  /** What the base itself says that it misses. */
  readonly further: readonly Problem[];
  /** The base as it was found, or null: then it is looked for when an entry is asked for. */
  readonly taken: TakenBase | null;
  /** Looks for the base, and for another one than `stale`. Throws FILE_MISSING. */
  readonly find: (stale?: StoreSession) => Promise<TakenBase>;
}

interface View {
  readonly tree: PathBase;
  /** Entries that no file holds: placeholders and marks. */
  readonly made: ReadonlyMap<string, Entry>;
  /** What compactions keep from that another entry follows here. */
  readonly kept: ReadonlyMap<string, string>;
}

/**
 * A path of another session as the beginning of this one: the same entries that a copy would have
 * (`copiedPath`), with the same parents, read from where they are (F121). Where the end of the path is
 * missing, a placeholder stands under its id, so that what hangs there stays in its place behind a gap.
 */
export class LinkedBase implements EntriesBelow {
  readonly problems: readonly Problem[];
  readonly #options: LinkedBaseOptions;
  #known: View | null = null;
  #taken: Promise<TakenBase> | null;

  constructor(options: LinkedBaseOptions) {
    const { base, missing, further, taken } = options;
    this.#options = options;
    this.#taken = taken === null ? null : Promise.resolve(taken);
    this.problems = missing === null ? further : [baseMissing(base, missing), ...further];
  }

  get link(): SessionLink {
    return { ...this.#options.base, entries: this.tree.size };
  }

  get tree(): PathBase {
    return this.#view.tree;
  }

  async load(ids: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    const { tree, made, kept } = this.#view;
    const found = new Map<string, Entry>();
    const wanted: string[] = [];
    for (const id of ids) {
      const entry = made.get(id);
      if (entry !== undefined) found.set(id, entry);
      else if (tree.get(id) !== undefined) wanted.push(id);
    }
    for (const entry of wanted.length === 0 ? [] : await this.#read(wanted)) {
      const { storedParentId: parentId } = tree.get(entry.id) as TreeEntry;
      const firstKeptEntryId = kept.get(entry.id);
      const isSame = entry.parentId === parentId && firstKeptEntryId === undefined;
      const change = firstKeptEntryId === undefined ? {} : { firstKeptEntryId };
      found.set(entry.id, isSame ? entry : freezeDeep({ ...entry, parentId, ...change }));
    }
    return found;
  }

  async close(): Promise<void> {
    const taken = await this.#taken?.catch(() => null);
    this.#taken = null;
    await taken?.release();
  }

  get #view(): View {
    this.#known ??= viewOf(this.#options);
    return this.#known;
  }

  async #read(ids: readonly string[]): Promise<readonly Entry[]> {
    const taking = this.#take();
    const taken = await taking;
    try {
      return await taken.session.getAll(ids);
    } catch {
      // Its file was replaced (repair, archive, relocate…): another one holds the same entries.
      const isFirst = this.#taken === taking;
      if (isFirst) this.#taken = null;
      const again = this.#take(taken.session);
      if (isFirst) await taken.release();
      return await (await again).session.getAll(ids);
    }
  }

  #take(stale?: StoreSession): Promise<TakenBase> {
    if (this.#taken !== null) return this.#taken;
    const taking = this.#options.find(stale);
    this.#taken = taking;
    taking.catch(() => {
      // The next question looks again.
      this.#taken = null;
    });
    return taking;
  }
}

function viewOf({ header, base, path, missing }: LinkedBaseOptions): View {
  const { id: session, timestamp } = header;
  // A name tells one session from another, so it does not come along.
  const tree = new PathBase(session, () => null);
  const made = new Map<string, Entry>();
  const kept = new Map<string, string>();
  const add = (make: (parentId: string | null) => Entry): void => {
    const entry = freezeDeep(make(tree.at(tree.size - 1)?.id ?? null));
    made.set(entry.id, entry);
    tree.addNew(entry);
  };
  for (const step of copiedPath(path()).steps) {
    if (step.kind === "gap") {
      const { id: behind, timestamp: time } = step.behind;
      const id = placeholderId(session, behind);
      add((parentId) => gapEntry({ id, parentId, timestamp: time, session, ...step.gap }));
      continue;
    }
    const { at } = step;
    if (step.kind === "same") tree.addSame(at);
    else if (step.kind === "kept") {
      kept.set(at.id, step.firstKeptEntryId);
      tree.addSame(at, step.firstKeptEntryId);
    } else {
      const { id, timestamp: time } = at;
      add((parentId) => uncompactEntry({ id, parentId, timestamp: time }, { ...step, session }));
    }
  }
  if (missing !== null) {
    const gap = { session, reason: "missing-parent", missingId: base.entry } as const;
    add((parentId) => gapEntry({ id: base.entry, parentId, timestamp, ...gap }));
  }
  return { tree, made, kept };
}

/** The same gap has the same id whenever the session is opened. */
function placeholderId(session: string, behind: string): string {
  const seed = JSON.stringify([session, behind, 0]);
  return createHash("sha256").update(seed).digest("hex").slice(0, OWN_ID_LENGTH);
}

/** The header, which names the base, is the first line. */
function baseMissing({ session, entry }: SessionBase, missing: string): Problem {
  const message = `The session ${session}, which this one is linked to, ${missing}.`;
  return { code: "BASE_MISSING", line: 1, byteStart: 0, byteEnd: 0, entryId: entry, message };
}
