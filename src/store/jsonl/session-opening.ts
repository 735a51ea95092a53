import type { SessionIndex } from "../../index/session-index.ts";
import { AppendFile } from "../../io/append-file.ts";
import { isArchivePath } from "../../io/archive-file-system.ts";
import { hasErrno } from "../../io/io-failure.ts";
import type { OpenOptions, StoreSession } from "../store.ts";
import type { Environment } from "./environment.ts";
import type { KnownSession } from "./known-session.ts";
import { ARCHIVED } from "./open-elsewhere.ts";
import { type FindBelow, SessionFile } from "./session-file.ts";
import { presentPath } from "./session-lock-hold.ts";
import { type FileTail, readTail } from "./tail-reader.ts";
import { TailSession } from "./tail-session.ts";

const READ_ONLY_ERRNOS = ["EACCES", "EPERM", "EROFS"] as const;

/** A session file that was read. */
export interface OpenedFile {
  readonly file: SessionFile;
  /** Why the file itself cannot be written, or null. */
  readonly readOnly: string | null;
}

/** Gives the session of a file that was read; the session owns the file. */
export type Attach = (opened: OpenedFile) => StoreSession;

/** What a tail session is made with besides its file. */
export interface TailOptions {
  readonly attach: Attach;
  /** Called once when the session was closed. */
  readonly onClose: () => void;
}

interface OpenFile {
  readonly file: AppendFile;
  readonly mode: "append" | "read";
  readonly readOnly: string | null;
}

/** How session files are opened: from what an index knows, from their structure, whole, or tail first. */
export class SessionOpening {
  readonly #env: Environment;
  readonly #index: SessionIndex | undefined;
  readonly #below: FindBelow;

  /** `below` finds what linked sessions read, where nothing else is said. */
  constructor(env: Environment, index: SessionIndex | undefined, below: FindBelow) {
    this.#env = env;
    this.#index = index;
    this.#below = below;
  }

  /**
   * Opens and reads a file. Throws as `JsonlStore.openFile` does. The caller closes it, and what it reads
   * below.
   */
  async open(
    path: string,
    options: OpenOptions,
    below: FindBelow = this.#below,
  ): Promise<OpenedFile> {
    const { file, mode, readOnly } = await this.#openFile(path);
    const { signal } = options;
    const { longFile } = this.#env.reading;
    if (options.strict === true || options.verify === true) {
      return { file: await SessionFile.whole(file, { mode, signal, below }), readOnly };
    }
    const known = await closingOnFailure(file, () => this.#known(file.path, signal));
    return { file: await SessionFile.of(file, { mode, signal, known, longFile, below }), readOnly };
  }

  /**
   * Opens a file from its end where it is long and the index does not know it by then; the rest is looked
   * at in the background. Any other file, and one whose end does not tell enough, as {@link open} does.
   */
  async openTailFirst(
    path: string,
    options: OpenOptions,
    made: TailOptions,
  ): Promise<StoreSession> {
    const background = new AbortController();
    const { signal } = background;
    const stop = (): void => background.abort();
    options.signal?.addEventListener("abort", stop, { once: true });
    const { file, mode, readOnly } = await this.#openFile(path);
    const { reading, resolvePayload } = this.#env;
    const { longFile } = reading;
    const asked = this.#known(file.path, signal);
    const whole = async (): Promise<StoreSession> => {
      const known = await closingOnFailure(file, () => asked);
      const options = { mode, signal, known, longFile, below: this.#below };
      const read = await SessionFile.of(file, options);
      return made.attach({ file: read, readOnly });
    };
    try {
      const read = (stopped: AbortSignal): Promise<FileTail | null> =>
        readTail(file, reading, AbortSignal.any([signal, stopped]));
      const isLong = file.size >= longFile;
      const tail = isLong ? await closingOnFailure(file, () => readBefore(asked, read)) : null;
      if (tail === null) return await whole();
      return new TailSession({
        ...{ tail, path: file.path, readOnly, resolvePayload, whole: whole(), stop },
        onClose: made.onClose,
      });
    } finally {
      options.signal?.removeEventListener("abort", stop);
    }
  }

  async #openFile(path: string): Promise<OpenFile> {
    const { fileSystem } = this.#env;
    const present = await presentPath(this.#env, path);
    try {
      const file = await AppendFile.open(fileSystem, present, { mode: "append" });
      return { file, mode: "append", readOnly: null };
    } catch (error) {
      if (!READ_ONLY_ERRNOS.some((errno) => hasErrno(error, errno))) throw error;
      const file = await AppendFile.open(fileSystem, present, { mode: "read" });
      const isArchived = isArchivePath(file.path);
      const reason = "the file or its disk does not allow writing";
      return { file, mode: "read", readOnly: isArchived ? ARCHIVED : reason };
    }
  }

  /** What the index knows of a sound file; damage inside of lines it cannot know. */
  async #known(real: string, signal: AbortSignal | undefined): Promise<KnownSession | null> {
    if (this.#index === undefined) return null;
    const known = await this.#index.session(real, signal === undefined ? {} : { signal });
    if (known === null || known.base === null) return null;
    const { identity, nextLine, fingerprint, header, base } = known;
    return {
      identity,
      known: known.known,
      nextLine,
      fingerprint,
      header,
      base,
      placeOf: (id) => known.placeOf(id),
      idsOfKey: (key) => known.idsOfKey(key),
      isAlive: () => known.isAlive(),
    };
  }
}

/** What was read; null where the index knows the file before, or where it does not tell enough. */
async function readBefore(
  asked: Promise<KnownSession | null>,
  start: (signal: AbortSignal) => Promise<FileTail | null>,
): Promise<FileTail | null> {
  const stop = new AbortController();
  const read = start(stop.signal);
  const unlessKnown = asked.then((known) => (known === null ? read : null));
  try {
    return await Promise.race([read, unlessKnown]);
  } finally {
    stop.abort();
    // The one that came second: its answer is not wanted, and a failure of the index is told by `asked`.
    read.catch(() => undefined);
    unlessKnown.catch(() => undefined);
  }
}

async function closingOnFailure<T>(file: AppendFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await file.close();
    throw error;
  }
}
