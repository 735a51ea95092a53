import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { BranchlineError } from "../../errors.ts";
import { publish } from "../../io/publish.ts";
import { compareCodePoints } from "../code-point-order.ts";
import { jsonCopy } from "../json-copy.ts";
import { storeClosed } from "../refusals.ts";
import { SerialQueue } from "../serial-queue.ts";
import type { ValueScope, ValueStore } from "../store.ts";
import { scopeName } from "../value-scope.ts";
import type { Environment } from "./environment.ts";
import { makeFolder } from "./folders.ts";

/** Largest file of values, in bytes. */
const MAX_VALUE_BYTES: number = 32 * 1024 * 1024;

type Values = ReadonlyMap<string, unknown>;

/**
 * Values as one JSON file per scope (a list of keys with their values), replaced as a whole under a
 * lock of its own, so that two processes cannot undo each other's changes. Closed by its store.
 */
export class ValueFiles implements ValueStore {
  readonly #root: string;
  readonly #env: Environment;
  readonly #line = new SerialQueue();
  #closed = false;

  constructor(root: string, env: Environment) {
    this.#root = root;
    this.#env = env;
  }

  async get(scope: ValueScope, key: string): Promise<unknown> {
    return (await this.#read(this.#pathOf(scope))).get(key);
  }

  async keys(scope: ValueScope): Promise<readonly string[]> {
    return [...(await this.#read(this.#pathOf(scope))).keys()].sort(compareCodePoints);
  }

  async set(scope: ValueScope, key: string, value: unknown): Promise<void> {
    const path = this.#pathOf(scope);
    const copy = jsonCopy(value);
    await this.#change(path, (values) => new Map(values).set(key, copy));
  }

  async delete(scope: ValueScope, key: string): Promise<void> {
    const path = this.#pathOf(scope);
    await this.#change(path, (values) => new Map([...values].filter(([name]) => name !== key)));
  }

  /** Removes all values of a session (purge). */
  async removeSession(session: string): Promise<void> {
    const { fileSystem } = this.#env;
    const path = this.#pathOf({ session });
    if ((await fileSystem.lstat(path)) === undefined) return;
    await this.#locked(path, async () => {
      await fileSystem.removeFile(path);
      await fileSystem.removeFile(`${path}.lock`);
      await fileSystem.syncDirectory(dirname(path));
    });
  }

  /** Waits for changes under way. From here on every call throws STORE_CLOSED. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#line.idle();
  }

  /** Any text may name a resource (also half a character), so the name of its file is a digest (P10). */
  #pathOf(scope: ValueScope): string {
    if (this.#closed) throw storeClosed();
    const name = scopeName(scope);
    if ("session" in scope) return join(this.#root, "values", "session", `${scope.session}.json`);
    const digest = createHash("sha256").update(Buffer.from(name, "utf16le")).digest("hex");
    return join(this.#root, "values", "resource", `${digest}.json`);
  }

  async #read(path: string): Promise<Values> {
    const { fileSystem } = this.#env;
    if ((await fileSystem.lstat(path)) === undefined) return new Map();
    const bytes = await fileSystem.readFile(path, { maxBytes: MAX_VALUE_BYTES });
    const values = parse(Buffer.from(bytes).toString("utf8"));
    if (values !== null) return values;
    throw new BranchlineError(
      "LOG_DAMAGED",
      { problems: 1 },
      { message: `The values in ${path} cannot be read.`, place: { file: path } },
    );
  }

  async #change(path: string, change: (values: Values) => Values): Promise<void> {
    const { fileSystem, random, durability } = this.#env;
    await this.#locked(path, async () => {
      const content = Buffer.from(JSON.stringify([...change(await this.#read(path))]));
      await publish(fileSystem, { path, content, overwrite: "replace", random, durability });
    });
  }

  #locked(path: string, work: () => Promise<void>): Promise<void> {
    return this.#line.run(async () => {
      await makeFolder(this.#env.fileSystem, dirname(path));
      const lock = this.#env.makeLock(path);
      try {
        await lock.acquire({ timeoutMs: this.#env.lockTimeoutMs });
        await work();
      } finally {
        await lock.close();
      }
    });
  }
}

function parse(text: string): Values | null {
  try {
    const pairs: unknown = JSON.parse(text);
    return Array.isArray(pairs) ? new Map(pairs as [string, unknown][]) : null;
  } catch {
    return null;
  }
}
