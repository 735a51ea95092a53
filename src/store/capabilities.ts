/**
 * What a store can do. Callers and the contract suite ask this manifest, never the store's name.
 */
export interface Capabilities {
  /** Version of the store contract that the store implements. */
  readonly contract: 1;
  /** Entries survive the process. */
  readonly durable: boolean;
  /** Other processes may write the same sessions at the same time. */
  readonly multiProcess: boolean;
  /** `follow` reports entries that others write. */
  readonly follow: boolean;
  /** Sessions can be opened by file path. */
  readonly paths: boolean;
  /** `trash`, `restore` and `listTrash` are there. */
  readonly trash: boolean;
  /** Summaries are answered without reading the sessions. */
  readonly indexed: boolean;
}
