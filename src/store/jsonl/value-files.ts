import { dirname, join } from "node:path";
import { checkSessionId } from "../../entry/ids.ts";
import { publish } from "../../io/publish.ts";
import { jsonCopy } from "../json-copy.ts";
import { SerialQueue } from "../serial-queue.ts";
import type { ValueScope, ValueStore } from "../store.ts";
import type { Environment } from "./environment.ts";
import { makeFolder } from "./folders.ts";

/** Largest file of values, in bytes. */
const MAX_VALUE_BYTES: number = 32 * 1024 * 1024;

type Values = ReadonlyMap<string, unknown>;

/**
 * Values as one JSON file per scope, replaced as a whole under a lock of its own, so that two
 * processes cannot undo each other's changes.
 */
export class ValueFiles implements ValueStore {
  readonly #root: string;
  readonly #env: Environment;
  readonly #line = new SerialQueue();

  constructor(root: string, env: Environment) {
    this.#root = root;
    this.#env = env;
  }

  async get(scope: ValueScope, key: string): Promise<unknown> {
    return (await this.#read(this.#pathOf(scope))).get(key);
  }

  async keys(scope: ValueScope): Promise<readonly string[]> {
    return [...(await this.#read(this.#pathOf(scope))).keys()].sort();
  }

  async set(scope: ValueScope, key: string, value: unknown): Promise<void> {
    const copy = jsonCopy(value);
    await this.#change(scope, (values) => new Map(values).set(key, copy));
  }

  async delete(scope: ValueScope, key: string): Promise<void> {
    await this.#change(scope, (values) => new Map([...values].filter(([name]) => name !== key)));
  }

  /** Removes all values of a session (purge). */
  async removeSession(session: string): Promise<void> {
    const path = this.#pathOf({ session });
    if (!(await this.#env.fileSystem.removeFile(path))) return;
    await this.#env.fileSystem.removeFile(`${path}.lock`);
    await this.#env.fileSystem.syncDirectory(dirname(path));
  }

  #pathOf(scope: ValueScope): string {
    if ("session" in scope) {
      checkSessionId(scope.session);
      return join(this.#root, "values", "session", `${scope.session}.json`);
    }
    // Any text may name a resource; hex keeps it inside one path segment, whatever it holds.
    const name = Buffer.from(scope.resource, "utf8").toString("hex");
    return join(this.#root, "values", "resource", ...segments(name));
  }

  async #read(path: string): Promise<Values> {
    const { fileSystem } = this.#env;
    if ((await fileSystem.lstat(path)) === undefined) return new Map();
    const bytes = await fileSystem.readFile(path, { maxBytes: MAX_VALUE_BYTES });
    return new Map(JSON.parse(Buffer.from(bytes).toString("utf8")) as [string, unknown][]);
  }

  #change(scope: ValueScope, change: (values: Values) => Values): Promise<void> {
    return this.#line.run(async () => {
      const { fileSystem, random, durability, lockTimeoutMs: timeoutMs } = this.#env;
      const path = this.#pathOf(scope);
      await makeFolder(fileSystem, dirname(path));
      const lock = this.#env.makeLock(path);
      try {
        await lock.acquire({ timeoutMs });
        const content = Buffer.from(JSON.stringify([...change(await this.#read(path))]));
        await publish(fileSystem, { path, content, overwrite: "replace", random, durability });
      } finally {
        await lock.close();
      }
    });
  }
}

/** File systems limit a name to 255 bytes, so long ones become folders. */
function segments(name: string): readonly string[] {
  const parts = name.match(/.{1,200}/g) ?? ["empty"];
  return parts.map((part, index) => (index === parts.length - 1 ? `${part}.json` : part));
}
