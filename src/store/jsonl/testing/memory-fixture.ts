import type { EntryDraft } from "../../../entry/entry.ts";
import { ManualClock } from "../../../io/testing/manual-clock.ts";
import { MemoryFileSystem } from "../../../io/testing/memory-file-system.ts";
import { MemoryLock, MemoryLockPlace } from "../../../io/testing/memory-lock.ts";
import { seededRandom } from "../../../io/testing/seeded-random.ts";
import type { StoreSession } from "../../store.ts";
import { createJsonlStore, type JsonlStore, type JsonlStoreOptions } from "../jsonl-store.ts";

/** A machine in memory: files, locks and time, and stores on them as different processes have them. */
export class MemoryMachine {
  readonly fs: MemoryFileSystem = new MemoryFileSystem();
  readonly clock: ManualClock = new ManualClock();
  readonly #places = new Map<string, MemoryLockPlace>();
  #seed = 0;

  /** The lock of a path, to hold or to look at. */
  lock(path: string): MemoryLock {
    const place = this.#places.get(path) ?? new MemoryLockPlace();
    this.#places.set(path, place);
    const owner = { pid: 7, startedAt: 0, host: "h", command: "other" };
    return new MemoryLock({ place, clock: this.clock, owner });
  }

  /** A store as another process has it, on the same files. */
  store(options: Partial<JsonlStoreOptions> = {}): JsonlStore {
    this.#seed++;
    return createJsonlStore({
      root: "/data",
      fileSystem: this.fs,
      clock: this.clock,
      random: seededRandom(this.#seed),
      makeLock: (path) => this.lock(path),
      ...options,
    });
  }

  /** Another machine with the same files, on which nothing is planned to fail. */
  copy(): MemoryMachine {
    const copy = new MemoryMachine();
    const paths = this.fs.paths();
    for (const path of paths) {
      const isFolder = path === "/" || paths.some((other) => other.startsWith(`${path}/`));
      copy.fs.place(path, isFolder ? "directory" : "file", this.fs.bytes(path));
    }
    return copy;
  }

  /** Lets time pass in small steps until the promise settles. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    while (!isSettled) {
      await new Promise((resolve) => setImmediate(resolve));
      this.clock.advance(1);
    }
    return promise;
  }
}

/** A user message. */
export function say(text: string): EntryDraft {
  return { type: "message", message: { role: "user", content: text } };
}

/** The texts of all entries in file order; `?` for what has none. */
export async function textsOf(session: StoreSession): Promise<string[]> {
  const texts: string[] = [];
  for await (const entry of session.scan()) {
    const { message } = entry as { readonly message?: { readonly content?: unknown } };
    texts.push(typeof message?.content === "string" ? message.content : "?");
  }
  return texts;
}

/** The texts from the leaf up to the root, root first. */
export async function pathOf(session: StoreSession): Promise<string[]> {
  const texts: string[] = [];
  for await (const entry of session.path(session.tree.leaf())) {
    const { message } = entry as { readonly message?: { readonly content?: unknown } };
    texts.push(typeof message?.content === "string" ? message.content : "?");
  }
  return texts.reverse();
}

/** A line as Pi 1.6.0 writes it. */
export function piLine(id: string, parentId: string | null, text: string): string {
  const timestamp = "2026-01-02T03:04:05.678Z";
  const message = { role: "user", content: text };
  return `${JSON.stringify({ type: "message", id, parentId, timestamp, message })}\n`;
}

/** A header as Pi 1.6.0 writes it. */
export function piHeader(id: string, version: number | undefined = 3, cwd = "/p"): string {
  const timestamp = "2026-01-02T03:04:05.678Z";
  return `${JSON.stringify({ type: "session", version, id, timestamp, cwd })}\n`;
}
