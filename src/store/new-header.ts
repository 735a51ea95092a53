import type { SessionHeader } from "../entry/entry.ts";
import { BRANCHLINE_FORMAT, PI_VERSION } from "../entry/header-check.ts";
import { checkSessionId, newSessionId, type RandomBytes } from "../entry/ids.ts";
import { LINKED_FORMAT, type SessionBase } from "../entry/session-base.ts";
import { jsonCopy } from "./json-copy.ts";
import type { CreateOptions } from "./store.ts";

/** Members that the engine writes itself, and the check sum of the line. */
const RESERVED: ReadonlySet<string> = new Set([
  "type",
  "version",
  "id",
  "timestamp",
  "cwd",
  "parentSession",
  "branchline",
  "crc",
]);

/**
 * The header of a new session, frozen; further members follow after ours, which cannot be overridden.
 * Throws SESSION_ID_INVALID, ENTRY_INVALID for members that JSON cannot hold.
 */
export function newHeader(
  options: CreateOptions,
  context: {
    /** Present time in ms. */
    readonly now: number;
    readonly random: RandomBytes;
    /** What the session is linked to. */
    readonly base?: SessionBase;
  },
): SessionHeader {
  const id = options.id ?? newSessionId(context.now, context.random);
  checkSessionId(id);
  const { base } = context;
  const further = Object.entries(options.header ?? {}).filter(([name]) => !RESERVED.has(name));
  const header = {
    type: "session",
    version: PI_VERSION,
    id,
    timestamp: new Date(context.now).toISOString(),
    cwd: options.cwd,
    ...(options.parentSession === undefined ? {} : { parentSession: options.parentSession }),
    branchline:
      base === undefined ? { format: BRANCHLINE_FORMAT } : { format: LINKED_FORMAT, base },
    ...Object.fromEntries(further),
  };
  return jsonCopy(header) as SessionHeader;
}
