import type { SessionHeader } from "../../entry/entry.ts";
import type { LinePlace } from "../../entry/problem.ts";
import type { FileIdentity } from "../../io/file-system.ts";
import type { TreeBase } from "../../tree/tree-base.ts";

/** What `SessionFile.resume` goes on from. */
export interface KnownSession {
  readonly identity: FileIdentity;
  /** Bytes whose lines are known, and the number of the line behind them. */
  readonly known: number;
  readonly nextLine: number;
  /** The last known bytes. */
  readonly fingerprint: Uint8Array;
  readonly header: SessionHeader;
  readonly base: TreeBase;
  placeOf(id: string): LinePlace | null;
  idsOfKey(key: string): readonly string[] | undefined;
  /** False once nothing of this may be asked any more. */
  isAlive(): boolean;
}
