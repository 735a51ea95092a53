/**
 * The typed client of a Branchline server, for browsers and Node (`branchline/client`).
 *
 * @example
 * import { createClient } from "branchline/client";
 */
export {
  type ChangeOptions,
  Client,
  createClient,
  type EntryView,
  type MoveWish,
  type RunAnswer,
  type RunWish,
} from "./client.ts";
export { ClientError } from "./client-error.ts";
export type { FollowOptions } from "./event-stream.ts";
export {
  type CallOptions,
  type ClientOptions,
  HttpCaller,
  type QueryValues,
} from "./http-caller.ts";
export { type SseMessage, SseParser } from "./sse-parser.ts";
