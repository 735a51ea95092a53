import assert from "node:assert/strict";
import type { Entry, EntryDraft } from "../../../entry/entry.ts";
import { BranchlineError, type ErrorCode } from "../../../errors.ts";
import type { CommitResult, SessionStore, StoreSession } from "../../store.ts";
import type { ContractCase, StoreFixture } from "../contract.ts";
import { custom, startMarker, user } from "../drafts.ts";
import { collect, ids } from "../expect.ts";
import { mulberry32 } from "../mulberry32.ts";
import { type ModelEntry, ReferenceModel } from "../reference-model.ts";

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
const COMMANDS = 150;
const SESSION = "model";

interface PlannedDraft {
  readonly draft: EntryDraft;
  readonly effect: boolean;
  readonly content: number;
}

/** Runs random commands on a store and on the reference model and compares them all the time. */
class ModelRun {
  readonly #fixture: StoreFixture;
  readonly #random: () => number;
  readonly #model = new ReferenceModel();
  readonly #requests = new Map<string, readonly EntryDraft[]>();
  #store: SessionStore;
  #handles: StoreSession[] = [];
  #made = 0;

  constructor(fixture: StoreFixture, seed: number) {
    this.#fixture = fixture;
    this.#store = fixture.store;
    this.#random = mulberry32(seed);
  }

  async run(): Promise<void> {
    const first = await this.#store.create({ id: SESSION, cwd: "/p" });
    this.#handles = [first, await this.#store.open(SESSION)];
    for (let index = 0; index < COMMANDS; index++) await this.#command();
    await this.#compareAll();
    for (const handle of this.#handles) await handle.close();
  }

  async #command(): Promise<void> {
    const dice = this.#random();
    if (dice < 0.55) await this.#commit();
    else if (dice < 0.65) await this.#startBranch();
    else if (dice < 0.73) await this.#replay();
    else if (dice < 0.8) await this.#concurrentCommits();
    else if (dice < 0.9) await this.#read();
    else if (dice < 0.93) await this.#reopen();
    else await this.#compareAll();
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }

