import type { Entry } from "../entry/entry.ts";
import { BranchlineError } from "../errors.ts";
import {
  type CompactionLink,
  EMPTY_FOLD,
  type Fold,
  foldEntry,
  MAIN_BRANCH,
  type ModelRef,
  type SettingName,
} from "./fold.ts";
import { place } from "./linker.ts";
import { SessionTree } from "./session-tree.ts";
import type { BranchInfo, LabelInfo, TreeEntry } from "./tree-entry.ts";

/** The settings above the part of a path that was read, as far as they were looked for. */
export interface SettingsAbove {
  /** Missing = they were not looked for, since the part sets them itself. */
  readonly found: Partial<Pick<Fold, SettingName>>;
  /** Those of `found` that may be set where nobody looked; the value is then only likely. */
  readonly unproven: readonly SettingName[];
}

/** The end of the path to the stored leaf. */
export interface PathTail {
  /** Id of the session. */
  readonly session: string;
  /** Leaf first, each entry the parent of the one before it. At least one. */
  readonly entries: readonly Entry[];
  /** null where the last one is a root: then all of the path is here. */
  readonly above: SettingsAbove | null;
}

/**
 * The end of the path to the stored leaf, for a session of which no more was read yet: enough for the
 * context. It answers only what follows from these entries, and exactly as the whole tree of a sound
 * file would; any other question throws SESSION_UNVERIFIED. Ordinals count within the tail.
 */
export class TailTree extends SessionTree {
  readonly #entries: readonly TreeEntry[];
  readonly #byId: ReadonlyMap<string, TreeEntry>;
  readonly #above: SettingsAbove | null;

  constructor(tail: PathTail) {
    super(tail.session);
    this.#above = tail.above;
    this.#entries = linked(tail).reverse();
    this.#byId = new Map(this.#entries.map((at) => [at.id, at]));
  }

  /** Settings at an entry of the tail that are only likely, see {@link SettingsAbove}. */
  override unproven(id: string | null): readonly SettingName[] {
    if (id === null) return [];
    const { fold } = this.#mustGet(id);
    return fold instanceof TailFold ? fold.unproven : [];
  }

  override get size(): number {
    throw unverified("the number of entries");
  }

  override add(): boolean {
    throw unverified("an added entry");
  }

  override addNew(): void {
    throw unverified("an added entry");
  }

  override addLost(): void {
    throw unverified("a lost entry");
  }

  override rollback(): void {
    throw unverified("an added entry");
  }

  override get relinks(): number {
    return 0;
  }

  override get(id: string): TreeEntry {
    return this.#mustGet(id);
  }

  override has(id: string): boolean {
    return this.#mustGet(id).id === id;
  }

  override at(): TreeEntry | undefined {
    throw unverified("the order of entries");
  }

  override entries(): IterableIterator<TreeEntry> {
    throw unverified("the list of entries");
  }

  override customOrdinals(): readonly number[] {
    throw unverified("all entries of a type");
  }

  override children(): readonly TreeEntry[] {
    throw unverified("children");
  }

