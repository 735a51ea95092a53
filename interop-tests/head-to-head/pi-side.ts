import { realpathSync } from "node:fs";
import { join } from "node:path";
import {
  initTheme,
  SessionManager,
  SessionSelectorComponent,
} from "@earendil-works/pi-coding-agent";
import type { Listed, OpenSession, Shown, Side, UserMessage } from "./side.ts";
import { shown } from "./side.ts";

class PiSession implements OpenSession {
  readonly #manager: SessionManager;
  readonly reports = 0;
  readonly readOnly = false;

  constructor(manager: SessionManager) {
    this.#manager = manager;
  }

  get file(): string | null {
    return this.#manager.getSessionFile() ?? null;
  }

  get id(): string {
    return this.#manager.getSessionId();
  }

  get cwd(): string {
    return this.#manager.getCwd();
  }

  get leaf(): string | null {
    return this.#manager.getLeafId() ?? null;
  }

  async texts(): Promise<Shown> {
    return shown(this.#manager.buildSessionContext().messages, "no such type");
  }

  append(text: string): Promise<string> {
    return this.appendMessage({ role: "user", content: text, timestamp: 1 });
  }

  async appendMessage(message: UserMessage): Promise<string> {
    return this.#manager.appendMessage(message);
  }

  async appendSettings(): Promise<void> {
    this.#manager.appendModelChange("a-provider", "a-model");
    this.#manager.appendSessionInfo("a name");
    this.#manager.appendCustomEntry("an-extension", { state: 1 });
  }

  async moveTo(id: string): Promise<void> {
    this.#manager.branch(id);
  }

  async treeJson(): Promise<number> {
    return JSON.stringify(this.#manager.getTree()).length;
  }

  /** It keeps nothing open. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function list(folder: string): Promise<readonly Listed[]> {
  const rows = await SessionManager.listAll(folder);
  return rows.map(({ path, messageCount, name }) => ({
    file: path,
    messages: messageCount,
    name: name ?? null,
  }));
}

/** The session selector as it draws itself. */
async function shownList(folder: string): Promise<string> {
  initTheme("dark");
  const load = (): ReturnType<typeof SessionManager.listAll> => SessionManager.listAll(folder);
  const nothing = (): void => undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  let draws = 0;
  const selector = new SessionSelectorComponent(load, load, nothing, nothing, nothing, () => {
    draws++;
    if (draws > 1) resolve();
  });
  await Promise.race([promise, new Promise((done) => setTimeout(done, 1000))]);
  // Colours of its own are no control bytes of the name.
  const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
  return selector.render(100).join("\n").replace(colours, "");
}

/** Pi's session manager. */
export const piSide: Side = {
  title: "Pi 1.6.0",
  open: async (_folder, file) => new PiSession(SessionManager.open(file)),
  start: async (folder) => new PiSession(SessionManager.create("/project", folder)),
  openOrStart: async (folder, name) =>
    new PiSession(SessionManager.open(join(folder, `${name}.jsonl`))),
  list,
  mostRecent: async (folder) => {
    const manager = SessionManager.continueRecent("/project", folder);
    const file = manager.getSessionFile();
    // What it would start anew has no file yet.
    const isThere = manager.getEntries().length > 0;
    return isThere && file !== undefined ? realpathSync(file) : null;
  },
  fork: async (file, into) =>
    SessionManager.forkFrom(file, "/project", into).getSessionFile() ?? "",
  shownList,
};
