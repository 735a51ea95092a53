import { copyFile, mkdir, constants as modes } from "node:fs/promises";
import path from "node:path";
import { BranchlineError } from "../errors.ts";
import type { EventHub } from "./event-hub.ts";
import type { GeneratedSessions } from "./generated-sessions.ts";
import type { Library, LocatedSession } from "./library.ts";
import type { ServerLimits } from "./limits.ts";
import type { ServerLog } from "./server-log.ts";
import { SessionHost } from "./session-host.ts";

/** What the hosts of a server share. */
export interface HostsParts {
  readonly library: Library;
  /** Made before they are opened. */
  readonly generated: GeneratedSessions;
  readonly hub: EventHub;
  readonly limits: ServerLimits;
  readonly log: ServerLog;
}

/** The sessions that are open in a server: opened at the first question, closed when idle. */
export class SessionHosts {
  readonly #parts: HostsParts;
  readonly #open = new Map<string, Promise<SessionHost>>();
  readonly #generations = new Map<string, number>();
  readonly #copying = new Map<string, Promise<void>>();
  readonly #sweep: NodeJS.Timeout;
  #isClosed = false;

  constructor(parts: HostsParts) {
    this.#parts = parts;
    this.#sweep = setInterval(() => void this.closeIdle(), Math.max(1000, parts.limits.idleMs / 4));
    this.#sweep.unref();
  }

  /** Sessions that are open now. */
  get size(): number {
    return this.#open.size;
  }

  /** The host of a session, up to date with its file. Throws what opening throws. */
  async use(id: string): Promise<SessionHost> {
    const host = await this.#host(id);
    host.lastUse = performance.now();
    try {
      await host.session.refresh();
    } catch (error) {
      if (!isGone(error)) throw error;
      await this.#lose(host, error);
      return await this.#host(id);
    }
    return host;
  }

  /** The same for changes: a sample is copied first, and the copy has its id. */
  async useForWriting(id: string): Promise<SessionHost> {
    const host = await this.use(id);
    if (host.located.root.kind === "samples") {
      // One copy for all who ask at once: the second must not close what the first has opened.
      const copying = this.#copying.get(id) ?? this.#copy(host);
      this.#copying.set(id, copying);
      await copying.finally(() => this.#copying.delete(id));
      return await this.use(id);
    }
    if (host.session.readOnly === null) return host;
    const reason = host.session.readOnly;
    throw new BranchlineError(
      "SESSION_READ_ONLY",
      { reason },
      { message: `It is read-only: ${reason}.` },
    );
  }

  async #copy({ id, located }: SessionHost): Promise<void> {
    await copySample(located, this.#parts.library.home.directory);
    await this.drop(id);
    this.#parts.hub.publish("session_created", { sessionId: id }, { id });
  }

  /** The host, where the session is open. */
  async peek(id: string): Promise<SessionHost | null> {
    return (await this.#open.get(id)) ?? null;
  }

  /** Closes a session, for example before its file is moved. */
  async drop(id: string): Promise<void> {
    const opening = this.#open.get(id);
    this.#open.delete(id);
    const host = await opening?.catch(() => null);
    await host?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    await Promise.all([...this.#open.keys()].map((id) => this.drop(id)));
  }

  #host(id: string): Promise<SessionHost> {
    if (this.#isClosed) {
      throw new BranchlineError("STORE_CLOSED", {}, { message: "The server is ending." });
    }
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const opening = this.#openHost(id);
    this.#open.set(id, opening);
    if (this.#open.size > this.#parts.limits.openSessions) void this.closeIdle();
    opening.catch(() => {
      if (this.#open.get(id) === opening) this.#open.delete(id);
    });
    return opening;
  }

  async #openHost(id: string): Promise<SessionHost> {
    const { library, generated, hub, log } = this.#parts;
    await generated.ensure(id);
    const located = await library.locate(id);
    const store = await located.root.store.openFile(located.path);
    const generation = this.#generations.get(id) ?? 0;
    const onLost = (host: SessionHost, error: unknown): void => {
      this.#lose(host, error).catch((failure: unknown) => {
        log.error({ session: id, error: String(failure) }, "closing failed");
      });
    };
    return await SessionHost.open({ located, store, hub, log, generation, onLost });
  }

  /** Forgets a host whose file is not what it was any more; told and counted once. */
  async #lose(host: SessionHost, error: unknown): Promise<void> {
    const { hub, log } = this.#parts;
    const { id } = host;
    if ((await this.peek(id)) !== host) return;
    this.#open.delete(id);
    this.#generations.set(id, (this.#generations.get(id) ?? 0) + 1);
    log.warn({ session: id, code: BranchlineError.is(error) ? error.code : "?" }, "session lost");
    hub.publish("snapshot", { sessionId: id }, { revision: null, run: null });
    await host.close();
  }

  /**
   * Closes what nobody has used for `idleMs`, and much sooner where so many are open that it is somebody
   * walking through the library.
   */
  async closeIdle(): Promise<void> {
    const { idleMs, openSessions } = this.#parts.limits;
    const patience = this.#open.size > openSessions ? Math.min(CROWDED_MS, idleMs) : idleMs;
    const before = performance.now() - patience;
    const closing = [...this.#open].map(async ([id, opening]) => {
      const host = await opening.catch(() => null);
      if (host === null || host.isUsed || host.lastUse > before || this.#isWatched(id)) return;
      if (this.#open.get(id) === opening) await this.drop(id);
    });
    await Promise.all(closing);
  }

  #isWatched(id: string): boolean {
    return this.#parts.hub.isWatched(id);
  }
}

/** How long a session stays open where too many are, in ms. */
const CROWDED_MS = 2000;

const GONE = ["FILE_MISSING", "FILE_REPLACED", "FILE_TRUNCATED", "STORE_CLOSED"] as const;

function isGone(error: unknown): boolean {
  return GONE.some((code) => BranchlineError.is(error, code));
}

/** The same bytes and so the same id, in the home root; whoever was faster is fine. */
async function copySample(located: LocatedSession, home: string): Promise<void> {
  const folder = path.join(home, "sessions", "samples");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const target = path.join(folder, path.basename(located.path));
  await copyFile(located.path, target, modes.COPYFILE_EXCL).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  });
}
