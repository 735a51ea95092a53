import type { Message } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import type { Context } from "../projection/context.ts";
import type { ContextGap } from "../projection/gap-marker.ts";
import { projectRaw } from "../projection/raw.ts";
import { estimateContextTokens } from "../projection/token-estimate.ts";
import { EMPTY_FOLD, type ModelRef, type SettingName } from "../tree/fold.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { contextAt } from "./path-context.ts";
import type { SessionHandle } from "./session-handle.ts";

/** Which context. */
export interface ContextOptions {
  /** The entry at which it is taken; null = before the first one. Default: the handle's leaf. */
  readonly at?: string | null;
  /** True = exactly what Pi 1.6.0 builds, gaps and torn pairs included. Default false. */
  readonly raw?: boolean;
}

/** What the model receives at an entry, and where the handle stands. */
export interface SessionContext {
  readonly session: string;
  readonly at: string | null;
  /** The handle's leaf and the position of it. */
  readonly leaf: string | null;
  readonly position: string | null;
  readonly model: ModelRef | null;
  readonly thinkingLevel: string;
  /** null = never set on the path. */
  readonly activeTools: readonly string[] | null;
  /** Ids of all entries that the projection selects, in order, also of those that give no message. */
  readonly entries: readonly string[];
  readonly messages: readonly Message[];
  /** The entry of each message. */
  readonly sources: readonly string[];
  /** Estimated tokens of the messages. */
  readonly tokens: number;
  readonly gaps: readonly ContextGap[];
  /** False while only the end of the session was read (`StoreSession.verified`). */
  readonly verified: boolean;
  /** Settings that are only likely then: nothing sets them as far up as was read. Else none. */
  readonly unproven: readonly SettingName[];
}

/**
 * From the end of the session where that is all that was read and tells it, else waits until the session
 * is verified. Throws ENTRY_UNKNOWN where `at` is no entry.
 */
export async function sessionContext(
  handle: SessionHandle,
  options: ContextOptions = {},
): Promise<SessionContext> {
  try {
    return await knownContext(handle, options);
  } catch (error) {
    if (!BranchlineError.is(error, "SESSION_UNVERIFIED")) throw error;
    await handle.store.whenVerified();
    return await knownContext(handle, options);
  }
}

async function knownContext(
  handle: SessionHandle,
  options: ContextOptions,
): Promise<SessionContext> {
  const { leaf, tree } = handle;
  // As they are now: the rest may become known while payloads are read.
  const { verified } = handle.store;
  const at = options.at === undefined ? leaf : options.at;
  if (at !== null) handle.mustFind(at);
  const position = tree.position(leaf);
  const unproven = tree.unproven(at);
  const context = await (options.raw ? rawContext(handle, at) : contextOf(handle, at));
  const { model, thinkingLevel, activeTools, entries, messages, sources, tokens, gaps } = context;
  return {
    session: handle.store.id,
    at,
    leaf,
    position,
    ...{ model, thinkingLevel, activeTools, entries, messages, sources, tokens, gaps },
    ...{ verified, unproven },
  };
}

/** Only the context at the leaf is kept; a look at another place must not drive it out. */
async function contextOf(handle: SessionHandle, at: string | null): Promise<Context> {
  return at === handle.leaf ? handle.contexts.at(at) : contextAt(handle.store, at);
}

async function rawContext(handle: SessionHandle, at: string | null): Promise<Context> {
  const { store, tree } = handle;
  const path: readonly TreeEntry[] = tree.rawPath(at);
  const { activeTools } = at === null ? EMPTY_FOLD : handle.mustFind(at).fold;
  const raw = projectRaw(await store.getAll(path.map(({ id }) => id)));
  return { ...raw, activeTools, tokens: estimateContextTokens(raw.messages), gaps: [] };
}
