import { BranchlineError } from "../../errors.ts";
import type { AcquireOptions, LockState, SessionLock } from "../../io/session-lock.ts";

/** Throws where nothing may be written at a path. */
export type PlaceCheck = (path: string) => void;

/**
 * A lock that is only taken where locks hold: whatever writes takes one first, so this is where a
 * network file system is refused (F033). The place is asked for until it was found to be good.
 */
export class PlacedLock implements SessionLock {
  readonly #lock: SessionLock;
  readonly #path: string;
  readonly #check: PlaceCheck;
  #isChecked = false;

  constructor(lock: SessionLock, path: string, check: PlaceCheck) {
    this.#lock = lock;
    this.#path = path;
    this.#check = check;
  }

  get held(): boolean {
    return this.#lock.held;
  }

  /** As the lock does; also throws PLACE_REFUSED. */
  async acquire(options?: AcquireOptions): Promise<void> {
    if (!this.#isChecked) this.#check(this.#path);
    this.#isChecked = true;
    await this.#lock.acquire(options);
  }

  inspect(): Promise<LockState> {
    return this.#lock.inspect();
  }

  release(): void {
    this.#lock.release();
  }

  yieldTo(): Promise<void> {
    return this.#lock.yieldTo();
  }

  close(): Promise<void> {
    return this.#lock.close();
  }
}

/** The error of what would write on a network file system. */
export function placeRefused(path: string, fileSystem: string): BranchlineError<"PLACE_REFUSED"> {
  return new BranchlineError(
    "PLACE_REFUSED",
    { path, fileSystem },
    {
      message: `${path} lies on a network file system (${fileSystem}), where two machines could write at once.`,
      hint: "Keep sessions on a disk of this machine; --allow-network writes all the same.",
      place: { file: path },
    },
  );
}
