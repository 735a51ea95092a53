import type { JsonlStore } from "../store/jsonl/jsonl-store.ts";

/** A folder with sessions, and the store that reads it. */
export interface ServerRoot {
  /** "samples" = shipped sessions: shown, copied when they are written to. */
  readonly kind: "own" | "pi" | "given" | "samples";
  readonly directory: string;
  readonly store: JsonlStore;
}
