import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { agreedMessages } from "../../src/harness/instructions.ts";
import {
  BranchlineError,
  checkSession,
  cloneSession,
  createJsonlStore,
  type JsonlStore,
  Session,
  type StoreSession,
} from "../../src/index.ts";
import type { Listed, OpenSession, Shown, Side, UserMessage } from "./side.ts";
import { shown } from "./side.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/branchline.js");
const GAP_TYPE = "branchline.gap";

/** A check reads every entry: of long sessions only what opening has found is counted. */
const CHECKED_ENTRIES = 10_000;

class OwnSession implements OpenSession {
  readonly #session: Session;
  readonly #store: JsonlStore;
  readonly reports: number;

  constructor(session: Session, store: JsonlStore, reports: number) {
    this.#session = session;
    this.#store = store;
    this.reports = reports;
  }

  get file(): string | null {
    return this.#session.file;
  }

  get id(): string {
    return this.#session.id;
  }

  get cwd(): string {
    return this.#session.header.cwd;
  }

  get leaf(): string | null {
    return this.#session.leaf;
  }

  get readOnly(): boolean {
    return this.#session.readOnly !== null;
  }

  /** As our programs send it where nobody agreed to anything: system text of a file stays out (row 52). */
  async texts(): Promise<Shown> {
    const { messages } = await this.#session.context();
    return shown(await agreedMessages(messages, { instructions: () => false }), GAP_TYPE);
  }

  append(text: string): Promise<string> {
    return this.appendMessage({ role: "user", content: text, timestamp: 1 });
  }

  async appendMessage(message: UserMessage): Promise<string> {
    const [entry] = await this.#session.append({ type: "message", message });
    return entry?.id ?? "";
  }

  async appendSettings(): Promise<void> {
    await this.#session.append([
      { type: "model_change", provider: "a-provider", modelId: "a-model" },
      { type: "custom", customType: "an-extension", data: { state: 1 } },
    ]);
    await this.#session.rename("a name");
  }

  async moveTo(id: string): Promise<void> {
    await this.#session.moveLeaf(id);
  }

  async treeJson(): Promise<number> {
    const rows = Array.from(this.#session.tree.entries(), ({ id, parent, type }) => ({
      ...{ id, type },
      parentId: parent?.id ?? null,
    }));
    return JSON.stringify(rows).length;
  }

  async close(): Promise<void> {
    await this.#session.close();
    await this.#store.close();
  }
}

async function attached(store: JsonlStore, opened: StoreSession): Promise<OpenSession> {
  const session = await Session.attach(opened);
  const isLong = opened.tree.size > CHECKED_ENTRIES;
  const { problems } = isLong ? opened : await checkSession(opened);
  return new OwnSession(session, store, problems.length);
}

async function openOrStart(root: string, id: string): Promise<OpenSession> {
  const store = createJsonlStore({ root });
  const opening = async (): Promise<StoreSession> => {
    try {
      return await store.open(id);
    } catch (error) {
      if (!BranchlineError.is(error, "SESSION_UNKNOWN")) throw error;
      return await store.create({ id, cwd: "/project" });
    }
  };
  return attached(store, await opening());
}

async function list(root: string): Promise<readonly Listed[]> {
  await using store = createJsonlStore({ root });
  const rows: Listed[] = [];
  for await (const { path, messages, name } of store.list()) {
    rows.push({ file: path ?? "", messages, name });
  }
  return rows;
}

/** What our command line prints about a folder; "" where it refuses. */
function runProgram(root: string, words: readonly string[]): string {
  const env = { ...process.env, BRANCHLINE_HOME: root, NO_COLOR: "1" };
  const args = [PROGRAM, ...words, "--root", root];
  const done = spawnSync(process.execPath, args, { encoding: "utf8", env });
  return done.status === 0 ? done.stdout : "";
}

/** Our session in a folder of sessions. */
export const branchlineSide: Side = {
  title: "Branchline",
  open: async (root, file) => {
    const store = createJsonlStore({ root });
    return attached(store, await store.openFile(file));
  },
  start: async (root) => {
    const store = createJsonlStore({ root });
    return attached(store, await store.create({ cwd: "/project" }));
  },
  openOrStart,
  list,
  mostRecent: async (root) => {
    const said = runProgram(root, ["status", "last", "--json"]);
    return said === "" ? null : (JSON.parse(said) as { path: string }).path;
  },
  fork: async (file, into) => {
    await using store = createJsonlStore({ root: into });
    await using from = await Session.attach(await store.openFile(file));
    await using copy = await cloneSession({ from, store });
    return copy.file ?? "";
  },
  shownList: async (root) => runProgram(root, ["ls"]),
};
