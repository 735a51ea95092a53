import type { Entry, EntryDraft } from "../../src/entry/entry.ts";
import { BranchlineError } from "../../src/errors.ts";
import type { Random } from "../../src/io/random.ts";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import type { JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { MemoryMachine } from "../../src/store/jsonl/testing/memory-fixture.ts";
import type { StoreSession } from "../../src/store/store.ts";

/** One commit of a workload, with the number of operations of the disk when it began and when it was answered. */
export interface Act {
  readonly session: string;
  /** One for each draft, so that a reader can tell what it finds: their texts. */
  readonly texts: readonly string[];
  readonly began: number;
  /** "acked": durable from `ended` on; "rejected": must never be readable from then on; "unknown": may be. */
  outcome: "open" | "acked" | "rejected" | "unknown";
  ended: number;
  /** What the commit gave back. */
  entries: readonly Entry[];
}

/** A session of a workload. */
export interface Born {
  readonly id: string;
  /** Operations done when its creation was answered. */
  readonly acked: number;
}

/** What a workload did. */
export interface Workload {
  readonly seed: number;
  readonly machine: MemoryMachine;
  readonly born: readonly Born[];
  readonly acts: readonly Act[];
}

const PROCESSES = 2;

/** Runs random steps of two processes on sessions of one disk, with failing writes and syncs among them. */
export async function runWorkload(seed: number, steps: number): Promise<Workload> {
  const runner = new Runner(seed);
  await runner.machine.run(runner.play(steps));
  const { machine, born, acts } = runner;
  return { seed, machine, born, acts };
}

class Runner {
  readonly machine = new MemoryMachine();
  readonly born: Born[] = [];
  readonly acts: Act[] = [];
  readonly #random: Random;
  readonly #seed: number;
  readonly #stores: JsonlStore[];
  readonly #handles = new Map<string, StoreSession>();
  #count = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed + 1);
    this.#stores = Array.from({ length: PROCESSES }, () => this.machine.store());
  }

  async play(steps: number): Promise<void> {
    await this.#create();
    for (let step = 0; step < steps; step++) await this.#step();
    for (const handle of this.#handles.values()) await handle.close();
  }

  async #step(): Promise<void> {
    const dice = this.#random.float();
    if (dice < 0.06) await this.#create();
    else if (dice < 0.5) await this.#commit(1);
    else if (dice < 0.65) await this.#commit(2 + this.#below(3));
    else if (dice < 0.75) await Promise.all([this.#commit(1), this.#commit(2), this.#commit(1)]);
    else if (dice < 0.82) await this.#failing("write");
    else if (dice < 0.86) await this.#failing("datasync");
    else if (dice < 0.93) await this.#trashAndRestore();
    else await this.#archiveAndBack();
  }

  async #create(): Promise<void> {
    const id = `s${this.#seed}-${this.born.length}`;
    const handle = await this.#store(0).create({ id, cwd: "/p" });
    this.born.push({ id, acked: this.machine.fs.ops.length });
    this.#handles.set(`0 ${id}`, handle);
  }

  /** A commit of `size` drafts by any process on any session; what it does not throw is acknowledged. */
  async #commit(size: number): Promise<void> {
    const id = this.#anySession();
    const process = this.#below(PROCESSES);
    const handle = await this.#handle(process, id);
    const texts = Array.from({ length: size }, () => this.#text());
    const act: Act = {
      ...{ session: id, texts, began: this.machine.fs.ops.length },
      ...{ outcome: "open", ended: 0, entries: [] },
    };
    this.acts.push(act);
    try {
      const { entries } = await handle.commit({ entries: texts.map(draft) });
      act.entries = entries;
      act.outcome = "acked";
    } catch (error) {
      const isUnknown = BranchlineError.is(error, "APPEND_UNKNOWN");
      if (!isUnknown && !BranchlineError.is(error, "IO_FAILED")) throw error;
      act.outcome = isUnknown ? "unknown" : "rejected";
      if (isUnknown) await this.#drop(process, id);
    }
    act.ended = this.machine.fs.ops.length;
  }

  /** A commit that the disk refuses, whole or in part, and another one after it. */
  async #failing(operation: "write" | "datasync"): Promise<void> {
    const partialBytes = operation === "write" ? { partialBytes: this.#below(60) } : {};
    const errno = operation === "write" ? "ENOSPC" : "EIO";
    this.machine.fs.failNext(operation, { errno, ...partialBytes });
    await this.#commit(1 + this.#below(2));
    await this.#commit(1);
  }

  async #trashAndRestore(): Promise<void> {
    const id = this.#anySession();
    await this.#dropAll(id);
    await this.#store(1).trash(id);
    await this.#store(0).restore(id);
  }

  async #archiveAndBack(): Promise<void> {
    const id = this.#anySession();
    await this.#dropAll(id);
    const store = this.#store(0);
    const packed = await store.upkeep.archive(await store.findFile(id));
    await store.upkeep.unarchive(packed.path);
  }

  async #handle(process: number, id: string): Promise<StoreSession> {
    const key = `${process} ${id}`;
    const handle = this.#handles.get(key) ?? (await this.#store(process).open(id));
    this.#handles.set(key, handle);
    return handle;
  }

  async #drop(process: number, id: string): Promise<void> {
    const key = `${process} ${id}`;
    await this.#handles.get(key)?.close();
    this.#handles.delete(key);
  }

  async #dropAll(id: string): Promise<void> {
    for (let process = 0; process < PROCESSES; process++) await this.#drop(process, id);
  }

  #store(process: number): JsonlStore {
    return this.#stores[process] as JsonlStore;
  }

  #anySession(): string {
    return (this.born[this.#below(this.born.length)] as Born).id;
  }

  #text(): string {
    this.#count++;
    const filler = this.#random.float() < 0.1 ? "长".repeat(this.#below(400)) : "";
    return `w${this.#count} ${filler}`;
  }

  #below(limit: number): number {
    return Math.floor(this.#random.float() * limit);
  }
}

function draft(text: string): EntryDraft {
  return { type: "message", message: { role: "user", content: text } };
}