  #handle(): StoreSession {
    return this.#pick(this.#handles);
  }

  #plan(): PlannedDraft {
    const content = this.#made++;
    const effect = this.#random() < 0.5;
    return { content, effect, draft: effect ? user(`${content}`) : custom(content) };
  }

  async #commit(): Promise<void> {
    const branch = this.#pick(this.#model.branches);
    const planned = Array.from({ length: 1 + this.#below(3) }, () => this.#plan());
    const expects = this.#random() < 0.4;
    const somewhere = this.#pick<string | null>([null, ...this.#model.entries.map(({ id }) => id)]);
    const expectedLeaf = this.#random() < 0.5 ? this.#model.head(branch) : somewhere;
    const key = this.#random() < 0.3 ? `key-${this.#made}` : undefined;
    const entries = planned.map(({ draft }) => draft);
    const outcome = await this.#settle(
      this.#handle().commit({
        entries,
        branch,
        ...(expects ? { expectedLeaf } : {}),
        ...(key === undefined ? {} : { key }),
      }),
    );
    if (expects && !this.#model.matches(branch, expectedLeaf)) {
      assert.equal(outcome, "STORE_CONFLICT");
      return;
    }
    if (key !== undefined) this.#requests.set(key, entries);
    this.#accept(outcome, { branch, planned, key });
  }

  async #startBranch(): Promise<void> {
    const parentId = this.#pick<string | null>([null, ...this.#model.entries.map(({ id }) => id)]);
    const content = this.#made++;
    const id = `branch-${content}`;
    const { entries } = await this.#handle().commit({
      entries: [startMarker(this.#handle(), parentId, id)],
    });
    assert.equal(entries[0]?.parentId, parentId);
    this.#model.add([{ id, parentId, branch: id, effect: false, content }], undefined);
  }

  async #replay(): Promise<void> {
    const keys = [...this.#model.keys.keys()];
    if (keys.length === 0) return;
    const key = this.#pick(keys);
    const entries = this.#requests.get(key) as readonly EntryDraft[];
    if (this.#random() < 0.3) {
      const other = await this.#settle(this.#handle().commit({ entries: [user("another")], key }));
      assert.equal(other, "KEY_REUSED");
      return;
    }
    const { replayed, entries: stored } = await this.#handle().commit({ entries, key });
    assert.equal(replayed, true);
    assert.deepEqual(
      ids(stored),
      this.#model.keys.get(key)?.map(({ id }) => id),
    );
  }

  /** Commits at the same time: the order is the store's, each is in it whole. */
  async #concurrentCommits(): Promise<void> {
    const commits = Array.from({ length: 2 + this.#below(4) }, () => {
      const branch = this.#pick(this.#model.branches);
      const planned = Array.from({ length: 1 + this.#below(2) }, () => this.#plan());
      const entries = planned.map(({ draft }) => draft);
      return { branch, planned, result: this.#handle().commit({ entries, branch }) };
    });
    const ended = await Promise.all(
      commits.map(async (one) => ({ ...one, result: await one.result })),
    );
    const handle = this.#handle();
    await handle.refresh();
    const placeOf = (result: CommitResult): number =>
      handle.tree.get(result.entries[0]?.id ?? "")?.ordinal ?? -1;
    for (const { result, ...commit } of ended.sort(
      (a, b) => placeOf(a.result) - placeOf(b.result),
    )) {
      this.#accept(result, { ...commit, key: undefined });
    }
  }

  async #read(): Promise<void> {
    const handle = this.#handle();
    await handle.refresh();
    const { entries } = this.#model;
    const at = this.#pick<ModelEntry | undefined>([undefined, ...entries]);
    const limit = this.#below(entries.length + 2);
    const path = ids(await collect(handle.path(at?.id ?? null, { limit })));
    assert.deepEqual(path, this.#model.path(at?.id ?? null).slice(0, limit));
    const from = this.#below(entries.length + 1);
    const to = this.#below(entries.length + 1);
    const all = entries.map(({ id }) => id);
    assert.deepEqual(ids(await collect(handle.scan({ from, to }))), all.slice(from, to));
    assert.deepEqual(ids(await handle.last(limit)), limit === 0 ? [] : all.slice(-limit));
    if (at !== undefined) assert.equal(contentOf(await handle.mustGet(at.id)), String(at.content));
  }

  async #reopen(): Promise<void> {
    for (const handle of this.#handles) await handle.close();
    if (this.#store.capabilities.durable && this.#random() < 0.5) {
      await this.#store.close();
      this.#store = await this.#fixture.reopen();
    }
    this.#handles = [await this.#store.open(SESSION), await this.#store.open(SESSION)];
  }

  async #compareAll(): Promise<void> {
    const handle = this.#handle();
    await handle.refresh();
    const found = await collect(handle.scan());
    assert.deepEqual(
      found.map(({ id, parentId }) => [id, parentId]),
      this.#model.entries.map(({ id, parentId }) => [id, parentId]),
    );
    for (const branch of this.#model.branches) {
      assert.equal(handle.tree.head(branch), this.#model.head(branch));
    }
    for (const { id, branch } of this.#model.entries)
      assert.equal(handle.tree.branchOf(id), branch);
    assert.equal(handle.tree.leaf(), this.#model.entries.at(-1)?.id ?? null);
  }

  async #settle(commit: Promise<CommitResult>): Promise<CommitResult | ErrorCode> {
    try {
      return await commit;
    } catch (error) {
      if (BranchlineError.is(error)) return error.code;
      throw error;
    }
  }

  /** Compares what a commit made with what it must have made, and takes it over. */
  #accept(
    outcome: CommitResult | ErrorCode,
    commit: {
      readonly branch: string;
      readonly planned: readonly PlannedDraft[];
      readonly key: string | undefined;
    },
  ): void {
    assert.ok(typeof outcome === "object", `refused: ${String(outcome)}`);
    assert.equal(outcome.replayed, false);
    let parentId = this.#model.head(commit.branch);
    const made: ModelEntry[] = [];
    for (const [index, { effect, content }] of commit.planned.entries()) {
      const entry = outcome.entries[index] as Entry;
      assert.equal(entry.parentId, parentId);
      assert.equal(contentOf(entry), String(content));
      made.push({ id: entry.id, parentId, branch: commit.branch, effect, content });
      parentId = entry.id;
    }
    this.#model.add(made, commit.key);
  }
}

function contentOf(entry: Entry): string {
  const { message, data, id } = entry as {
    readonly message?: { readonly content?: unknown };
    readonly data?: unknown;
    readonly id: string;
  };
  if (id.startsWith("branch-")) return id.slice("branch-".length);
  return String(message === undefined ? data : message.content);
}

/** Random commands against the reference model. */
export const modelCases: readonly ContractCase[] = SEEDS.map((seed) => ({
  group: "model",
  name: `${COMMANDS} random commands agree with the reference model, seed ${seed}`,
  async run(fixture) {
    try {
      await new ModelRun(fixture, seed).run();
    } catch (error) {
      throw new assert.AssertionError({
        message: `seed ${seed}: ${error instanceof Error ? error.message : String(error)}`,
        ...(error instanceof assert.AssertionError
          ? { actual: error.actual, expected: error.expected }
          : { operator: "model" }),
      });
    }
  },
}));
