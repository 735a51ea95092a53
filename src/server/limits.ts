/** What one server takes at most (reliability.md S17, S18). */
export interface ServerLimits {
  /** Sockets open at the same time; more are answered with 503. */
  readonly sockets: number;
  /** Event streams open at the same time, and of one client; more are answered with 503. */
  readonly streams: number;
  readonly streamsPerClient: number;
  /** Bytes of one request body. */
  readonly bodyBytes: number;
  /** Objects and arrays inside one another in a request body. */
  readonly bodyDepth: number;
  /** Bytes that wait for one event stream before it is dropped. */
  readonly streamBytes: number;
  /** Events and bytes that are kept for streams that come back. */
  readonly replayEvents: number;
  readonly replayBytes: number;
  /** Least time between two deltas to one stream, in ms. */
  readonly deltaMs: number;
  /** Time between two signs of life on a silent stream, in ms. */
  readonly heartbeatMs: number;
  /** Time until a session that nobody uses is closed, in ms. */
  readonly idleMs: number;
  /** Sessions open at the same time before idle ones are closed sooner. */
  readonly openSessions: number;
  /** Least time between two looks for what other programs wrote, while somebody hears of all sessions, in ms. */
  readonly libraryMs: number;
  /** How long a client may take for its headers, and for a whole request, in ms. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Time between two looks for clients that are too slow, in ms. */
  readonly slowCheckMs: number;
}

/** The limits unless told otherwise. */
export const DEFAULT_LIMITS: ServerLimits = Object.freeze({
  sockets: 64,
  streams: 32,
  streamsPerClient: 8,
  bodyBytes: 1024 * 1024,
  bodyDepth: 64,
  streamBytes: 1024 * 1024,
  replayEvents: 4096,
  replayBytes: 8 * 1024 * 1024,
  deltaMs: 34,
  heartbeatMs: 15_000,
  idleMs: 60_000,
  openSessions: 64,
  libraryMs: 3000,
  headersMs: 10_000,
  requestMs: 30_000,
  slowCheckMs: 2000,
});

/** Bytes of one request's headers. */
export const HEADER_BYTES: number = 16 * 1024;
/** Characters of a request's target. */
export const TARGET_LENGTH = 4096;
/** Rows or entries of one answer. */
export const WINDOW_ROWS = 200;