  override *ancestors(id: string | null): IterableIterator<TreeEntry> {
    if (id === null) return;
    const { ordinal } = this.#mustGet(id);
    // Leaf first: the ordinals fall.
    yield* this.#entries.slice(this.#entries.length - 1 - ordinal);
    if (this.#above !== null) throw unverified("the path above what was read");
  }

  override commonAncestor(a: string | null, b: string | null): TreeEntry | null {
    if (a === null || b === null) return null;
    const [left, right] = [this.#mustGet(a), this.#mustGet(b)];
    return left.ordinal < right.ordinal ? left : right;
  }

  override withPrefix(): readonly string[] {
    throw unverified("ids");
  }

  override leaf(): string {
    return (this.#entries[0] as TreeEntry).id;
  }

  override branches(): readonly BranchInfo[] {
    throw unverified("branches");
  }

  override branch(): BranchInfo | undefined {
    throw unverified("branches");
  }

  override branchOf(id: string | null): string {
    return id === null ? MAIN_BRANCH : this.#mustGet(id).fold.branch;
  }

  override head(branch: string): string {
    const leaf = this.leaf();
    if (this.branchOf(leaf) === branch) return leaf;
    throw unverified("another branch");
  }

  override labels(): ReadonlyMap<string, LabelInfo> {
    throw unverified("labels");
  }

  override name(): string | null {
    throw unverified("the session's name");
  }

  #mustGet(id: string): TreeEntry {
    const at = this.#byId.get(id);
    if (at !== undefined) return at;
    throw unverified("an entry outside of what was read");
  }
}

/** The question has to wait: see `StoreSession.whenVerified`. */
export function unverified(what: string): BranchlineError<"SESSION_UNVERIFIED"> {
  return new BranchlineError(
    "SESSION_UNVERIFIED",
    { asked: what },
    {
      message: `Only the end of the session was read yet, which does not tell ${what}.`,
      hint: "Wait for `whenVerified()`, then ask again.",
    },
  );
}

/** Stands for what is set above the tail and was not looked for. */
const UNKNOWN_MODEL: ModelRef = Object.freeze({ provider: "", modelId: "" });
const UNKNOWN_LEVEL = "\u0000";
const UNKNOWN_TOOLS: readonly string[] = Object.freeze([]);
const UNKNOWN_BRANCH = "\u0000";

/** Stands for the compactions above the tail. */
const UNKNOWN_COMPACTION: CompactionLink = Object.freeze({
  get id(): string {
    throw unverified("an older compaction");
  },
  get firstKeptEntryId(): string | null {
    throw unverified("an older compaction");
  },
  get previous(): CompactionLink | null {
    throw unverified("an older compaction");
  },
});

const UNKNOWN_FOLD: Fold = Object.freeze({
  ...EMPTY_FOLD,
  branch: UNKNOWN_BRANCH,
  model: UNKNOWN_MODEL,
  thinkingLevel: UNKNOWN_LEVEL,
  activeTools: UNKNOWN_TOOLS,
  compactions: UNKNOWN_COMPACTION,
});

/** Root first. */
function linked({ session, entries, above }: PathTail): TreeEntry[] {
  const made: TreeEntry[] = [];
  let fold = above === null ? EMPTY_FOLD : UNKNOWN_FOLD;
  for (const [ordinal, entry] of entries.toReversed().entries()) {
    fold = foldEntry(fold, entry, session);
    const parent = made.at(-1) ?? null;
    const seen = above === null ? fold : new TailFold(fold, above);
    const { id, storedParentId, type, role, customType, targetId, timestamp } = place(entry, 0);
    const traits = { id, storedParentId, type, role, customType, targetId, timestamp };
    made.push(topless({ ...traits, gap: null, isMove: false, ordinal, fold: seen }, parent, above));
  }
  return made;
}

/** The parent of the topmost entry of a tail is there, but was not read. */
function topless(
  at: Omit<TreeEntry, "parent">,
  parent: TreeEntry | null,
  above: SettingsAbove | null,
): TreeEntry {
  if (parent !== null || above === null) return { ...at, parent };
  return {
    ...at,
    get parent(): TreeEntry {
      throw unverified("the path above what was read");
    },
  };
}

/** A fold in the middle of a path: what was set above it is known only where somebody looked. */
class TailFold implements Fold {
  readonly compactions: Fold["compactions"];
  readonly uncompacted: Fold["uncompacted"];
  readonly #fold: Fold;
  readonly #above: SettingsAbove;

  constructor(fold: Fold, above: SettingsAbove) {
    this.#fold = fold;
    this.#above = above;
    this.compactions = fold.compactions;
    this.uncompacted = fold.uncompacted;
  }

  get unproven(): readonly SettingName[] {
    return this.#above.unproven.filter((name) => this.#isAbove(name));
  }

  get model(): ModelRef | null {
    return this.#setting("model");
  }

  get thinkingLevel(): string {
    return this.#setting("thinkingLevel");
  }

  get activeTools(): readonly string[] | null {
    return this.#setting("activeTools");
  }

  get branch(): string {
    if (this.#fold.branch !== UNKNOWN_BRANCH) return this.#fold.branch;
    throw unverified("the branch");
  }

  get depth(): number {
    throw unverified("the depth");
  }

  get system(): string | null {
    if (this.#fold.system !== null) return this.#fold.system;
    throw unverified("the system prompt");
  }

  get messages(): number {
    throw unverified("the number of messages");
  }

  get usage(): Fold["usage"] {
    throw unverified("the usage");
  }

  #isAbove(name: SettingName): boolean {
    return this.#fold[name] === UNKNOWN_FOLD[name];
  }

  #setting<N extends SettingName>(name: N): Fold[N] {
    if (!this.#isAbove(name)) return this.#fold[name];
    const found = this.#above.found as Partial<Fold>;
    if (Object.hasOwn(found, name)) return found[name] as Fold[N];
    throw unverified("the settings");
  }
}
