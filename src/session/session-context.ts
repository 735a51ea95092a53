import type { Message } from "../entry/message.ts";
import { type Context, project } from "../projection/context.ts";
import type { PathStep } from "../projection/cut.ts";
import type { ContextGap } from "../projection/gap-marker.ts";
import { projectRaw } from "../projection/raw.ts";
import { estimateContextTokens } from "../projection/token-estimate.ts";
import type { StoreSession } from "../store/store.ts";
import { EMPTY_FOLD, type ModelRef } from "../tree/fold.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
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
}

/** Throws ENTRY_UNKNOWN where `at` is no entry. */
export async function sessionContext(
  handle: SessionHandle,
  options: ContextOptions = {},
): Promise<SessionContext> {
  const { leaf, tree } = handle;
  const at = options.at === undefined ? leaf : options.at;
  if (at !== null) handle.mustFind(at);
  const context = options.raw ? await rawContext(handle, at) : await contextAt(handle.store, at);
  const { model, thinkingLevel, activeTools, entries, messages, sources, tokens, gaps } = context;
  return {
    session: handle.store.id,
    at,
    leaf,
    position: tree.position(leaf),
    ...{ model, thinkingLevel, activeTools, entries, messages, sources, tokens, gaps },
  };
}

/** The context of a store session at an entry, whoever stands where. */
export async function contextAt(store: StoreSession, at: string | null): Promise<Context> {
  return project(await pathSteps(store, at), store.id);
}

/** Root → entry, gaps bridged and marked. */
export async function pathSteps(
  store: StoreSession,
  at: string | null,
): Promise<readonly PathStep[]> {
  const path = store.tree.path(at);
  const entries = await store.getAll(path.map(({ id }) => id));
  return entries.map((entry, index) => ({ entry, gap: path[index]?.gap ?? null }));
}

async function rawContext(handle: SessionHandle, at: string | null): Promise<Context> {
  const { store, tree } = handle;
  const path: readonly TreeEntry[] = tree.rawPath(at);
  const raw = projectRaw(await store.getAll(path.map(({ id }) => id)));
  const { activeTools } = at === null ? EMPTY_FOLD : handle.mustFind(at).fold;
  return { ...raw, activeTools, tokens: estimateContextTokens(raw.messages), gaps: [] };
}
