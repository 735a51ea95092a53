import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The file systems that can be cut off like by a power cut. */
export type LoopKind = "ext4" | "xfs";

const SIZE: Readonly<Record<LoopKind, string>> = { ext4: "48M", xfs: "320M" };

/** Stops the file system at once, without writing anything that was not synced (ioctl FS_IOC_SHUTDOWN, no log flush). */
const SHUTDOWN = [
  "import fcntl, os, struct, sys",
  "fd = os.open(sys.argv[1], os.O_RDONLY)",
  "fcntl.ioctl(fd, 0x8004587d, struct.pack('I', 2))",
].join("\n");

function call(program: string, ...args: readonly string[]): void {
  const done = spawnSync(program, args, { encoding: "utf8" });
  if (done.status === 0) return;
  throw new Error(`${program} ${args.join(" ")}: ${done.stderr || String(done.error)}`);
}

/** Why power cuts of this kind cannot be had on this machine, or null. */
export function noLoopDisk(kind: LoopKind): string | null {
  if (process.getuid?.() !== 0) return "not root, so nothing can be mounted";
  try {
    new LoopDisk(kind).remove();
    return null;
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  }
}

/** A small disk in a file, mounted at {@link LoopDisk.root}. Whoever made it removes it. */
export class LoopDisk {
  readonly root: string;
  readonly #folder: string;
  readonly #image: string;
  #isMounted = false;

  constructor(kind: LoopKind) {
    this.#folder = mkdtempSync(join(tmpdir(), `branchline-${kind}-`));
    this.#image = join(this.#folder, "disk");
    this.root = join(this.#folder, "mounted");
    mkdirSync(this.root);
    try {
      call("truncate", "-s", SIZE[kind], this.#image);
      call(`mkfs.${kind}`, "-q", this.#image);
      this.mount();
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  mount(): void {
    call("mount", "-o", "loop", this.#image, this.root);
    this.#isMounted = true;
  }

  /** What a power cut does: what is not on the disk at this instant never gets there. */
  cutPower(): void {
    call("python3", "-c", SHUTDOWN, this.root);
  }

  /** Unmounts and mounts again, so that the journal is replayed. */
  restart(): void {
    call("umount", this.root);
    this.#isMounted = false;
    this.mount();
  }

  remove(): void {
    if (this.#isMounted) call("umount", this.root);
    this.#isMounted = false;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
