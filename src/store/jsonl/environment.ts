import type { Entry } from "../../entry/entry.ts";
import { withArchives } from "../../io/archive-file-system.ts";
import type { Clock } from "../../io/clock.ts";
import { systemClock } from "../../io/clock.ts";
import type { FileSystem } from "../../io/file-system.ts";
import { createNetworkProbe, type NetworkProbe } from "../../io/network-place.ts";
import { createNodeFileSystem } from "../../io/node-file-system.ts";
import type { Durability } from "../../io/publish.ts";
import type { Random } from "../../io/random.ts";
import { systemRandom } from "../../io/random.ts";
import type { SessionLock } from "../../io/session-lock.ts";
import { SqliteLock } from "../../io/sqlite-lock.ts";
import { PlacedLock, placeRefused } from "./placed-lock.ts";

/** Everything the JSONL store takes from outside, so that a simulator can stand in for the machine. */
export interface Environment {
  /** Shows archived sessions as what they hold; `withoutArchives` gives the one below. */
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * The entry that a stub stands for, the entry itself where it is none, null where its payload is gone.
   * Default: stubs stay stubs. The store sets it.
   */
  readonly resolvePayload: (entry: Entry) => Promise<Entry | null>;
  /**
   * The network file system that a path lies on, or null. Default: asks this machine; with a
   * `fileSystem` of the caller's own, null.
   */
  readonly networkOf: NetworkProbe;
  /** True: writes on a network file system all the same, where one machine only does. Default false. */
  readonly allowNetwork: boolean;
  /** The lock of a session file, by its real path. Taking it throws PLACE_REFUSED on a network file system. */
  readonly makeLock: (path: string) => SessionLock;
  /** "full" (default) = P1; "process" survives the process only, the named exception. */
  readonly durability: Durability;
  /** Longest wait for the lock of a session in ms, default 5000; then STORE_BUSY names the owner. */
  readonly lockTimeoutMs: number;
  /** Longest hold of the lock in a row while others wait, in ms; default 20, 50 at most (design.md §2). */
  readonly sliceMs: number;
  readonly reading: ReadingLimits;
}

/** Which files are long, how far back their end is read, and how much of what was read is kept, in bytes. */
export interface ReadingLimits {
  /**
   * Files from this size on are opened by their structure, and from their end; below it, all of them is
   * read and every line decoded, which takes 3 to 6 ms a MB. Default 1 MiB.
   */
  readonly longFile: number;
  /** Read for the context; where it needs more, the whole file is looked at instead. Default 64 MiB. */
  readonly context: number;
  /** Read further, for settings that stand above the context. Default 16 MiB, which take 15 to 20 ms. */
  readonly settings: number;
  /**
   * Payloads of entries that a handle appended or read behind its start, kept in memory; older ones are read
   * again from their lines. Default 1 MiB: what lives on costs the garbage collector more than reading again.
   */
  readonly kept: number;
}

const MEBIBYTE: number = 1024 * 1024;

/** The defaults of {@link ReadingLimits}, by measurement. */
export const READING_LIMITS: ReadingLimits = Object.freeze({
  longFile: MEBIBYTE,
  context: 64 * MEBIBYTE,
  settings: 16 * MEBIBYTE,
  kept: MEBIBYTE,
});

const onOwnDisk: NetworkProbe = () => null;

/** Throws PLACE_REFUSED where nothing may be written. */
export function assertPlace(
  env: Pick<Environment, "networkOf" | "allowNetwork">,
  path: string,
): void {
  if (env.allowNetwork) return;
  const network = env.networkOf(path);
  if (network !== null) throw placeRefused(path, network);
}

/** Fills in this machine for whatever is not given. */
export function environment(given: Partial<Environment> = {}): Environment {
  const fileSystem = withArchives(given.fileSystem ?? createNodeFileSystem());
  const clock = given.clock ?? systemClock;
  const random = given.random ?? systemRandom;
  const makeLock =
    given.makeLock ?? ((path) => new SqliteLock({ fileSystem, clock, random, path }));
  const place = {
    networkOf:
      given.networkOf ?? (given.fileSystem === undefined ? createNetworkProbe() : onOwnDisk),
    allowNetwork: given.allowNetwork ?? false,
  };
  return {
    ...place,
    fileSystem,
    clock,
    random,
    resolvePayload: given.resolvePayload ?? (async (entry) => entry),
    makeLock: (path) => new PlacedLock(makeLock(path), path, (at) => assertPlace(place, at)),
    durability: given.durability ?? "full",
    lockTimeoutMs: given.lockTimeoutMs ?? 5000,
    sliceMs: given.sliceMs ?? 20,
    reading: given.reading ?? READING_LIMITS,
  };
}
