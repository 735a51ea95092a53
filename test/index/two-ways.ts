import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Entry } from "../../src/entry/entry.ts";
import type { SqliteIndex } from "../../src/index/sqlite/sqlite-index.ts";
import type { FileSystem } from "../../src/io/file-system.ts";
import { ManualClock } from "../../src/io/testing/manual-clock.ts";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import { forkSession } from "../../src/session/fork.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore, type JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import type { StoreSession } from "../../src/store/store.ts";
import type { Fold } from "../../src/tree/fold.ts";
import { fileSystem, IndexMachine } from "./index-machine.ts";

/** Two ways to copy the same path, with the same ids and times. */
export class TwoWays {
  readonly machine: IndexMachine = new IndexMachine();
  readonly indexClock: ManualClock = new ManualClock();
  readonly index: SqliteIndex = this.machine.index({ clock: this.indexClock });
  readonly source: JsonlStore;
  /** Files that were begun by the last copy. */
  begun = 0;
  /** Of the last copy. */
  clock: ManualClock = new ManualClock();
  /** Waited before each write of a copy, in turns of the event loop. */
  writeTurns = 0;
  /** Done when the first of them has been begun. */
  onBegin: () => Promise<void> = async () => undefined;
  #stores: JsonlStore[] = [];

  constructor() {
    const { index } = this;
    this.source = createJsonlStore({ root: this.machine.root, index });
    this.#stores.push(this.source);
  }

  async open(name: string, text: string | Uint8Array): Promise<Session> {
    const made = await this.source.create({ cwd: "/" });
    await made.close();
    return await Session.attach(await this.source.openFile(this.machine.write(name, text)));
  }

  /** A copy made from ranges of the file, where that is possible, and one made entry by entry. */
  async copies(
    from: Session,
    at: string | null,
  ): Promise<{ readonly ranges: StoreSession; readonly entries: StoreSession }> {
    const entries = await this.copy(from, at, {});
    this.begun = 0;
    const ranges = await this.copy(from, at, { index: this.index });
    const isSame = readFileSync(ranges.file ?? "").equals(readFileSync(entries.file ?? ""));
    assert.ok(isSame, `${ranges.file} is another file than ${entries.file}`);
    return { ranges, entries };
  }

  async close(): Promise<void> {
    for (const store of this.#stores) await store.close();
    await this.index.close();
    this.machine.remove();
  }

  async copy(
    from: Session,
    at: string | null,
    options: { readonly index?: SqliteIndex },
  ): Promise<StoreSession> {
    const counted: FileSystem = {
      ...fileSystem,
      open: async (path, mode) => {
        const isCopy = path.includes(".jsonl.") && path.endsWith(".tmp");
        if (isCopy && this.begun++ === 0) await this.onBegin();
        const handle = await fileSystem.open(path, mode);
        const write = handle.write.bind(handle);
        handle.write = async (bytes) => {
          for (let turn = 0; isCopy && turn < this.writeTurns; turn++) await setImmediate();
          return await write(bytes);
        };
        return handle;
      },
    };
    const root = `${this.machine.folder}/to-${this.#stores.length}`;
    const random = seededRandom(5);
    const clock = new ManualClock();
    this.clock = clock;
    const store = createJsonlStore({ root, fileSystem: counted, random, clock, ...options });
    this.#stores.push(store);
    return await forkSession({ from, at, store, id: "copy", clock, random });
  }
}

/** What a handle that read nothing of the new file knows is what one that reads it all finds. */
export async function assertAsRead(made: StoreSession, store: JsonlStore): Promise<void> {
  await made.refresh();
  const read = await store.openFile(made.file ?? "", { verify: true });
  assert.deepEqual(await view(made), await view(read));
  await read.close();
}

/** Links are getters in one tree and members in the other. */
function plain(fold: Fold): unknown {
  const compactions: string[] = [];
  for (let link = fold.compactions; link !== null; link = link.previous)
    compactions.push(`${link.id} ${link.firstKeptEntryId}`);
  return { ...fold, compactions };
}

async function view(session: StoreSession): Promise<unknown> {
  const entries: Entry[] = [];
  for await (const entry of session.scan()) entries.push(entry);
  const { header, problems, tree } = session;
  const rows = [...tree.entries()].map(({ id, fold, parent, gap, storedParentId, role, type }) => {
    const place = session.placeOf(id);
    const children = tree.children(id).map((child) => child.id);
    const told = { parent: parent?.id, storedParentId, gap, role, type, place, children };
    return { id, fold: plain(fold), ...told };
  });
  const ids = rows.map(({ id }) => id);
  return {
    ...{ entries, rows, header, problems },
    branches: tree.branches(),
    name: tree.name(),
    labels: [...tree.labels()],
    roots: tree.children(null).map(({ id }) => id),
    custom: tree.customOrdinals(["ext", "branchline.gap"], 1, tree.size),
    found: [tree.withPrefix("e1", 3), tree.withPrefix("", 2), tree.get("nobody")],
    meet: tree.commonAncestor(ids[1] ?? null, ids[2] ?? null)?.id,
    nowhere: session.placeOf("nobody"),
  };
}
