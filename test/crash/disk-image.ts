import { dirname } from "node:path";
import type { LoggedOperation } from "../../src/io/testing/memory-file-system.ts";

/** What stands at each path: the bytes of a file, null for a directory. */
export type Image = ReadonlyMap<string, Uint8Array | null>;

interface Inode {
  readonly isDirectory: boolean;
  /** As programs see it. */
  data: Uint8Array;
  /** As it is on stable storage. */
  stable: Uint8Array;
}

/** What survives of the names and of the bytes in one crash. */
export interface Survival {
  /** "all" = every rename, creation and removal is there; "stable" = only those whose directory was synced. */
  readonly names: "all" | "stable";
  /**
   * "all" = every byte; "stable" = only synced ones; "nul" = the size is there, unsynced bytes are NUL; a
   * number = everything but the file written last, of whose last write this many bytes are left.
   */
  readonly bytes: "all" | "stable" | "nul" | number;
}

const EMPTY = new Uint8Array(0);

/** The end of a path's life in the names of its directory. */
function isBelow(path: string, directory: string): boolean {
  return path !== "/" && dirname(path) === directory;
}

/**
 * A disk that hears a log of operations and knows for each moment what programs see and what is certain to
 * survive (reliability.md §6, ALICE): data by fsync or fdatasync of the file, names by fsync of the
 * directory, nothing else. Stricter than ext4 and XFS are.
 */
export class DiskImage {
  readonly #inodes = new Map<bigint, Inode>();
  readonly #names = new Map<string, bigint>();
  readonly #stableNames = new Map<string, bigint>();
  #lastWrite: { readonly ino: bigint; readonly bytes: number } | null = null;

  /** Bytes of the last operation where it was a write, else 0. */
  get lastWriteBytes(): number {
    return this.#lastWrite?.bytes ?? 0;
  }

  /** Takes what stands on a disk already, all of it stable. */
  load(path: string, ino: bigint, bytes: Uint8Array | null): void {
    const data = bytes ?? EMPTY;
    this.#inodes.set(ino, { isDirectory: bytes === null, data, stable: data });
    this.#names.set(path, ino);
    this.#stableNames.set(path, ino);
  }

  /** Another program writes to a file, and its bytes reach the disk. */
  appendStable(path: string, bytes: Uint8Array): void {
    const ino = this.#names.get(path) ?? -1n;
    this.#write(ino, bytes);
    this.#sync(ino);
    this.#lastWrite = null;
  }

  apply(op: LoggedOperation): void {
    this.#lastWrite = null;
    const ino = op.ino ?? -1n;
    switch (op.operation) {
      case "open":
        if (op.mode === "create") this.#create(op.path, { ino, isDirectory: false });
        break;
      case "makeDirectory":
        this.#create(op.path, { ino, isDirectory: true });
        break;
      case "write":
        this.#write(ino, op.bytes ?? EMPTY);
        break;
      case "truncate":
        this.#truncate(ino, op.length ?? 0);
        break;
      case "datasync":
      case "sync":
        this.#sync(ino);
        break;
      case "rename":
        this.#names.delete(op.from ?? "");
        this.#names.set(op.path, ino);
        break;
      case "link":
        this.#names.set(op.path, ino);
        break;
      case "removeFile":
        this.#names.delete(op.path);
        break;
      case "syncDirectory":
        this.#syncNames(op.path);
        break;
      default:
        break;
    }
  }

  /** What a machine finds after a crash at this moment. */
  after({ names, bytes }: Survival): Image {
    const image = new Map<string, Uint8Array | null>();
    const table = names === "all" ? this.#names : this.#stableNames;
    for (const [path, ino] of table) {
      const inode = this.#inodes.get(ino);
      if (inode !== undefined) image.set(path, inode.isDirectory ? null : this.#left(ino, bytes));
    }
    for (const path of [...image.keys()]) if (!hasParents(image, path)) image.delete(path);
    return image;
  }

  #create(path: string, node: { readonly ino: bigint; readonly isDirectory: boolean }): void {
    this.#inodes.set(node.ino, { isDirectory: node.isDirectory, data: EMPTY, stable: EMPTY });
    this.#names.set(path, node.ino);
  }

  #write(ino: bigint, bytes: Uint8Array): void {
    const inode = this.#inodes.get(ino);
    if (inode === undefined) return;
    const data = new Uint8Array(inode.data.byteLength + bytes.byteLength);
    data.set(inode.data);
    data.set(bytes, inode.data.byteLength);
    inode.data = data;
    this.#lastWrite = { ino, bytes: bytes.byteLength };
  }

  #truncate(ino: bigint, length: number): void {
    const inode = this.#inodes.get(ino);
    if (inode === undefined) return;
    const data = new Uint8Array(length);
    data.set(inode.data.subarray(0, length));
    inode.data = data;
  }

  #sync(ino: bigint): void {
    const inode = this.#inodes.get(ino);
    if (inode !== undefined) inode.stable = inode.data;
  }

  #syncNames(directory: string): void {
    for (const path of [...this.#stableNames.keys()])
      if (isBelow(path, directory)) this.#stableNames.delete(path);
    for (const [path, ino] of this.#names)
      if (isBelow(path, directory)) this.#stableNames.set(path, ino);
  }

  #left(ino: bigint, bytes: Survival["bytes"]): Uint8Array {
    const { data, stable } = this.#inodes.get(ino) as Inode;
    if (bytes === "all") return data;
    if (bytes === "stable") return stable;
    if (bytes === "nul") {
      const left = new Uint8Array(data.byteLength);
      left.set(stable.subarray(0, data.byteLength));
      return left;
    }
    if (this.#lastWrite?.ino !== ino) return data;
    return data.subarray(0, data.byteLength - this.#lastWrite.bytes + bytes);
  }
}

function hasParents(image: Image, path: string): boolean {
  for (let up = dirname(path); up !== "/"; up = dirname(up)) if (!image.has(up)) return false;
  return true;
}

/** Every way in which a crash may come out at this moment. */
export function survivals(disk: DiskImage): readonly Survival[] {
  const ways: Survival[] = [
    { names: "all", bytes: "all" },
    { names: "stable", bytes: "stable" },
    { names: "stable", bytes: "all" },
    { names: "all", bytes: "stable" },
    { names: "all", bytes: "nul" },
    { names: "stable", bytes: "nul" },
  ];
  const last = disk.lastWriteBytes;
  const cuts = new Set([1, Math.floor(last / 2), last - 1].filter((cut) => cut > 0 && cut < last));
  for (const cut of cuts) {
    ways.push({ names: "all", bytes: cut }, { names: "stable", bytes: cut });
  }
  return ways;
}
