import { dirname, join, posix } from "node:path";
import { BranchlineError } from "../../errors.ts";
import type {
  DirectoryEntry,
  FileHandle,
  FileKind,
  FileStat,
  FileSystem,
  OpenMode,
  ReadFileOptions,
} from "../file-system.ts";
import { ioFailed } from "../io-failure.ts";
import type { Fault, Operation, Pause } from "./fault-plan.ts";
import { FaultPlan } from "./fault-plan.ts";
import { MemoryFile } from "./memory-file.ts";

/** One operation that took effect, in order. */
export interface LoggedOperation {
  readonly operation: Operation;
  /** For rename and link the new name. */
  readonly path: string;
  /** Which file it was done to, where it is about one file: names may change, this does not. */
  readonly ino?: bigint;
  /** write: a copy of the bytes that reached the file. */
  readonly bytes?: Uint8Array;
  /** rename and link: the old name. */
  readonly from?: string;
  /** truncate: the new size. */
  readonly length?: number;
  /** open: how. */
  readonly mode?: OpenMode;
}

/**
 * A file system in memory for tests of all layers: planned faults and pauses, a log of operations,
 * and a foreign hand that changes files behind the engine's back. The root directory exists.
 */
export class MemoryFileSystem implements FileSystem {
  /** The operations that took effect, for assertions and for a crash simulator. */
  readonly ops: LoggedOperation[] = [];
  readonly #files = new Map<string, MemoryFile>();
  readonly #plan = new FaultPlan();
  #lastIno = 0n;
  #time = 1_700_000_000_000;

  constructor() {
    this.place("/", "directory");
  }

  /** Makes an operation fail later; see {@link Fault}. */
  failNext(operation: Operation, fault: Fault): void {
    this.#plan.failNext(operation, fault);
  }

  /** Makes the `number`-th operation from now fail, from 1, whatever it is. */
  failOperation(number: number, fault: Fault): void {
    this.#plan.failOperation(number, fault);
  }

  /** The operation that {@link failOperation} hit, or null while it has hit none. */
  get failedOperation(): Operation | null {
    return this.#plan.numberedMet;
  }

  /** Operations that began so far, reads and those that failed included. */
  get operations(): number {
    return this.#plan.operations;
  }

  /** Stops the next such operation until the test lets it go on. */
  pauseNext(operation: Operation, path?: string): Pause {
    return this.#plan.pauseNext(operation, path);
  }

  /** The foreign hand: puts something at a path, as a new file, without a log line. */
  place(path: string, kind: FileKind, content: Uint8Array | string = ""): MemoryFile {
    const text = typeof content === "string" ? content : "";
    const file = new MemoryFile({
      kind,
      ino: this.#nextIno(),
      mtimeMs: this.#tick(),
      ...(kind === "link" ? { target: text } : {}),
    });
    if (kind === "file") file.append(Buffer.from(content));
    this.#files.set(path, file);
    return file;
  }

  /** The foreign hand: appends to a file, as another process does. */
  appendForeign(path: string, content: Uint8Array | string): void {
    const file = this.#mustFind("write", path);
    file.append(Buffer.from(content));
    file.mtimeMs = this.#tick();
  }

