import { readFileSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "./io-failure.ts";

/**
 * Says which network file system a path lies on, null for a disk of this machine. Locks of the kernel do
 * not hold between machines there, and appends of two machines may fall on each other (F033,
 * reliability.md §5).
 */
export type NetworkProbe = (path: string) => string | null;

/** "36 35 0:40 / /mnt/far rw,relatime shared:1 - fuse.sshfs me@host: rw": the place and the kind. */
const MOUNT = /^\S+ \S+ \S+ \S+ (\S+) .*?- (\S+)/gm;

/** What the probe asks the system; tests answer in its place. */
export interface NetworkProbeOptions {
  /** Default: the platform of this process. */
  readonly platform?: NodeJS.Platform;
  /** The type number of the file system at a path; throws with the code ENOENT where nothing is. */
  readonly typeAt?: (path: string) => bigint;
  /** What is mounted where, as Linux tells it; throws where it does not. */
  readonly mounts?: () => string;
}

/** Type numbers of statfs(2) on Linux. */
const NETWORK_TYPES: ReadonlyMap<bigint, string> = new Map([
  [0x6969n, "nfs"],
  [0x517bn, "smb"],
  [0xff534d42n, "cifs"],
  [0xfe534d42n, "smb2"],
  [0x01021997n, "9p"],
  [0x5346414fn, "afs"],
  [0x6b414653n, "afs"],
  [0x73757245n, "coda"],
  [0x564cn, "ncp"],
  [0x00c36400n, "ceph"],
  [0x0bd00bd0n, "lustre"],
  [0x47504653n, "gpfs"],
]);

/** One number for everything that a program provides, disks of this machine too: the name tells. */
const FUSE_TYPE = 0x65735546n;

const NETWORK_FUSE: ReadonlySet<string> = new Set([
  ...["fuse.sshfs", "fuse.s3fs", "fuse.goofys", "fuse.gcsfuse", "fuse.rclone", "fuse.davfs"],
  ...["fuse.glusterfs", "fuse.ceph-fuse", "fuse.curlftpfs", "fuse.smbnetfs", "fuse.juicefs"],
]);

/** Makes a probe. It answers in some µs; where the system tells nothing, a path counts as local. */
export function createNetworkProbe(options: NetworkProbeOptions = {}): NetworkProbe {
  const platform = options.platform ?? process.platform;
  const typeAt = options.typeAt ?? statfsType;
  const mounts = options.mounts ?? linuxMounts;
  if (platform === "win32") return (path) => (isShare(path) ? "a network share" : null);
  // Elsewhere the numbers differ from one start of the system to the next.
  if (platform !== "linux") return () => null;
  return (path) => {
    const present = nearestPresent(path, typeAt);
    if (present === null) return null;
    const name = NETWORK_TYPES.get(present.type);
    if (name !== undefined || present.type !== FUSE_TYPE) return name ?? null;
    const kind = mountedAs(present.path, mounts);
    return NETWORK_FUSE.has(kind) ? kind : null;
  };
}

function statfsType(path: string): bigint {
  return BigInt.asUintN(32, statfsSync(path, { bigint: true }).type);
}

function linuxMounts(): string {
  return readFileSync("/proc/self/mountinfo", "utf8");
}

/** `\\server\share`, but not `\\?\C:\…` and `\\.\pipe\…`. */
function isShare(path: string): boolean {
  return /^[\\/]{2}[^\\/?.]/.test(path);
}

/** What is to be made has no file system yet: that of the folder above it counts. */
function nearestPresent(
  path: string,
  typeAt: (path: string) => bigint,
): { readonly path: string; readonly type: bigint } | null {
  try {
    return { path, type: typeAt(path) };
  } catch (error) {
    const above = dirname(path);
    if (errnoOf(error) !== "ENOENT" || above === path) return null;
    return nearestPresent(above, typeAt);
  }
}

/** The kind of the mount that a path lies on; "" where it cannot be told. */
function mountedAs(path: string, mounts: () => string): string {
  let table: string;
  try {
    table = mounts();
  } catch {
    return "";
  }
  let best = { length: -1, kind: "" };
  for (const match of table.matchAll(MOUNT)) {
    const point = unescaped(String(match[1])).replace(/^\/$/, "");
    const isAbove = path === point || path.startsWith(`${point}/`);
    const { length } = point;
    if (isAbove && length >= best.length) best = { length, kind: String(match[2]) };
  }
  return best.kind;
}

/** Spaces and the like are written as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