  /** The content of a file as text. Throws `IO_FAILED` when it is not there. */
  text(path: string): string {
    return Buffer.from(this.#mustFind("read", path).contents()).toString("utf8");
  }

  /** A copy of the content of a file. Throws `IO_FAILED` when it is not there. */
  bytes(path: string): Uint8Array {
    return this.#mustFind("read", path).contents();
  }

  /** All paths, sorted. */
  paths(): readonly string[] {
    return [...this.#files.keys()].sort();
  }

  async open(path: string, mode: OpenMode): Promise<FileHandle> {
    await this.#plan.pass("open", path);
    const existing = this.#files.get(path);
    if (mode === "create" && existing !== undefined) throw this.#failure("open", path, "EEXIST");
    if (mode === "create") this.#mustFind("open", dirname(path));
    const file = mode === "create" ? this.place(path, "file") : this.#mustFind("open", path);
    if (file.kind !== "file") {
      const reason = `not a regular file (${file.kind})`;
      throw new BranchlineError("FILE_UNSAFE", { path, reason }, { message: reason });
    }
    this.ops.push({ operation: "open", path, ino: file.ino, mode });
    return this.#handle(file, { path, mode });
  }

  async stat(path: string): Promise<FileStat | undefined> {
    await this.#plan.pass("stat", path);
    return this.#files.get(this.#resolve(path))?.stat();
  }

  async lstat(path: string): Promise<FileStat | undefined> {
    await this.#plan.pass("lstat", path);
    return this.#files.get(path)?.stat();
  }

  async realpath(path: string): Promise<string> {
    await this.#plan.pass("realpath", path);
    const real = this.#resolve(path);
    this.#mustFind("realpath", real);
    return real;
  }

  async readDirectory(path: string): Promise<readonly DirectoryEntry[]> {
    await this.#plan.pass("readDirectory", path);
    this.#mustFind("readDirectory", path);
    return [...this.#files]
      .filter(([name]) => name !== "/" && dirname(name) === path)
      .map(([name, file]) => ({ name: posix.basename(name), kind: file.kind }))
      .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
  }

  async makeDirectory(path: string): Promise<string | undefined> {
    await this.#plan.pass("makeDirectory", path);
    const missing: string[] = [];
    for (let place = path; !this.#files.has(place); place = dirname(place)) missing.push(place);
    for (const place of missing.toReversed()) {
      const { ino } = this.place(place, "directory");
      this.ops.push({ operation: "makeDirectory", path: place, ino });
    }
    return missing.at(-1);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#plan.pass("rename", to);
    const file = this.#mustFind("rename", from);
    const replaced = this.#files.get(to);
    if (replaced !== undefined) replaced.links -= 1;
    this.#files.delete(from);
    this.#files.set(to, file);
    this.ops.push({ operation: "rename", path: to, from, ino: file.ino });
  }

  async link(existing: string, path: string): Promise<void> {
    await this.#plan.pass("link", path);
    const file = this.#mustFind("link", existing);
    if (this.#files.has(path)) throw this.#failure("link", path, "EEXIST");
    this.#files.set(path, file);
    file.links += 1;
    this.ops.push({ operation: "link", path, from: existing, ino: file.ino });
  }

  async removeFile(path: string): Promise<boolean> {
    await this.#plan.pass("removeFile", path);
    const file = this.#files.get(path);
    if (file === undefined) return false;
    this.#files.delete(path);
    file.links -= 1;
    this.ops.push({ operation: "removeFile", path, ino: file.ino });
    return true;
  }

  async syncDirectory(path: string): Promise<void> {
    await this.#plan.pass("syncDirectory", path);
    const { ino } = this.#mustFind("syncDirectory", path);
    this.ops.push({ operation: "syncDirectory", path, ino });
  }

  async setTimes(path: string, _atimeMs: number, mtimeMs: number): Promise<void> {
    await this.#plan.pass("setTimes", path);
    const file = this.#mustFind("setTimes", path);
    file.mtimeMs = mtimeMs;
    this.ops.push({ operation: "setTimes", path, ino: file.ino });
  }

  async readFile(path: string, options: ReadFileOptions): Promise<Uint8Array> {
    await this.#plan.pass("readFile", path);
    const file = this.#mustFind("readFile", path);
    if (file.kind !== "file" || file.size > options.maxBytes) {
      const reason = "not a regular file, or too large";
      throw new BranchlineError("FILE_UNSAFE", { path, reason }, { message: reason });
    }
    return file.contents();
  }

  #handle(
    file: MemoryFile,
    opened: { readonly path: string; readonly mode: OpenMode },
  ): FileHandle {
    const { path, mode } = opened;
    const plan = this.#plan;
    const done = (operation: Operation, more: Partial<LoggedOperation> = {}): void => {
      this.ops.push({ operation, path, ino: file.ino, ...more });
    };
    const change = async (operation: Operation): Promise<Fault | undefined> => {
      if (mode === "read") throw this.#failure(operation, path, "EBADF");
      return plan.meet(operation, path);
    };
    return {
      read: async (buffer, position) => {
        await plan.pass("read", path);
        return file.readInto(buffer, position);
      },
      write: async (bytes) => {
        const fault = await change("write");
        const reached = fault === undefined ? bytes : bytes.subarray(0, fault.partialBytes ?? 0);
        if (reached.byteLength > 0) {
          file.append(reached);
          file.mtimeMs = this.#tick();
          done("write", { bytes: reached.slice() });
        }
        if (fault?.errno !== undefined) throw this.#failure("write", path, fault.errno);
        return reached.byteLength;
      },
      truncate: async (length) => {
        const fault = await change("truncate");
        if (fault?.errno !== undefined) throw this.#failure("truncate", path, fault.errno);
        file.resize(length);
        file.mtimeMs = this.#tick();
        done("truncate", { length });
      },
      datasync: () => plan.pass("datasync", path).then(() => done("datasync")),
      sync: () => plan.pass("sync", path).then(() => done("sync")),
      stat: () => plan.pass("stat", path).then(() => file.stat()),
      close: () => plan.pass("close", path).then(() => done("close")),
    };
  }

  /** Follows links of the whole path (links to directories are not modelled), at most ten. */
  #resolve(path: string): string {
    let place = path;
    for (let steps = 0; steps < 10; steps += 1) {
      const file = this.#files.get(place);
      if (file?.kind !== "link") break;
      place = join(dirname(place), file.target);
      if (file.target.startsWith("/")) place = file.target;
    }
    return place;
  }

  #mustFind(operation: Operation, path: string): MemoryFile {
    const file = this.#files.get(path);
    if (file === undefined) throw this.#failure(operation, path, "ENOENT");
    return file;
  }

  #failure(operation: Operation, path: string, errno: string): BranchlineError {
    return ioFailed({ operation, path }, errno);
  }

  #nextIno(): bigint {
    this.#lastIno += 1n;
    return this.#lastIno;
  }

  /** Every change gets a time of its own, so that no test depends on the speed of the machine. */
  #tick(): number {
    this.#time += 1;
    return this.#time;
  }
}
